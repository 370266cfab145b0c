import { navigate, route, toHref } from '../../routing/route.ts'

const sorts = ['-created_at', 'created_at', 'email', '-email', 'name', '-name'] as const
export type UserSort = (typeof sorts)[number]

export const pageSizes = ['10', '25', '50', '100'] as const
export type PageSize = (typeof pageSizes)[number]

/** The query of the list, as in the address of the page. Missing parameters have their defaults. */
export interface UsersQuery {
  q: string
  role: string
  state: '' | 'active' | 'inactive'
  /** Days in the time zone of the browser: `2026-11-22` */
  from: string
  to: string
  sort: UserSort
  limit: PageSize
  page: number
}

const usual: UsersQuery = {
  q: '',
  role: '',
  state: '',
  from: '',
  to: '',
  sort: '-created_at',
  limit: '25',
  page: 1,
}

export function readUsersQuery(query: URLSearchParams): UsersQuery {
  const text = (name: string) => query.get(name) ?? ''
  const state = text('state')
  const page = Number(text('page'))
  return {
    q: text('q'),
    role: text('role'),
    state: state === 'active' || state === 'inactive' ? state : '',
    from: readDay(text('from')),
    to: readDay(text('to')),
    sort: readSort(text('sort')),
    limit: pageSizes.find((one) => one === text('limit')) ?? usual.limit,
    page: Number.isSafeInteger(page) && page > 0 ? page : 1,
  }
}

export function readSort(text: string): UserSort {
  return sorts.find((one) => one === text) ?? usual.sort
}

/** Changes the address; a new query begins with its first page. */
export function goTo(change: Partial<UsersQuery>): void {
  const { segments, query } = route.peek()
  const next = { ...readUsersQuery(query), page: 1, ...change }
  const given = Object.entries(next).filter(
    ([name, value]) => value !== usual[name as keyof UsersQuery], // its own keys
  )
  // Changing the page adds to the browser's history; changing a filter does not.
  navigate(toHref(segments, Object.fromEntries(given)), { replace: change.page === undefined })
}

let lastList = ''

/** Stores the query of the list, so that a link back to the list has it. */
export function rememberList(): void {
  lastList = location.hash
}

/** The latest query of an account's list. */
export function hrefOfList(accountId: string): string {
  const start = toHref(['a', accountId, 'users'])
  return lastList.startsWith(`${start}?`) ? lastList : start
}

export function isFiltered({ q, role, state, from, to }: UsersQuery): boolean {
  return [q, role, state, from, to].some((value) => value !== '')
}

export const noFilters: Partial<UsersQuery> = { q: '', role: '', state: '', from: '', to: '' }

/** The query as parameters of the API. */
export function toListParameters(
  query: UsersQuery,
): Record<string, string | number | boolean | undefined> {
  const { q, role, state, from, to, sort, limit, page } = query
  return {
    q: q.trim() || undefined,
    role: role.trim() || undefined,
    is_active: state === '' ? undefined : state === 'active',
    // Both ends are exclusive.
    created_after: from === '' ? undefined : instantOf(from, 0, -1),
    created_before: to === '' ? undefined : instantOf(to, 1, 0),
    sort,
    limit,
    page,
  }
}

function readDay(text: string): string {
  return /^\d{4}-\d\d-\d\d$/.test(text) && !Number.isNaN(Date.parse(text)) ? text : ''
}

function instantOf(day: string, days: number, milliseconds: number): string {
  const midnight = new Date(`${day}T00:00:00`)
  midnight.setDate(midnight.getDate() + days)
  return new Date(midnight.getTime() + milliseconds).toISOString()
}
