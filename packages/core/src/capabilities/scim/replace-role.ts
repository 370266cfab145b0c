import type { Call } from '../../base/call/call.ts'
import { ClienteleError } from '../../base/errors.ts'
import { isRefusedByHook } from '../hooks/ask-hooks.ts'
import { type AskedVersions, changeRoles, insteadOf } from './change-roles.ts'
import { maxChangedMembers } from './scim-group.ts'
import type { ScimServices } from './services.ts'

/** How many members are listed at once */
const listedAtOnce = 200

/** A role of users in place of another one. */
export interface Replacement {
  role: string
  /** Undefined: they lose the role */
  next: string | undefined
  /** Another process may have finished it, and have given the role to other users since. */
  isDue: () => Promise<boolean>
  asked?: AskedVersions | undefined
  /** Gets the ids of those who were changed */
  changed?: Set<string>
}

/** Users who keep their role, by id, and what a hook said about them */
export type Refusals = Map<string, ClienteleError>

/**
 * Replaces a role of all its users by another one, or takes it from them.
 *
 * @param refusals gets those whom a hook refuses; undefined: the first refusal is thrown
 * @throws ClienteleError `scim_group_unfinished` after 2,000 users: a repeat goes on with the rest
 */
export async function replaceRole(
  services: ScimServices,
  call: Call,
  { role, next, isDue, asked, changed }: Replacement,
  refusals?: Refusals,
): Promise<void> {
  const { scim } = services.repository
  const kept: Refusals = refusals ?? new Map()
  const list = async (limit: number) =>
    (await scim.listMembers(call.accountId, role, limit + kept.size)).filter(
      ({ id }) => !kept.has(id),
    )
  const replace = async (id: string): Promise<void> => {
    const given = insteadOf(id, role, next)
    // Asked after the user is read: a change that comes after the answer is one of the user, too.
    const change = async (roles: readonly string[]) =>
      (await isDue()) ? given.change(roles) : [...roles]
    try {
      await changeRoles(services, call, { ...given, change }, asked)
      changed?.add(id)
    } catch (error) {
      if (!isRefusedByHook(error) || refusals === undefined) throw error
      refusals.set(id, error)
    }
  }
  for (let count = 0; count < maxChangedMembers; count += listedAtOnce) {
    const members = (await isDue()) ? await list(listedAtOnce) : []
    for (const { id } of members) await replace(id)
    if (members.length < listedAtOnce) return
  }
  if ((await list(1)).length > 0) throw unfinished()
}

export function unfinished(): ClienteleError {
  return new ClienteleError('scim_group_unfinished', undefined, { retryAfterSeconds: 1 })
}
