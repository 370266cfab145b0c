import type { Call } from '../../base/call/call.ts'
import { ClienteleError } from '../../base/errors.ts'
import { newEvent } from '../events/new-event.ts'
import { findUser } from '../users/find-user.ts'
import type { IdentitiesServices } from './services.ts'

/**
 * Unlinks an identity from a user. The sessions that it has opened stay.
 *
 * @throws ClienteleError `user_not_found`, `identity_not_found`
 */
export async function unlinkIdentity(
  services: IdentitiesServices,
  call: Call,
  userId: string,
  identityId: string,
): Promise<void> {
  const { repository, events } = services
  const { user } = await findUser(services, call, userId)
  const event = await repository.identities.unlink(
    call.accountId,
    userId,
    identityId,
    ({ issuer, subject }) => {
      const person = { user, identity: { issuer, subject } }
      return newEvent(services, call, 'identity.unlinked', userId, { identityId }, person)
    },
  )
  if (event === undefined) throw new ClienteleError('identity_not_found')
  events.emit(event)
}
