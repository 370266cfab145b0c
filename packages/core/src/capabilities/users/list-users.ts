import type { Call } from '../../base/call/call.ts'
import type { ClientUser } from '../../user-model/client-user.ts'
import { toSearchKey } from '../../user-model/search-key.ts'
import { type StoredUser, toClientUser } from '../../user-model/stored-user.ts'
import { encodeCursor, type PageRequest, type SortOrder } from './page.ts'
import type { UsersServices } from './services.ts'

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
export interface StoredUserList extends Omit<UserList, 'data'> {
  data: StoredUser[]
}

export function toUserList({ data, ...rest }: StoredUserList): UserList {
  return { data: data.map(toClientUser), ...rest }
}

export async function listUsers(
  { repository }: UsersServices,
  { accountId }: Call,
  request: PageRequest,
): Promise<StoredUserList> {
  const { users, total, hasMore } = await repository.users.list(accountId, request)
  const { page, limit, sort, cursor } = request
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
  return { data, page, limit, total, cursors }
}

function placeOf(
  user: StoredUser,
  sort: SortOrder | undefined,
): { id: string; value: string | number | null } {
  const { id } = user
  if (sort === undefined) return { id, value: null }
  if (sort.endsWith('createdAt')) return { id, value: user.createdAt }
  return { id, value: sort.endsWith('email') ? user.email : toSearchKey(user.name) }
}
