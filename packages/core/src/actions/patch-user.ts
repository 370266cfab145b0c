import type { AccountRules } from '../domain/account.ts'
import type { VersionedUser } from '../domain/client-user.ts'
import { parseInput } from '../domain/input.ts'
import type { JsonObject, JsonValue } from '../domain/json.ts'
import { ClienteleError } from '../errors.ts'
import { findUser } from './find-user.ts'
import { replaceUser } from './replace-user.ts'
import type { Services } from './services.ts'
import type { CheckedPatch, UserSchemas } from './user-input.ts'

const maxAttempts = 10

/**
 * Changes what the patch names (JSON Merge Patch, RFC 7396). Without an expected version it is applied to whatever the
 * user is at that moment: two patches at once are both kept.
 *
 * @throws ClienteleError `validation_failed`, `user_not_found`, `email_taken`, `precondition_failed`, `overloaded`
 */
export async function patchUser(
  services: Services,
  schemas: UserSchemas,
  account: AccountRules,
  userId: string,
  patch: CheckedPatch,
  expectedVersion: number | null,
  keepSessionId?: string,
): Promise<VersionedUser> {
  for (let attempt = 1; ; attempt++) {
    const { user, version } = await findUser(services, account.id, userId)
    if (expectedVersion !== null && version !== expectedVersion)
      throw new ClienteleError('precondition_failed')
    const merged = parseInput(schemas.replace, {
      name: patch.name ?? user.name,
      email: patch.email ?? user.email,
      password: patch.password,
      roles: patch.roles === undefined ? user.roles : (patch.roles ?? []),
      metadata:
        patch.metadata === undefined
          ? user.metadata
          : mergePatch(user.metadata, patch.metadata ?? {}, patch.metadata === null),
    })
    try {
      return await replaceUser(services, account, userId, merged, version, keepSessionId)
    } catch (error) {
      const raced = error instanceof ClienteleError && error.code === 'precondition_failed'
      if (!raced || expectedVersion !== null || attempt === maxAttempts) throw error
    }
  }
}

function mergePatch(target: JsonValue, patch: JsonObject, clears: boolean): JsonObject {
  const isObject = typeof target === 'object' && target !== null && !Array.isArray(target)
  const merged: JsonObject = isObject && !clears ? { ...target } : {}
  for (const [name, value] of Object.entries(patch)) {
    if (value === null) delete merged[name]
    else if (typeof value === 'object' && !Array.isArray(value))
      merged[name] = mergePatch(merged[name] ?? null, value, false)
    else merged[name] = value
  }
  return merged
}
