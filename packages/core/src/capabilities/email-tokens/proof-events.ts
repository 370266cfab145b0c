import { byUser, type Call } from '../../base/call/call.ts'
import { type EventMaker, newEvent } from '../events/new-event.ts'
import { createFirstProofEvents } from '../users/first-proof-events.ts'
import type { ProofEvents } from './store.ts'

/** Makes the events of proving an address with an e-mail token. */
export function createProofEvents(services: EventMaker, call: Call): ProofEvents {
  return {
    ...createFirstProofEvents(services, call),
    verified: (user, revokedCredentials) => {
      const ofUser = byUser(call, user.id)
      const data = { revokedCredentials, keptSessionId: undefined }
      return newEvent(services, ofUser, 'user.email_verified', user.id, data, { user })
    },
  }
}
