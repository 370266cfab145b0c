import type { UserSchemas } from '../actions/user-input.ts'
import type { Route } from './route.ts'
import { authRoutes } from './routes/auth-routes.ts'
import { createDocumentRoutes } from './routes/document-routes.ts'
import { createMailedTokenRoutes } from './routes/mailed-token-routes.ts'
import { sessionRoutes } from './routes/session-routes.ts'
import { twoFactorRoutes } from './routes/two-factor-routes.ts'
import { createUserRoutes } from './routes/user-routes.ts'

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
