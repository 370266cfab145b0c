import type { Call } from '../../base/call/call.ts'
import { type NewEvent, newEvent } from '../events/new-event.ts'
import type { ImportPolicy } from './import-policy.ts'
import type { ImportExportServices } from './services.ts'
import type { WrittenUser } from './store.ts'

/**
 * Makes the events of users that a batch has written, in the order of their ids: one for all, or one for each. A user
 * whose tokens end always gets an event, because remote validators learn about that from it.
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
  const shutOut = users.filter(({ isNew, changed }) => !isNew && endsTokens(changed))
  return [
    newEvent(services, call, 'users.imported', call.accountId, data),
    ...shutOut.map((written) => tellUser(services, call, written)),
  ]
}

function endsTokens(changed: WrittenUser['changed']): boolean {
  return changed.includes('password') || changed.includes('isActive')
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
