import { type CallInput, readCall } from '../../base/call/call.ts'
import { readId } from '../../base/input/call-arguments.ts'
import { parseInput } from '../../base/input/input.ts'
import { type Identity, type LinkIdentityInput, linkIdentitySchema } from './identity.ts'
import { linkIdentity } from './link-identity.ts'
import { listIdentities } from './list-identities.ts'
import type { IdentitiesServices } from './services.ts'
import { unlinkIdentity } from './unlink-identity.ts'

/**
 * Links between users and their identities at other issuers. With an identity a user signs in by an ID token. A trusted
 * issuer with `userLookup: 'identity'` finds the user of its tokens by it.
 *
 * @example
 * const google = { issuer: 'https://accounts.google.com', subject: '110169484474386276334' }
 * const { id } = await clientele.identities.link(accountId, userId, google)
 * await clientele.identities.unlink(accountId, userId, id)
 */
export interface IdentitiesApi {
  /**
   * Lists a user's identities, oldest first.
   *
   * @throws ClienteleError `user_not_found`
   */
  list(call: CallInput, userId: string): Promise<Identity[]>
  /**
   * Links an identity to a user, who has at most 20; issuer and subject are 1 to 255 characters and are not normalised.
   * If the user already has the identity, it is returned unchanged.
   *
   * @throws ClienteleError `user_not_found`; `identity_taken` when another user of the account has it;
   *   `identity_limit_reached`, `validation_failed`
   */
  link(call: CallInput, userId: string, input: LinkIdentityInput): Promise<Identity>
  /**
   * Unlinks an identity from a user. The sessions that it has opened stay.
   *
   * @throws ClienteleError `user_not_found`, `identity_not_found`
   */
  unlink(call: CallInput, userId: string, identityId: string): Promise<void>
}

export function createIdentitiesApi(services: IdentitiesServices): { identities: IdentitiesApi } {
  return {
    identities: {
      list: async (call, userId) =>
        listIdentities(services, readCall(services, call), readId({ userId })),
      link: async (call, userId, input) => {
        const name = parseInput(linkIdentitySchema, input)
        const linked = await linkIdentity(
          services,
          readCall(services, call),
          readId({ userId }),
          name,
        )
        return linked.identity
      },
      unlink: async (call, userId, identityId) =>
        unlinkIdentity(
          services,
          readCall(services, call),
          readId({ userId }),
          readId({ identityId }),
        ),
    },
  }
}
