import type { Clientele } from '../../clientele/clientele.ts'
import { routesFromOpenApi } from './routes-from-open-api.ts'
import type { TestedRoute } from './tested-route.ts'

/** Of our routes, what the document does not say: which objects their bodies and queries are about. */
const changes: Record<string, Partial<TestedRoute>> = {
  // It is an event that somebody has exported a user.
  exportUser: { changes: true },
  // What is made with an e-mail has it from then on: not the one that users are changed to.
  createUser: { body: { name: 'Ada', email: '{other_email}', password: 'a password' } },
  replaceUser: { query: { keep_session: '{session_id}' } },
  patchUser: { query: { keep_session: '{session_id}' } },
  validateToken: { body: { token: 'Bearer {token}' } },
  validateTokens: { body: { tokens: ['Bearer {token}'] } },
  introspectToken: { body: { token: '{token}' }, isForm: true },
  logIn: { body: { email: '{email}', password: '{password}' } },
  // For e-mails that nobody has it makes passkeys up, others for each.
  beginPasskeyLogIn: { body: {} },
  logInWithIdToken: { body: { id_token: '{id_token}' } },
  resetPassword: { body: { token: '{reset_token}', password: 'another password' } },
  confirmEmail: { body: { token: '{verification_token}' } },
  readEvents: { query: { user_id: '{user_id}', after: '{event_cursor}' } },
  readRevocations: { query: { after: '{revocation_cursor}' } },
  replayWebhook: { body: { after: '{event_cursor}' } },
}

/**
 * Our routes, as `findTenantLeaks` tries them: those of the OpenAPI document. The objects that they are about are those of
 * `createTenant`.
 *
 * @param prefix what stands before them: where they are mounted
 * @example const routes = await listClienteleRoutes(clientele, '/api/v1')
 */
export async function listClienteleRoutes(
  clientele: Clientele,
  prefix = '',
): Promise<TestedRoute[]> {
  const objects = ['email', 'refresh_token', 'challenge']
  return routesFromOpenApi(await clientele.openApi(), { prefix, objects, changes })
}
