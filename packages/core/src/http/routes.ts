import { listRoutes } from '../capabilities.ts'
import type { UserSchemas } from '../users/user-input.ts'
import type { OpenApiDocument } from './openapi/open-api-document.ts'
import { createOpenApi, createOpenApiRoute } from './openapi-route.ts'
import type { Route } from './route.ts'

/** The route table, which is what is served, checked and documented, and what describes it. */
export function createRoutes(schemas: UserSchemas): {
  routes: readonly Route[]
  openApi: () => Promise<OpenApiDocument>
} {
  const openApi = createOpenApi(() => routes, schemas.described)
  const routes: Route[] = [...listRoutes(schemas), createOpenApiRoute(openApi)]
  return { routes, openApi }
}
