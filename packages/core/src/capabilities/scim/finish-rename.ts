import type { ClienteleError } from '../../base/errors.ts'
import { lowestId } from '../../base/input/id.ts'
import type { AskedVersions } from './change-roles.ts'
import type { TurnCall } from './group-turn.ts'
import { replaceRole, unfinished } from './replace-role.ts'
import type { StoredScimGroup } from './scim-group.ts'
import type { ScimServices } from './services.ts'

/**
 * Gives the members whom a rename has left with the former role the new one. Every request that writes a group does so first, as the
 * process that has renamed it may be gone. Users who may not have the new role keep the former one.
 *
 * @returns why the first of them may not
 * @throws ClienteleError `scim_group_unfinished`, `hook_unavailable`, `overloaded`
 */
export async function finishRename(
  services: ScimServices,
  call: TurnCall,
  { id, role, formerRole, formerAfter, version }: StoredScimGroup,
  asked: AskedVersions = new Map(),
): Promise<ClienteleError | undefined> {
  if (formerRole === null) return undefined
  const refusals: ClienteleError[] = []
  const replacement = { role: formerRole, next: role, asked, after: formerAfter ?? lowestId }
  const last = await replaceRole(services, call, replacement, refusals)
  const { scim } = services.repository
  await call.stayAdmitted()
  if (last !== undefined) {
    // The next request must not begin with those who have been refused.
    await scim.noteFormer(call.accountId, id, version, last)
    throw unfinished()
  }
  await scim.forgetFormerRole(call.accountId, id, version)
  return refusals[0]
}

/** A group that gets the former role of another one would get the members who are left there. */
export async function finishRenameFrom(
  services: ScimServices,
  call: TurnCall,
  role: string,
): Promise<void> {
  const renamed = await services.repository.scim.findRenamedFrom(call.accountId, role)
  if (renamed !== undefined) await finishRename(services, call, renamed)
}
