import type { Call } from '../../base/call/call.ts'
import { ClienteleError, type HttpErrorCode, invalidInput } from '../../base/errors.ts'
import { isSameJson } from '../../base/input/json.ts'
import { changeInTurn } from '../../base/runtime/change-in-turn.ts'
import type { Profile } from '../../user-model/client-user.ts'
import { profileFieldNames, type UserFieldName } from '../../user-model/fields.ts'
import { toClientUser, toStoredProfile, type VersionedUser } from '../../user-model/stored-user.ts'
import type { FurtherUserMember } from '../events/event-types.ts'
import { newEvent } from '../events/new-event.ts'
import { askBeforeUpdate } from '../hooks/ask-hooks.ts'
import { findUser } from './find-user.ts'
import type { UsersServices } from './services.ts'
import type { UserStore } from './store.ts'

/** A change of a user's data in another room, which is written in the same transaction. */
export interface FurtherChange {
  /** The names of the changed members; one of the profile counts as changed also if it is the same again */
  changed: readonly (UserFieldName | FurtherUserMember)[]
  /** Replaces the user and writes this change */
  replace(...input: Parameters<UserStore['replace']>): Promise<VersionedUser | HttpErrorCode>
}

/** What a new password keeps and ends, beside the sessions that it always ends. */
export interface PasswordOptions {
  /** The session that survives */
  keepSessionId?: string | undefined
  /** Whether the user's own tokens end, too */
  revokeTokens?: boolean | undefined
}

/** @throws ClienteleError `validation_failed` if tokens are to end with a password, and none is given */
export function checkPasswordOptions(
  { revokeTokens = false }: PasswordOptions,
  password: string | undefined,
): void {
  if (!revokeTokens || password !== undefined) return
  const message = 'needs a password: the tokens end together with the old one'
  throw invalidInput([{ pointer: '/password', code: 'required', message }])
}

/** The new state of a user. */
export interface NextUser {
  profile: Profile
  /** Undefined: unchanged */
  isActive: boolean | undefined
  /** Undefined: the password stays */
  passwordHash: string | undefined
  /** Whether the password is removed, unless there is a new one */
  dropsPassword?: boolean | undefined
  options?: PasswordOptions | undefined
  further?: FurtherChange | undefined
  /** The version of the user for which `beforeUpdate` has answered about this change; undefined: it is asked */
  askedVersion?: number | undefined
}

/**
 * Changes a user to the result of `next` and writes the event; without an effect nothing is written. Without an
 * expected version `next` gets the user's latest state: concurrent changes are all applied.
 *
 * @throws ClienteleError `user_not_found`, `email_taken`, `precondition_failed`, `overloaded`; `refused_by_hook`,
 *   `hook_unavailable`
 */
export async function changeUser(
  services: UsersServices,
  call: Call,
  userId: string,
  expectedVersion: number | null,
  next: (before: VersionedUser) => Promise<NextUser>,
): Promise<VersionedUser> {
  /** Returns undefined when another change of the user came between reading and writing. */
  async function attempt(): Promise<VersionedUser | undefined> {
    const before = await findUser(services, call, userId)
    if (expectedVersion !== null && before.version !== expectedVersion)
      throw new ClienteleError('precondition_failed')
    try {
      return await store(services, call, before, await next(before))
    } catch (error) {
      const isRaced = error instanceof ClienteleError && error.code === 'precondition_failed'
      if (isRaced && expectedVersion === null) return undefined
      throw error
    }
  }
  return changeInTurn(services, call, { name: 'user', id: userId }, attempt)
}

/**
 * Asks the hook about a change that `changeUser` is to make later, in a request that changes other users, too.
 *
 * @returns the version of the user that it was asked about
 * @throws ClienteleError `user_not_found`, `refused_by_hook`, `hook_unavailable`
 */
export async function askAboutChange(
  services: UsersServices,
  call: Call,
  userId: string,
  next: (before: VersionedUser) => Promise<NextUser>,
): Promise<number> {
  const before = await findUser(services, call, userId)
  const { changed, user } = findEffect(before, await next(before))
  if (changed.length > 0) await askBeforeUpdate(services, call, before.user, user, changed)
  return before.version
}

/** What a change changes, and the user after it */
function findEffect(
  before: VersionedUser,
  { profile, isActive, passwordHash, dropsPassword = false, further }: NextUser,
) {
  const isSwitched = isActive !== undefined && isActive !== before.user.isActive
  const changed: (UserFieldName | 'password' | FurtherUserMember)[] = [
    ...new Set([...findChanges(before, profile), ...(further?.changed ?? [])]),
    ...(isSwitched ? (['isActive'] as const) : []),
    ...(passwordHash !== undefined || dropsPassword ? (['password'] as const) : []),
  ]
  const user = {
    ...before.user,
    ...toStoredProfile(profile),
    isActive: isActive ?? before.user.isActive,
  }
  return { changed, user, isSwitched }
}

async function store(
  services: UsersServices,
  call: Call,
  before: VersionedUser,
  given: NextUser,
): Promise<VersionedUser> {
  const { profile, isActive, passwordHash, dropsPassword = false, options = {}, further } = given
  const { repository, events, clock } = services
  const { id } = before.user
  const { changed, user, isSwitched } = findEffect(before, given)
  if (changed.length === 0) return before
  if (given.askedVersion !== before.version)
    await askBeforeUpdate(services, call, before.user, user, changed)
  const keepsSession = passwordHash !== undefined && !(isSwitched && !isActive)
  const keptSessionId = keepsSession ? await findKept(services, call, id, options) : undefined
  const endsTokens = passwordHash !== undefined && options.revokeTokens === true
  const event =
    isSwitched && changed.length === 1
      ? newEvent(services, call, isActive ? 'user.activated' : 'user.deactivated', id, {})
      : newEvent(services, call, 'user.updated', id, {
          changed,
          keptSessionId,
          revokedTokens: endsTokens ? true : undefined,
        })
  const replace = further?.replace ?? repository.users.replace
  const outcome = await replace(
    call.accountId,
    id,
    {
      ...toStoredProfile(profile),
      isActive: isSwitched ? isActive : undefined,
      passwordHash,
      dropsPassword,
      keepSessionId: keptSessionId,
      endsTokens,
      before,
      updatedAt: clock(),
    },
    before.version,
    event,
  )
  if (typeof outcome === 'string') throw new ClienteleError(outcome)
  events.emit(event, outcome.user)
  return outcome
}

/**
 * The session that survives a new password. One in which support acts as the user ends, as the user does not see it. The id
 * of anything else, such as the `sid` of a program's JWT, would keep that valid for those who follow the revocations.
 */
async function findKept(
  { repository }: UsersServices,
  { accountId }: Call,
  userId: string,
  { keepSessionId }: PasswordOptions,
): Promise<string | undefined> {
  if (keepSessionId === undefined) return undefined
  return (await repository.users.hasOwnSession(accountId, userId, keepSessionId))
    ? keepSessionId
    : undefined
}

function findChanges(before: VersionedUser, profile: Profile): UserFieldName[] {
  const user = toClientUser(before.user)
  return profileFieldNames.filter((name) => !isSameJson([user[name]], [profile[name]]))
}
