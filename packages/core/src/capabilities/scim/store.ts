import type { HttpErrorCode } from '../../base/errors.ts'
import type { VersionedUser } from '../../user-model/stored-user.ts'
import type { NewEvent } from '../events/new-event.ts'
import type { FirstProofEvents } from '../users/first-proof-events.ts'
import type {
  ChangeUserOutcome,
  CreateUserOutcome,
  NewUserRecord,
  UserChanges,
} from '../users/store.ts'
import type { ScimMember, StoredScimGroup } from './scim-group.ts'
import type { StoredScimNames } from './scim-user.ts'

/** A user with what is stored about the names; undefined: nothing */
export interface ScimUserRecord extends VersionedUser {
  names: StoredScimNames | undefined
}

/** A user whom a search reads. */
export interface SearchedUserRecord extends ScimUserRecord {
  /** Whether a user of the account has this one's address as user name */
  hasNamesake: boolean
}

/** What an index finds users by */
export type ScimIndex = 'id' | 'email' | 'name' | 'userName' | 'externalId'

/** A range of an index, with both ends. */
export interface ScimRange {
  by: ScimIndex
  from: string
  to: string
}

/**
 * Whether a user has names of SCIM (`managed`). If not: whether the present address is verified, or a token of an issuer
 * created the user with it (`proven`), or nobody has vouched for the user yet.
 */
export type ScimStanding = 'managed' | 'proven' | 'unproven'

export interface GroupChanges {
  role: string
  roleKey: string
  externalId: string | null
  formerRole: string | null
  updatedAt: number
}

/** The right of one request to change the groups of an account. */
export interface GroupLease {
  holder: string
  /** How often the holder has said since that it is there */
  renewals: number
}

export interface ScimStore {
  /** Creates a user with names, as `users.create` does without. */
  createUser(
    accountId: string,
    user: NewUserRecord,
    names: StoredScimNames,
    event: NewEvent<'user.created'>,
  ): Promise<CreateUserOutcome | 'scim_user_name_taken'>
  /** Replaces a user and the names, as `users.replace` does without. */
  replaceUser(
    accountId: string,
    userId: string,
    changes: UserChanges,
    expectedVersion: number | null,
    event: NewEvent<'user.updated' | 'user.activated' | 'user.deactivated'>,
    names: StoredScimNames,
  ): Promise<ChangeUserOutcome | 'scim_user_name_taken'>
  /** The same, and ends what was enrolled for the user before: returns the events of that, too. */
  takeOverUser(
    accountId: string,
    userId: string,
    changes: UserChanges,
    expectedVersion: number | null,
    event: NewEvent<'user.updated' | 'user.activated' | 'user.deactivated'>,
    names: StoredScimNames,
    events: FirstProofEvents,
  ): Promise<{ changed: VersionedUser; ended: NewEvent[] } | HttpErrorCode>
  /** What SCIM finds before it changes a user; undefined: there is no such user. */
  findStanding(accountId: string, userId: string): Promise<ScimStanding | undefined>
  /** Whether a user had another address before, in the form of `readEmailAddress`. */
  hadAddress(accountId: string, userId: string, email: string): Promise<boolean>
  findUser(accountId: string, userId: string): Promise<ScimUserRecord | undefined>
  /** The stored names of these users, by user. */
  findNames(accountId: string, userIds: readonly string[]): Promise<Map<string, StoredScimNames>>
  /** The first users in a range of an index, without their metadata. */
  findInRange(accountId: string, range: ScimRange, limit: number): Promise<SearchedUserRecord[]>
  /** The next users of the account in the order of their ids, without their metadata. */
  walk(accountId: string, afterId: string, limit: number): Promise<SearchedUserRecord[]>
  /** Takes the lease, unless another holder has it. */
  leaseGroups(accountId: string, holder: string): Promise<'leased' | 'held' | 'account_not_found'>
  findGroupLease(accountId: string): Promise<GroupLease | undefined>
  /** Takes the lease of a holder that renews it no more. Returns false if it has been renewed, taken or released since. */
  takeOverGroups(accountId: string, from: GroupLease, holder: string): Promise<boolean>
  /** Returns false if another holder has the lease by now. */
  renewGroups(accountId: string, holder: string): Promise<boolean>
  releaseGroups(accountId: string, holder: string): Promise<void>
  countGroups(accountId: string): Promise<number>
  createGroup(
    accountId: string,
    group: StoredScimGroup,
    maximum: number,
    event: NewEvent<'group.created'>,
  ): Promise<'created' | 'scim_group_taken' | 'scim_group_limit_reached' | 'account_not_found'>
  findGroup(accountId: string, groupId: string): Promise<StoredScimGroup | undefined>
  /** The groups with these names, in the form of `toNameKey`. */
  findGroupsOf(accountId: string, roleKeys: readonly string[]): Promise<StoredScimGroup[]>
  /** All groups, in the order of their creation. */
  listGroups(accountId: string): Promise<StoredScimGroup[]>
  updateGroup(
    accountId: string,
    groupId: string,
    changes: GroupChanges,
    expectedVersion: number,
    event: NewEvent<'group.updated'>,
  ): Promise<StoredScimGroup | 'scim_group_not_found' | 'scim_group_taken' | 'precondition_failed'>
  /** The group that was renamed from a role while members are left who have it. */
  findRenamedFrom(accountId: string, role: string): Promise<StoredScimGroup | undefined>
  /** Notes the last member with the former role who was treated, unless the group is in another version by now. */
  noteFormer(accountId: string, groupId: string, version: number, after: string): Promise<void>
  /** Notes that no member is left with the former role, unless the group is in another version by now. */
  forgetFormerRole(accountId: string, groupId: string, version: number): Promise<void>
  /** Deletes the group's row; its members are unchanged. Returns whether it was there, in this version. */
  deleteGroup(
    accountId: string,
    groupId: string,
    expectedVersion: number,
    event: NewEvent<'group.deleted'>,
  ): Promise<boolean>
  /** The next users with a role, in the order of their ids. */
  listMembers(
    accountId: string,
    role: string,
    limit: number,
    afterId?: string,
  ): Promise<ScimMember[]>
  /** Whether more users have a role. It reads the index alone. */
  hasMoreMembers(accountId: string, role: string, most: number): Promise<boolean>
  /** Those of these users who exist, whether they have the role, and whether they have names of SCIM. */
  findCandidates(
    accountId: string,
    role: string,
    userIds: readonly string[],
  ): Promise<{ id: string; isMember: boolean; isManaged: boolean }[]>
}
