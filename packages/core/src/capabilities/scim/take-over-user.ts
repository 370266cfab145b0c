import type { Call } from '../../base/call/call.ts'
import type { FurtherUserMember } from '../events/event-types.ts'
import type { NextUser } from '../users/change-user.ts'
import { createTakeoverEvents } from '../users/first-proof-events.ts'
import type { StoredScimNames } from './scim-user.ts'
import type { ScimServices } from './services.ts'

/**
 * What ends when an identity provider takes over a user whose address nobody has proved. A stranger may have registered the
 * address, and would have the roles that the provider gives to the person.
 */
export function takeOver(
  services: ScimServices,
  call: Call,
  names: StoredScimNames,
  changed: readonly FurtherUserMember[] = [],
): Pick<NextUser, 'dropsPassword' | 'further'> {
  const { repository, events } = services
  return {
    dropsPassword: true,
    further: {
      changed,
      replace: async (...input) => {
        const takeoverEvents = createTakeoverEvents(services, call)
        const outcome = await repository.scim.takeOverUser(...input, names, takeoverEvents)
        if (typeof outcome === 'string') return outcome
        for (const event of outcome.ended) events.emit(event)
        return outcome.changed
      },
    },
  }
}
