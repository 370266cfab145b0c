import { ClienteleError } from '../../base/errors.ts'
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
}

/** Users who keep their role, by id, and the reasons */
export type Refusals = Map<string, ClienteleError>

/**
 * Replaces a role of all its users by another one, or takes it from them.
 *
 * @param refusals gets those who may not have the next role; undefined: the first refusal is thrown
 * @throws ClienteleError `scim_group_unfinished` after 2,000 users: a repeat goes on with the rest
 */
export async function replaceRole(
  services: ScimServices,
  call: TurnCall,
  { role, next, asked }: Replacement,
  refusals?: Refusals,
): Promise<void> {
  const { scim } = services.repository
  const kept: Refusals = refusals ?? new Map()
  const list = async (limit: number) =>
    (await scim.listMembers(call.accountId, role, limit + kept.size)).filter(
      ({ id }) => !kept.has(id),
    )
  const replace = async (id: string): Promise<void> => {
    try {
      await changeRoles(services, call, insteadOf(id, role, next), asked)
    } catch (error) {
      if (refusals === undefined || !isRefused(error)) throw error
      refusals.set(id, error)
    }
  }
  for (let count = 0; count < maxChangedMembers; count += listedAtOnce) {
    const members = await list(listedAtOnce)
    for (const { id } of members) await replace(id)
    if (members.length < listedAtOnce) return
  }
  if ((await list(1)).length > 0) throw unfinished()
}

/** By a hook, or by the rules for users: the host may have changed them since a rename began. */
function isRefused(error: unknown): error is ClienteleError {
  const isInvalid = error instanceof ClienteleError && error.code === 'validation_failed'
  return isInvalid || isRefusedByHook(error)
}

export function unfinished(): ClienteleError {
  return new ClienteleError('scim_group_unfinished', undefined, { retryAfterSeconds: 1 })
}
