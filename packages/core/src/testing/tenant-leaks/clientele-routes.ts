import type { Clientele } from '../../clientele/clientele.ts'
import { routesFromOpenApi } from './routes-from-open-api.ts'
import type { TestedRoute } from './tested-route.ts'

/** Additions to the OpenAPI document of our routes: the objects in their bodies and queries. */
const changes: Record<string, Partial<TestedRoute>> = {
  // Exporting a user writes an event.
  exportUser: { changes: true },
  // The created user keeps this e-mail, so it must differ from the e-mail that updates set.
  createUser: { body: { name: 'Ada', email: '{other_email}', password: 'a password' } },
  replaceUser: { query: { keep_session: '{session_id}' } },
  patchUser: { query: { keep_session: '{session_id}' } },
  validateToken: { body: { token: 'Bearer {token}' } },
  validateTokens: { body: { tokens: ['Bearer {token}'] } },
  exchangeToken: { body: { token: '{user_token}' } },
  introspectToken: { body: { token: '{token}' }, isForm: true },
  logIn: { body: { email: '{email}', password: '{password}' } },
  // For unknown e-mails it returns decoys, which differ from each other.
  beginPasskeyLogIn: { body: {} },
  logInWithIdToken: { body: { id_token: '{id_token}' } },
  resetPassword: { body: { token: '{reset_token}', password: 'another password' } },
  inviteUser: { body: { name: 'Ada', email: '{free_email}' } },
  acceptInvitation: { body: { token: '{invitation_token}', password: 'another password' } },
  requestEmailChange: { body: { email: '{free_email}' } },
  confirmEmailChange: { body: { token: '{email_change_token}' } },
  undoEmailChange: { body: { token: '{email_undo_token}' } },
  confirmEmail: { body: { token: '{verification_token}' } },
  readEvents: { query: { user_id: '{user_id}', after: '{event_cursor}' } },
  readRevocations: { query: { after: '{revocation_cursor}' } },
  replayWebhook: { body: { after: '{event_cursor}' } },
}

/**
 * Our routes for `findTenantLeaks`, from the OpenAPI document. Their objects are those of `createTenant`.
 *
 * @param prefix the path under which they are mounted
 * @example const routes = await listClienteleRoutes(clientele, '/api/v1')
 */
export async function listClienteleRoutes(
  clientele: Clientele,
  prefix = '',
): Promise<TestedRoute[]> {
  const objects = ['email', 'refresh_token', 'challenge']
  return routesFromOpenApi(await clientele.openApi(), { prefix, objects, changes })
}
