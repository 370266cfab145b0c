import type { z } from 'zod'
import type { Call } from '../../base/call/call.ts'
import { ClienteleError } from '../../base/errors.ts'
import { newEvent } from '../events/new-event.ts'
import { findUser } from '../users/find-user.ts'
import { type Identity, type linkIdentitySchema, maxIdentities, toIdentity } from './identity.ts'
import type { IdentitiesServices } from './services.ts'

/**
 * Links an identity to a user. If the user already has it, nothing changes and no event is written.
 *
 * @throws ClienteleError `user_not_found`, `identity_taken`, `identity_limit_reached`
 */
export async function linkIdentity(
  services: IdentitiesServices,
  call: Call,
  userId: string,
  name: z.output<typeof linkIdentitySchema>,
): Promise<{ identity: Identity; isNew: boolean }> {
  const { repository, events, newId, clock } = services
  const { user } = await findUser(services, call, userId)
  const identity = { id: newId(), userId, ...name, createdAt: clock() }
  const data = { identityId: identity.id, revokedCredentials: false, keptSessionId: undefined }
  const person = { user, identity: name }
  const event = newEvent(services, call, 'identity.linked', userId, data, person)
  const write = { maximum: maxIdentities, event }
  const outcome = await repository.identities.link(call.accountId, identity, write)
  if (typeof outcome === 'object') return { identity: toIdentity(outcome), isNew: false }
  if (outcome !== 'linked') throw new ClienteleError(outcome)
  events.emit(event)
  const { id, createdAt } = identity
  return { identity: toIdentity({ id, ...name, createdAt, lastUsedAt: null }), isNew: true }
}
