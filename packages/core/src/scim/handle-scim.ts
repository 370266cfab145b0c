import { createRequestHandler, type RequestHandler } from '../mount/handle-request.ts'
import { createDiscoveryRoutes } from './discovery-routes.ts'
import { createScimGroupRoutes } from './group-routes.ts'
import { renderScimError } from './render-scim-error.ts'
import type { ScimRoutesServices } from './services.ts'
import { createScimUserRoutes } from './user-routes.ts'

/** Creates the handler of `/scim/v2`. */
export function createScimHandler(services: ScimRoutesServices): RequestHandler {
  const routes = [
    ...createScimUserRoutes(services),
    ...createScimGroupRoutes(services),
    ...createDiscoveryRoutes(services),
  ]
  return createRequestHandler(services, routes, renderScimError)
}
