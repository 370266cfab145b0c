import type { Call } from '../../base/call/call.ts'
import type { ClientUser } from '../../user-model/client-user.ts'
import {
  type EncodedUser,
  encodeUser,
  memoryOfUsers,
  renderUser,
} from '../../user-model/render-user.ts'
import { toSearchKey } from '../../user-model/search-key.ts'
import { type StoredUser, toClientUser } from '../../user-model/stored-user.ts'
import { encodeCursor, type PageRequest, type SortOrder } from './page.ts'
import type { UsersServices } from './services.ts'
import type { UserPage } from './store.ts'

export interface UserList {
  data: ClientUser[]
  page: number
  limit: number
  /** The exact total, with filters applied */
  total: number
  /**
   * Opaque cursors of the next and the previous page, which stay correct when users are added or deleted; absent at the
   * list's ends
   */
  cursors: { next?: string; prev?: string }
}

/** The same with stored users. */
export interface StoredUserList<User = StoredUser>
  extends Omit<UserList, 'data'>,
    Pick<UserPage, 'rendered'> {
  data: User[]
}

export function toUserList({ data, rendered: _, ...rest }: StoredUserList): UserList {
  return { data: data.map(toClientUser), ...rest }
}

/** The users as JSON, with commas between them. */
export function renderUsers({ data, rendered }: StoredUserList): string {
  const text = rendered?.text ?? data.map(renderUser).join(',')
  if (rendered !== undefined) rendered.text = text
  return text
}

export async function listUsers(
  { repository, largeResponses }: UsersServices,
  { accountId }: Call,
  request: PageRequest,
): Promise<StoredUserList> {
  const list = toList(request, await repository.users.list(accountId, request))
  largeResponses.note('list', accountId, memoryOfUsers(list.data))
  return list
}

/** The same for a list that is expected to be large: see `listEncoded` of the store. */
export async function listLargeUsers(
  services: UsersServices,
  call: Call,
  request: PageRequest,
): Promise<StoredUserList | StoredUserList<EncodedUser>> {
  const page = await services.repository.users.listEncoded?.(call.accountId, request)
  return page === undefined ? listUsers(services, call, request) : toList(request, page)
}

/** The users as JSON, with commas between them, in pieces of UTF-8. */
export function* encodeUsers(
  users: readonly (StoredUser | EncodedUser)[],
): Generator<Uint8Array, void, undefined> {
  for (const [index, user] of users.entries()) {
    if (index > 0) yield comma
    if (isEncoded(user)) yield* encodeUser(user)
    else yield Buffer.from(renderUser(user))
  }
}

const comma = Buffer.from(',')

function isEncoded(user: StoredUser | EncodedUser): user is EncodedUser {
  return user.metadata instanceof Uint8Array
}

type Placed = Pick<StoredUser, 'id' | 'createdAt' | 'email' | 'name'>

function toList<User extends Placed>(
  { page, limit, sort, cursor }: PageRequest,
  { users, total, hasMore, rendered }: UserPage<User>,
): StoredUserList<User> {
  const data = users.map(({ user }) => user)
  const first = data[0]
  const last = data.at(-1)
  const cursors: UserList['cursors'] = {}
  // A cursor comes from a neighbouring page: so on that side there are always users.
  if (last !== undefined && (hasMore || cursor?.direction === 'before')) {
    cursors.next = encodeCursor(sort, {
      direction: 'after',
      ...placeOf(last, sort),
      page: page + 1,
    })
  }
  const hasPrevious = cursor === undefined ? page > 1 : hasMore || cursor.direction === 'after'
  if (first !== undefined && hasPrevious) {
    cursors.prev = encodeCursor(sort, {
      direction: 'before',
      ...placeOf(first, sort),
      page: Math.max(1, page - 1),
    })
  }
  return { data, page, limit, total, cursors, ...(rendered && { rendered }) }
}

function placeOf(
  user: Placed,
  sort: SortOrder | undefined,
): { id: string; value: string | number | null } {
  const { id } = user
  if (sort === undefined) return { id, value: null }
  if (sort.endsWith('createdAt')) return { id, value: user.createdAt }
  return { id, value: sort.endsWith('email') ? user.email : toSearchKey(user.name) }
}
