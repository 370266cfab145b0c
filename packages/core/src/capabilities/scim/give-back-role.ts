import type { Call } from '../../base/call/call.ts'
import { isRefusedByHook } from '../hooks/ask-hooks.ts'
import { changeRoles } from './change-roles.ts'
import type { ScimServices } from './services.ts'

/**
 * Gives users the role of a group that another process has changed, so that it was not deleted: they have lost it. Users
 * whom a hook refuses stay without.
 */
export async function giveBackRole(
  services: ScimServices,
  call: Call,
  groupId: string,
  userIds: ReadonlySet<string>,
): Promise<void> {
  const group = await services.repository.scim.findGroup(call.accountId, groupId)
  if (group === undefined) return
  const change = (roles: readonly string[]) => [...new Set([...roles, group.role])]
  for (const userId of userIds) {
    try {
      await changeRoles(services, call, { userId, change })
    } catch (error) {
      if (!isRefusedByHook(error)) throw error
    }
  }
}
