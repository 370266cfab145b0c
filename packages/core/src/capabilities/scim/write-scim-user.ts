import type { Call } from '../../base/call/call.ts'
import { ClienteleError } from '../../base/errors.ts'
import { parseInput } from '../../base/input/input.ts'
import { readEmailAddress } from '../../user-model/email-address.ts'
import type { VersionedUser } from '../../user-model/stored-user.ts'
import type { FurtherUserMember } from '../events/event-types.ts'
import { changeUser, type NextUser } from '../users/change-user.ts'
import { createUser } from '../users/create-user.ts'
import { checkAndHash } from '../users/hash-password.ts'
import { profileOf } from './profile-of.ts'
import { type ScimNames, type ScimUser, toScimUser, toStoredNames } from './scim-user.ts'
import type { ScimServices } from './services.ts'
import { takeOver } from './take-over-user.ts'

/** What SCIM says of a user. */
export interface ScimUserInput {
  name: string
  email: string
  /** Undefined: unchanged, and a new user is active */
  isActive: boolean | undefined
  /** Undefined: unchanged, and a new user has none */
  password: string | undefined
  names: ScimNames
}

/**
 * Creates a user with names. The identity provider signs the user in: a password is not needed, whatever the account's
 * policy says.
 *
 * @throws ClienteleError `validation_failed`, `email_taken`, `scim_user_name_taken`, `account_not_found`, `overloaded`
 */
export async function createScimUser(
  services: ScimServices,
  call: Call,
  { name, email, isActive, password, names }: ScimUserInput,
): Promise<ScimUser> {
  const { repository, userSchemas } = services
  const input = parseInput(userSchemas.createAnyhow, { name, email, isActive, password })
  const stored = toStoredNames(names, input.name)
  const created = await createUser(services, call, input, (accountId, user, event) =>
    repository.scim.createUser(accountId, user, stored, event),
  )
  return toScimUser(created, stored)
}

/**
 * Changes a user and the names to the result of `next`, as `changeUser` does. Roles and metadata stay. The first change of a
 * user takes the user over, if nobody has proved the address, or if it gives the user another one.
 *
 * @throws ClienteleError `validation_failed`, `user_not_found`, `email_taken`, `scim_user_name_taken`,
 *   `precondition_failed`, `overloaded`
 */
export async function changeScimUser(
  services: ScimServices,
  call: Call,
  userId: string,
  expectedVersion: number | null,
  next: (before: ScimUser) => ScimUserInput,
): Promise<ScimUser> {
  const { repository, userSchemas } = services
  const { accountId } = call
  let passwordHash: string | undefined
  const changed = await changeUser(services, call, userId, expectedVersion, async (before) => {
    const known = (await repository.scim.findNames(accountId, [userId])).get(userId)
    const given = next(toScimUser(before, known))
    const { name, isActive, password } = given
    const email = known === undefined ? await findMeant(services, call, before, given) : given.email
    const patched = userSchemas.patched({ name, email })
    const input = parseInput(patched, { ...profileOf(before), name, email, isActive, password })
    passwordHash ??= await checkAndHash(services, call, { roles: [], password: input.password })
    const names = toStoredNames(given.names, input.name)
    const after = { ...before, user: { ...before.user, name: input.name } }
    const members = findChanges(toScimUser(before, known).names, toScimUser(after, names).names)
    const changes: NextUser = { profile: input, isActive, passwordHash }
    const isSame =
      members.length === 0 &&
      passwordHash === undefined &&
      input.name === before.user.name &&
      input.email === before.user.email
    // Taking access away asks no hook, and is nothing else: the next change takes the user over.
    if (known === undefined && isSame && isActive === false) return changes
    // A proof of the former address is none of the one that the provider gives: it may have found the user by that.
    const isMoved = input.email !== before.user.email
    if (
      known === undefined &&
      (isMoved || (await repository.scim.findStanding(accountId, userId)) === 'unproven')
    )
      return { ...changes, ...takeOver(services, call, names, members) }
    if (members.length === 0 && known?.fullName === input.name) return changes
    const replace = (...input: Parameters<typeof repository.users.replace>) =>
      repository.scim.replaceUser(...input, names)
    // Names are written for the first time, too: they stay when the e-mail address changes, and tokens that take back a
    // former one end.
    const isSwitched = isActive !== undefined && isActive !== before.user.isActive
    const isAlone = known === undefined && isSame && !isSwitched
    return { ...changes, further: { changed: isAlone ? ['userName'] : members, replace } }
  })
  return withNames(services, call, changed)
}

/**
 * The address of a first change. If it leaves the present one and names a former one as user name, the provider has found the
 * user by that: who has changed it since may be a stranger.
 */
async function findMeant(
  { repository }: ScimServices,
  { accountId }: Call,
  { user }: VersionedUser,
  { email, names }: ScimUserInput,
): Promise<string> {
  const named = readEmailAddress(names.userName)
  if (email !== user.email || named === undefined || named === email) return email
  return (await repository.scim.hadAddress(accountId, user.id, named)) ? named : email
}

function findChanges(before: ScimNames, after: ScimNames): FurtherUserMember[] {
  const members = ['userName', 'externalId', 'givenName', 'familyName'] as const
  return members.filter((member) => before[member] !== after[member])
}

/** @throws ClienteleError `user_not_found` */
export async function findScimUser(
  { repository }: ScimServices,
  { accountId }: Call,
  userId: string,
): Promise<ScimUser> {
  const found = await repository.scim.findUser(accountId, userId)
  if (found === undefined) throw new ClienteleError('user_not_found')
  return toScimUser(found, found.names)
}

async function withNames(
  { repository }: ScimServices,
  { accountId }: Call,
  user: VersionedUser,
): Promise<ScimUser> {
  const { id } = user.user
  return toScimUser(user, (await repository.scim.findNames(accountId, [id])).get(id))
}
