import type { Route } from '../http/route.ts'
import type { OpenApiDocument } from '../openapi/open-api-document.ts'
import { createOpenApi, createOpenApiRoute } from '../openapi/openapi-route.ts'
import { type CapabilityServices, listRoutes } from './capabilities.ts'

/** The route table: it is served, validated and documented. */
export function createRoutes(services: CapabilityServices): {
  routes: readonly Route[]
  openApi: () => Promise<OpenApiDocument>
} {
  const openApi = createOpenApi(() => routes, services.userSchemas.described)
  const routes: Route[] = [...listRoutes(services), createOpenApiRoute(openApi)]
  return { routes, openApi }
}
