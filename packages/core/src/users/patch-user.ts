import { setTimeout as sleep } from 'node:timers/promises'
import { findAccountRules } from '../accounts/find-account.ts'
import type { Call } from '../call.ts'
import { ClienteleError } from '../errors.ts'
import { parseInput } from '../input/input.ts'
import type { JsonObject, JsonValue } from '../input/json.ts'
import type { Services } from '../services.ts'
import type { ClientUser, Profile } from './client-user.ts'
import { emptyOf, mapProfile, type ProfileFieldName } from './fields.ts'
import { findUser } from './find-user.ts'
import { hasSameProfile, storeChanges } from './replace-user.ts'
import { toClientUser, toStoredProfile, type VersionedUser } from './stored-user.ts'
import { type CheckedPatch, type CheckedReplace, checkAccountRules } from './user-input.ts'

const maxAttempts = 20
/** The longest pause between two attempts, in milliseconds: other processes patch the same user. */
const maxPauseMs = 20

/**
 * Changes what the patch names (JSON Merge Patch, RFC 7396); where that changes nothing, nothing is written. Without an expected version it is applied to whatever the
 * user is at that moment: of patches at once, each is kept.
 *
 * @throws ClienteleError `validation_failed`, `user_not_found`, `email_taken`, `precondition_failed`, `overloaded`
 */
export async function patchUser(
  services: Services,
  call: Call,
  userId: string,
  patch: CheckedPatch,
  expectedVersion: number | null,
  keepSessionId?: string,
): Promise<VersionedUser> {
  const { passwords, passwordPolicy, mutex, userSchemas } = services
  const account = await findAccountRules(services, call)
  let passwordHash: string | undefined

  /** Answers with undefined when another change of the user came between reading and writing. */
  async function attempt(): Promise<VersionedUser | undefined> {
    const before = await findUser(services, call, userId)
    const { version } = before
    const user = toClientUser(before.user)
    if (expectedVersion !== null && version !== expectedVersion)
      throw new ClienteleError('precondition_failed')
    const patched = parseInput(userSchemas.replace, applyPatch(user, patch))
    const { password, isActive = user.isActive } = patched
    const isHashed = passwordHash !== undefined
    const input = { roles: patched.roles, password: isHashed ? undefined : password }
    await checkAccountRules(account, passwordPolicy, input)
    const isSame = isActive === user.isActive && hasSameProfile(patched, user)
    if (isSame && password === undefined) return before
    if (password !== undefined) passwordHash ??= await passwords.hash(account.id, password)
    const changes = {
      ...toStoredProfile(patched),
      isActive: isActive === user.isActive ? undefined : isActive,
      passwordHash,
      keepSessionId,
    }
    try {
      return await storeChanges(services, call, userId, changes, version, before)
    } catch (error) {
      const isRaced = error instanceof ClienteleError && error.code === 'precondition_failed'
      if (isRaced && expectedVersion === null) return undefined
      throw error
    }
  }

  // Only those who met take turns: nobody waits behind a patch that the database keeps waiting.
  return (await attempt()) ?? mutex.take(`${account.id} ${userId}`, () => persist(attempt))
}

async function persist(attempt: () => Promise<VersionedUser | undefined>): Promise<VersionedUser> {
  for (let count = 1; count < maxAttempts; count++) {
    const patched = await attempt()
    if (patched !== undefined) return patched
    await sleep(Math.random() * maxPauseMs)
  }
  const message = 'Too many change this user at once: try again shortly.'
  throw new ClienteleError('overloaded', message, { retryAfterSeconds: 1 })
}

function applyPatch(user: ClientUser, patch: CheckedPatch): CheckedReplace {
  const { password, isActive } = patch
  const profile = mapProfile<Profile>((name) => patchField(name, user[name], patch[name]))
  return { ...profile, password, isActive }
}

/** What is missing stays; null stands for what is empty; objects are merged. */
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
