import { type CallInput, readCall } from '../../base/call/call.ts'
import { readId, readOptions } from '../../base/input/call-arguments.ts'
import { changeOptionsSchema, replaceOptionsSchema } from '../../base/input/call-options.ts'
import { parseInput } from '../../base/input/input.ts'
import type { UserResult } from '../../user-model/client-user.ts'
import { toUserResult } from '../../user-model/stored-user.ts'
import { withRules } from '../accounts/find-account.ts'
import { createUser } from './create-user.ts'
import { deleteUser } from './delete-user.ts'
import { findUser } from './find-user.ts'
import { listUsers, toUserList, type UserList } from './list-users.ts'
import { type ListUsersInput, listUsersSchema } from './page.ts'
import { patchUser } from './patch-user.ts'
import { replaceUser } from './replace-user.ts'
import type { UsersServices } from './services.ts'
import { setUserActive } from './set-user-active.ts'
import type { CreateUserInput, PatchUserInput, ReplaceUserInput } from './user-input.ts'

/** Conditions and options of a change. */
export interface ChangeOptions {
  /** The version that the user must still have, otherwise `precondition_failed`. @default any */
  ifVersion?: number
}

export interface ReplaceOptions extends ChangeOptions {
  /** The session that survives a new password, which ends all others. One of an impersonation never does. @default none */
  keepSessionId?: string
  /** Whether a new password ends the user's own tokens, too, which otherwise live on. Needs a password. @default false */
  revokeTokens?: boolean
}

/**
 * An account's users. Methods that change a user return its new state and version.
 *
 * @example
 * const { user } = await clientele.users.create(accountId, {
 *   name: 'Ada Lovelace', email: 'ada@example.com', password: 'correct horse battery staple',
 * })
 * const { version } = await clientele.users.find(accountId, user.id)
 * await clientele.users.patch(accountId, user.id, { roles: ['admin'] }, { ifVersion: version })
 * const { data, total } = await clientele.users.list(accountId, { role: 'admin', limit: 50 })
 */
export interface UsersApi {
  /**
   * Creates a user and returns its first version. Without a password, where the account's policy allows it, the user
   * signs in by other means, or after a reset. Supports `idempotencyKey` of the call.
   *
   * @example await clientele.users.create({ accountId, idempotencyKey: 'order-1' }, { name, email, password })
   * @throws ClienteleError `validation_failed`, `email_taken`, `account_not_found`; `overloaded` when too many password
   *   hashes are waiting; `idempotency_in_progress`, `idempotency_key_reused`
   */
  create(call: CallInput, input: CreateUserInput): Promise<UserResult>
  /**
   * Reads a user and its version.
   *
   * @throws ClienteleError `user_not_found`
   */
  find(call: CallInput, userId: string): Promise<UserResult>
  /**
   * Lists users, oldest first unless `sort` is given: a page of 10, at most 100, with the exact total. An account that
   * does not exist has no users.
   *
   * @throws ClienteleError `validation_failed`
   */
  list(call: CallInput, input?: ListUsersInput): Promise<UserList>
  /**
   * Replaces the whole user: missing roles and metadata become empty, a missing password stays. A new password or a
   * deactivation ends the user's sessions.
   *
   * @throws ClienteleError `user_not_found`, `email_taken`, `precondition_failed`, `validation_failed`,
   *   `account_not_found`, `overloaded`
   */
  replace(
    call: CallInput,
    userId: string,
    input: ReplaceUserInput,
    options?: ReplaceOptions,
  ): Promise<UserResult>
  /**
   * Changes the given members and keeps the others: JSON Merge Patch (RFC 7396). A patch without an effect keeps
   * version and time. Concurrent patches are all applied.
   *
   * @throws ClienteleError `user_not_found`, `email_taken`, `precondition_failed`, `validation_failed`,
   *   `account_not_found`, `overloaded`
   */
  patch(
    call: CallInput,
    userId: string,
    input: PatchUserInput,
    options?: ReplaceOptions,
  ): Promise<UserResult>
  /**
   * Activates a user, who can then sign in again. Supports `idempotencyKey` of the call.
   *
   * @throws ClienteleError `user_not_found`, `idempotency_in_progress`, `idempotency_key_reused`
   */
  activate(call: CallInput, userId: string): Promise<UserResult>
  /**
   * Deactivates a user: the user cannot sign in, their sessions end, and their tokens are no longer valid. Supports
   * `idempotencyKey` of the call.
   *
   * @throws ClienteleError `user_not_found`, `idempotency_in_progress`, `idempotency_key_reused`
   */
  deactivate(call: CallInput, userId: string): Promise<UserResult>
  /**
   * Deletes a user with their sessions and secrets. Permanent.
   *
   * @throws ClienteleError `user_not_found`, `precondition_failed`
   */
  delete(call: CallInput, userId: string, options?: ChangeOptions): Promise<void>
  /**
   * Returns when the user's present address was verified; null: it is not verified.
   *
   * @throws ClienteleError `user_not_found`
   */
  getEmailVerifiedAt(call: CallInput, userId: string): Promise<Date | null>
}

/** Methods that are implemented in email-tokens, which stores when an address was verified */
export type EmailVerificationMethods = Pick<UsersApi, 'getEmailVerifiedAt'>

export function createUsersApi(services: UsersServices): {
  users: Omit<UsersApi, keyof EmailVerificationMethods>
} {
  const { userSchemas } = services
  return {
    users: {
      create: async (call, input) => {
        const read = readCall(services, call)
        const ruled = Object(input).password === undefined ? await withRules(services, read) : read
        const { createAnyhow, create } = userSchemas
        const schema = ruled.rules?.passwordRequired === false ? createAnyhow : create
        return toUserResult(await createUser(services, ruled, parseInput(schema, input)))
      },
      find: async (call, userId) =>
        toUserResult(await findUser(services, readCall(services, call), readId({ userId }))),
      list: async (call, input = {}) =>
        toUserList(
          await listUsers(services, readCall(services, call), parseInput(listUsersSchema, input)),
        ),
      replace: async (call, userId, input, options) => {
        const { ifVersion = null, ...given } = readOptions(replaceOptionsSchema, options)
        const user = readId({ userId })
        const checked = parseInput(userSchemas.replace, input)
        const read = readCall(services, call)
        const changed = await replaceUser(services, read, user, checked, ifVersion, given)
        return toUserResult(changed)
      },
      patch: async (call, userId, input, options) => {
        const { ifVersion = null, ...given } = readOptions(replaceOptionsSchema, options)
        const user = readId({ userId })
        const checked = parseInput(userSchemas.patch, input)
        const read = readCall(services, call)
        const changed = await patchUser(services, read, user, checked, ifVersion, given)
        return toUserResult(changed)
      },
      activate: async (call, userId) =>
        toUserResult(
          await setUserActive(services, readCall(services, call), readId({ userId }), true),
        ),
      deactivate: async (call, userId) =>
        toUserResult(
          await setUserActive(services, readCall(services, call), readId({ userId }), false),
        ),
      delete: async (call, userId, options) => {
        const { ifVersion = null } = readOptions(changeOptionsSchema, options)
        return deleteUser(services, readCall(services, call), readId({ userId }), ifVersion)
      },
    },
  }
}
