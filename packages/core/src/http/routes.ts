import { createEmailTokenRoutes } from '../email-tokens/routes.ts'
import { mfaRoutes } from '../mfa/routes.ts'
import { sessionRoutes } from '../sessions/routes.ts'
import { authRoutes } from '../sign-in/routes.ts'
import { createUserRoutes } from '../users/routes.ts'
import type { UserSchemas } from '../users/user-input.ts'
import { createDocumentRoutes } from './document-routes.ts'
import type { Route } from './route.ts'

/** The route table: what is served, checked and documented. */
export function createRoutes(schemas: UserSchemas): readonly Route[] {
  const routes: Route[] = [
    ...createUserRoutes(schemas),
    ...authRoutes,
    ...mfaRoutes,
    ...sessionRoutes,
    ...createEmailTokenRoutes(schemas),
    ...createDocumentRoutes(() => routes),
  ]
  return routes
}
