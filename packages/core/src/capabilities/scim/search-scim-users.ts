import type { Call } from '../../base/call/call.ts'
import { remainAdmitted } from '../../base/call/while-admitted.ts'
import { ClienteleError } from '../../base/errors.ts'
import { lowestId } from '../../base/input/id.ts'
import { TimeSlice } from '../../base/runtime/time-slice.ts'
import type { SortOrder } from '../users/page.ts'
import { type ScimUser, toScimUser } from './scim-user.ts'
import type { ScimServices } from './services.ts'
import type { ScimRange, SearchedUserRecord } from './store.ts'

/** How many users an index may find for a part of a filter */
const maxFound = 1_000
/** How many the indexes may find for all parts: a user name is looked for in two of them */
const maxRead = 2 * maxFound
/** How many they may find where every part asks for an equal name */
const maxNarrow = 200
/** How many users an account may have for a filter or an order that needs all of them */
const maxWalked = 10_000
/** How many are read at once */
const walkedAtOnce = 500
/** How many users the list reads at once */
const pageLimit = 100

export interface ScimUserPage {
  users: ScimUser[]
  total: number
}

/** A user whom a search has read. */
export interface SearchedUser extends ScimUser {
  /** The form in which the user name is compared; undefined: it is the address, and another user has that as user name */
  userNameKey: string | undefined
}

/** A part of a list, by position: `skip` users are left out, and at most `count` follow. */
export interface ListPart {
  skip: number
  count: number
}

/** What the list of users can filter by itself */
export interface ListedUsers {
  isActive?: boolean | undefined
  role?: string | undefined
  sort?: SortOrder | undefined
}

/** Reads a part of the list of users, however many there are. */
export async function listScimUsers(
  { repository }: ScimServices,
  { accountId }: Call,
  filters: ListedUsers,
  { skip, count }: ListPart,
): Promise<ScimUserPage> {
  const limit = Math.min(Math.max(count, 1), pageLimit)
  const first = Math.floor(skip / limit)
  const left = skip - first * limit
  const read = (page: number) => repository.users.list(accountId, { ...filters, page, limit })
  const { users, total } = await read(first + 1)
  // The part may begin inside of a page.
  const further =
    left > 0 && count > 0 && total > (first + 1) * limit ? await read(first + 2) : undefined
  const found = [...users, ...(further?.users ?? [])].slice(left, left + Math.min(count, limit))
  const names = await repository.scim.findNames(
    accountId,
    found.map(({ user }) => user.id),
  )
  return { users: found.map((each) => toScimUser(each, names.get(each.user.id))), total }
}

/**
 * Finds the users that pass `matches` in ranges of indexes. Its turn is that of the whole page: it holds many users in memory.
 *
 * @throws ClienteleError `scim_too_many`
 */
export function findScimUsers(
  services: ScimServices,
  call: Call,
  ranges: readonly ScimRange[],
  matches: (user: SearchedUser) => boolean,
): Promise<SearchedUser[]> {
  return searchRanges(services, call, ranges, matches, findsFew(ranges) ? maxNarrow : maxRead)
}

/** Whether every part asks for an equal value that few users have */
export function findsFew(ranges: readonly ScimRange[]): boolean {
  return ranges.every(isNarrow)
}

/** Whether few users have the value; many may have the same name */
function isNarrow({ by, from, to }: ScimRange): boolean {
  return from === to && by !== 'name'
}

async function searchRanges(
  { repository }: ScimServices,
  call: Call,
  ranges: readonly ScimRange[],
  matches: (user: SearchedUser) => boolean,
  maximum: number,
): Promise<SearchedUser[]> {
  const slice = new TimeSlice()
  const found = new Map<string, SearchedUser>()
  let left = maximum
  for (const range of ranges) {
    const most = Math.min(maxFound, left)
    const records = await repository.scim.findInRange(call.accountId, range, most + 1)
    if (records.length > most) throw new ClienteleError('scim_too_many')
    left -= records.length
    for (const each of await select(call, slice, records, matches)) found.set(each.user.id, each)
  }
  if (found.size > maxFound) throw new ClienteleError('scim_too_many')
  return [...found.values()].sort(byId)
}

/**
 * Finds the users that pass `matches` among all, where the account has few enough. Its turn is that of the whole page.
 *
 * @throws ClienteleError `scim_too_many`
 */
export async function walkScimUsers(
  { repository }: ScimServices,
  call: Call,
  matches: (user: SearchedUser) => boolean,
): Promise<SearchedUser[]> {
  const { accountId } = call
  const { total } = await repository.users.list(accountId, { page: 1, limit: 1 })
  if (total > maxWalked) {
    const message = `An account of more than ${maxWalked} users cannot be searched like this: use eq or sw with userName, externalId, emails or displayName.`
    throw new ClienteleError('scim_too_many', message)
  }
  const slice = new TimeSlice()
  const found: SearchedUser[] = []
  let afterId = lowestId
  for (let walked = 0; walked <= maxWalked; walked += walkedAtOnce) {
    const records = await repository.scim.walk(accountId, afterId, walkedAtOnce)
    found.push(...(await select(call, slice, records, matches)))
    const last = records.at(-1)
    if (last === undefined || records.length < walkedAtOnce) break
    afterId = last.user.id
  }
  return found
}

/** Those who pass `matches`, as long as the caller is there and may search. */
async function select(
  call: Call,
  slice: TimeSlice,
  records: readonly SearchedUserRecord[],
  matches: (user: SearchedUser) => boolean,
): Promise<SearchedUser[]> {
  await remainAdmitted(call)
  const selected: SearchedUser[] = []
  for (const record of records) {
    const user = toSearchedUser(record)
    if (matches(user)) selected.push(user)
    if (slice.isOver) await slice.next()
  }
  return selected
}

/** An address names a user of SCIM only until another user has it as user name: two would be ambiguous. */
function toSearchedUser(record: SearchedUserRecord): SearchedUser {
  const { names, hasNamesake, user } = record
  const address = hasNamesake ? undefined : user.email
  return { ...toScimUser(record, names), userNameKey: names?.userNameKey ?? address }
}

function byId(left: ScimUser, right: ScimUser): number {
  return left.user.id < right.user.id ? -1 : 1
}
