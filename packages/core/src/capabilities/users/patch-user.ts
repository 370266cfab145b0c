import type { Call } from '../../base/call/call.ts'
import { parseInput } from '../../base/input/input.ts'
import type { JsonObject, JsonValue } from '../../base/input/json.ts'
import type { ClientUser, Profile } from '../../user-model/client-user.ts'
import { emptyOf, mapProfile, type ProfileFieldName } from '../../user-model/fields.ts'
import { toClientUser, type VersionedUser } from '../../user-model/stored-user.ts'
import { findAccountRules } from '../accounts/find-account.ts'
import { hashFor } from '../passwords/hash-for.ts'
import { changeUser, checkPasswordOptions, type PasswordOptions } from './change-user.ts'
import { hashFirst } from './hash-password.ts'
import type { UsersServices } from './services.ts'
import { type CheckedPatch, type CheckedReplace, checkAccountRules } from './user-input.ts'

/**
 * Applies a JSON Merge Patch (RFC 7396); without an effect nothing is written. Without an expected version it is
 * applied to the user's latest state: concurrent patches are all applied.
 *
 * @throws ClienteleError `validation_failed`, `user_not_found`, `email_taken`, `precondition_failed`, `overloaded`
 */
export async function patchUser(
  services: UsersServices,
  call: Call,
  userId: string,
  patch: CheckedPatch,
  expectedVersion: number | null,
  options: PasswordOptions = {},
): Promise<VersionedUser> {
  const { passwordPolicy, userSchemas } = services
  checkPasswordOptions(options, patch.password)
  let passwordHash = await hashFirst(services, call, patch.password)
  const account = await findAccountRules(services, call)
  return changeUser(services, call, userId, expectedVersion, async (before) => {
    const next = applyPatch(toClientUser(before.user), patch)
    const patched = parseInput(userSchemas.patched(patch), next)
    const { password, isActive } = patched
    const roles = patch.roles === undefined ? [] : patched.roles
    const isBreachChecked = passwordHash !== undefined
    await checkAccountRules(account, passwordPolicy, { roles, password, isBreachChecked })
    if (password !== undefined) passwordHash ??= await hashFor(services, call, password)
    return { profile: patched, isActive, passwordHash, options }
  })
}

function applyPatch(user: ClientUser, patch: CheckedPatch): CheckedReplace {
  const { password, isActive } = patch
  const profile = mapProfile<Profile>((name) => patchField(name, user[name], patch[name]))
  return { ...profile, password, isActive }
}

/** Missing members stay; null stands for the empty value; objects are merged. */
function patchField(
  name: ProfileFieldName,
  value: JsonValue,
  patch: JsonValue | undefined,
): unknown {
  if (patch === undefined) return value
  if (patch === null) return emptyOf(name)
  return isJsonObject(patch) ? mergePatch(value, patch) : patch
}

function isJsonObject(value: JsonValue): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function mergePatch(target: JsonValue, patch: JsonObject): JsonObject {
  const merged: JsonObject = isJsonObject(target) ? { ...target } : {}
  for (const [name, value] of Object.entries(patch)) {
    if (value === null) delete merged[name]
    else if (isJsonObject(value)) merged[name] = mergePatch(merged[name] ?? null, value)
    else merged[name] = value
  }
  return merged
}
