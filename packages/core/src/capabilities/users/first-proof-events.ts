import { byUser, type Call } from '../../base/call/call.ts'
import type { StoredUser } from '../../user-model/stored-user.ts'
import { type EventMaker, type NewEvent, newEvent } from '../events/new-event.ts'

/** Makes the events about everything that the first proof of an address ends. */
export interface FirstProofEvents {
  factorsRemoved(user: StoredUser): NewEvent<'two_factor.removed'>
  passkeyRemoved(user: StoredUser, passkeyId: string): NewEvent<'passkey.removed'>
  unlinked(
    user: StoredUser,
    identity: { id: string; issuer: string; subject: string },
  ): NewEvent<'identity.unlinked'>
  userTokensRevoked(user: StoredUser, tokenIds: string[]): NewEvent<'user_token.revoked'>
}

/** The user who proves the address is the actor. */
export function createFirstProofEvents(services: EventMaker, call: Call): FirstProofEvents {
  return {
    factorsRemoved: (user) =>
      newEvent(services, byUser(call, user.id), 'two_factor.removed', user.id, {}, { user }),
    passkeyRemoved: (user, passkeyId) => {
      const ofUser = byUser(call, user.id)
      return newEvent(services, ofUser, 'passkey.removed', user.id, { passkeyId }, { user })
    },
    unlinked: (user, { id: identityId, issuer, subject }) => {
      const ofUser = byUser(call, user.id)
      const person = { user, identity: { issuer, subject } }
      return newEvent(services, ofUser, 'identity.unlinked', user.id, { identityId }, person)
    },
    userTokensRevoked: (user, tokenIds) => {
      const data = { tokenIds, reason: 'address_proved' as const }
      return newEvent(services, byUser(call, user.id), 'user_token.revoked', user.id, data)
    },
  }
}
