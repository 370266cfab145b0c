import { byUser, type Call } from '../../base/call/call.ts'
import type { StoredUser } from '../../user-model/stored-user.ts'
import { type EventMaker, type NewEvent, newEvent } from '../events/new-event.ts'

/** Makes the events about everything that the first proof of an address ends, or an identity provider that takes a user over. */
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
  return createEndings(services, (user) => byUser(call, user.id), 'address_proved')
}

/** The identity provider that takes the user over is the actor. */
export function createTakeoverEvents(services: EventMaker, call: Call): FirstProofEvents {
  return createEndings(services, () => call, 'taken_over')
}

function createEndings(
  services: EventMaker,
  callOf: (user: StoredUser) => Call,
  reason: 'address_proved' | 'taken_over',
): FirstProofEvents {
  return {
    factorsRemoved: (user) =>
      newEvent(services, callOf(user), 'two_factor.removed', user.id, {}, { user }),
    passkeyRemoved: (user, passkeyId) =>
      newEvent(services, callOf(user), 'passkey.removed', user.id, { passkeyId }, { user }),
    unlinked: (user, { id: identityId, issuer, subject }) => {
      const person = { user, identity: { issuer, subject } }
      return newEvent(services, callOf(user), 'identity.unlinked', user.id, { identityId }, person)
    },
    userTokensRevoked: (user, tokenIds) =>
      newEvent(services, callOf(user), 'user_token.revoked', user.id, { tokenIds, reason }),
  }
}
