import type { UserSchemas } from '../users/user-input.ts'
import type { Route } from './route.ts'
import { authRoutes } from '../sign-in/routes.ts'
import { createDocumentRoutes } from './document-routes.ts'
import { createMailedTokenRoutes } from '../email-tokens/routes.ts'
import { sessionRoutes } from '../sessions/routes.ts'
import { twoFactorRoutes } from '../mfa/routes.ts'
import { createUserRoutes } from '../users/routes.ts'

/** The route table: what is served, checked and documented. */
export function createRoutes(schemas: UserSchemas): readonly Route[] {
  const routes: Route[] = [
    ...createUserRoutes(schemas),
    ...authRoutes,
    ...twoFactorRoutes,
    ...sessionRoutes,
    ...createMailedTokenRoutes(schemas),
    ...createDocumentRoutes(() => routes),
  ]
  return routes
}
