import type { UserSchemas } from '../capabilities/users/user-input.ts'
import type { Route } from '../http/route.ts'
import type { OpenApiDocument } from '../openapi/open-api-document.ts'
import { createOpenApi, createOpenApiRoute } from '../openapi/openapi-route.ts'
import { listRoutes } from './capabilities.ts'

/** The route table, which is what is served, checked and documented, and what describes it. */
export function createRoutes(schemas: UserSchemas): {
  routes: readonly Route[]
  openApi: () => Promise<OpenApiDocument>
} {
  const openApi = createOpenApi(() => routes, schemas.described)
  const routes: Route[] = [...listRoutes(schemas), createOpenApiRoute(openApi)]
  return { routes, openApi }
}
