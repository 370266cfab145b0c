import { listRoutes } from '../capabilities.ts'
import type { UserSchemas } from '../users/user-input.ts'
import { createOpenApiRoute } from './openapi-route.ts'
import type { Route } from './route.ts'

/** The route table: what is served, checked and documented. */
export function createRoutes(schemas: UserSchemas): readonly Route[] {
  const routes: Route[] = [...listRoutes(schemas), createOpenApiRoute(() => routes)]
  return routes
}
