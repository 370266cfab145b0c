import { byUser, type Call } from '../../base/call/call.ts'
import type { StoredUser } from '../../user-model/stored-user.ts'
import { type EventMaker, type NewEvent, newEvent } from '../events/new-event.ts'
import { createFirstProofEvents, type FirstProofEvents } from './first-proof-events.ts'

/** The events of a proof of an address. */
export interface ProofEvents extends FirstProofEvents {
  verified(user: StoredUser, isFirst: boolean): NewEvent<'user.email_verified'>
}

/** Makes the events of proving an address with a mailed token. */
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
