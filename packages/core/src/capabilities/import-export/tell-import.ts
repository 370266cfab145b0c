import type { Call } from '../../base/call/call.ts'
import { type NewEvent, newEvent } from '../events/new-event.ts'
import type { ImportPolicy } from './import-policy.ts'
import type { ImportExportServices } from './services.ts'
import type { WrittenUser } from './store.ts'

/**
 * Makes the events of users that a batch has written, in the order of their ids: one for all, or one for each. A user
 * who was there before and changes always gets an event: it says who was changed, and ends tokens of remote validators.
 */
export function tellImport(
  services: ImportExportServices,
  call: Call,
  { hasEventPerUser }: Pick<ImportPolicy, 'hasEventPerUser'>,
  users: readonly WrittenUser[],
): NewEvent[] {
  if (hasEventPerUser) return users.map((written) => tellUser(services, call, written))
  const firstId = users[0]?.user.id ?? ''
  const data = { count: users.length, firstId, lastId: users.at(-1)?.user.id ?? firstId }
  const changedUsers = users.filter(({ isNew, changed }) => !isNew && changed.length > 0)
  return [
    newEvent(services, call, 'users.imported', call.accountId, data),
    ...changedUsers.map((written) => tellUser(services, call, written)),
  ]
}

function tellUser(
  services: ImportExportServices,
  call: Call,
  { user, isNew, changed }: WrittenUser,
): NewEvent {
  if (isNew) return newEvent(services, call, 'user.created', user.id, {}, { user })
  const isSwitched = changed.length === 1 && changed[0] === 'isActive'
  if (!isSwitched)
    return newEvent(
      services,
      call,
      'user.updated',
      user.id,
      { changed, keptSessionId: undefined, revokedTokens: undefined },
      { user },
    )
  const type = user.isActive ? 'user.activated' : 'user.deactivated'
  return newEvent(services, call, type, user.id, {}, { user })
}
