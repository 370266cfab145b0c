import { ClienteleError } from '../../base/errors.ts'
import { lowestId } from '../../base/input/id.ts'
import { isRefusedByHook } from '../hooks/ask-hooks.ts'
import { type AskedVersions, changeRoles, insteadOf } from './change-roles.ts'
import type { TurnCall } from './group-turn.ts'
import { maxChangedMembers } from './scim-group.ts'
import type { ScimServices } from './services.ts'

/** How many members are listed at once */
const listedAtOnce = 200

/** A role of users in place of another one. */
export interface Replacement {
  role: string
  /** Undefined: they lose the role */
  next: string | undefined
  asked: AskedVersions
  /** The member after whom it begins, by id. @default the first */
  after?: string
}

/**
 * Replaces a role of all its users by another one, or takes it from them. It stops after 2,000 users.
 *
 * @param refusals gets why some may not have the next role: they keep theirs; undefined: the first refusal is thrown
 * @returns the last of these users, by id, if more are left; undefined: none are
 */
export async function replaceRole(
  services: ScimServices,
  call: TurnCall,
  { role, next, asked, after = lowestId }: Replacement,
  refusals?: ClienteleError[],
): Promise<string | undefined> {
  const { scim } = services.repository
  let last = after
  const replace = async (id: string): Promise<void> => {
    try {
      await changeRoles(services, call, insteadOf(id, role, next), asked)
    } catch (error) {
      if (refusals === undefined || !isRefused(error)) throw error
      refusals.push(error)
    }
    last = id
  }
  for (let count = 0; count < maxChangedMembers; count += listedAtOnce) {
    const members = await scim.listMembers(call.accountId, role, listedAtOnce, last)
    for (const { id } of members) await replace(id)
    if (members.length < listedAtOnce) return undefined
  }
  const left = await scim.listMembers(call.accountId, role, 1, last)
  return left.length > 0 ? last : undefined
}

/** By a hook, or by the rules for users: the host may have changed them since a rename began. */
function isRefused(error: unknown): error is ClienteleError {
  const isInvalid = error instanceof ClienteleError && error.code === 'validation_failed'
  return isInvalid || isRefusedByHook(error)
}

export function unfinished(): ClienteleError {
  return new ClienteleError('scim_group_unfinished', undefined, { retryAfterSeconds: 1 })
}
