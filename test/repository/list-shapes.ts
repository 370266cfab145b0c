import type { Page } from './world.ts'

/** A list that is asked for. */
export interface ListShape {
  name: string
  request: Partial<Page>
}

const sorts = ['createdAt', '-createdAt', 'email', '-email', 'name', '-name'] as const
const filters = (userCount: number): ListShape[] => [
  { name: 'no filter', request: {} },
  { name: 'email', request: { email: 'user700@example.com' } },
  { name: 'q', request: { q: 'user1999' } },
  { name: 'a common q', request: { q: 'name 199' } },
  { name: 'q of a further word', request: { q: '1999' } },
  { name: 'role', request: { role: 'rare' } },
  { name: 'a common role', request: { role: 'group 7' } },
  { name: 'is_active', request: { isActive: true } },
  { name: 'created_after', request: { createdAfter: 1000 + userCount - 30 } },
  { name: 'an early created_after', request: { createdAfter: 1010 } },
  { name: 'created_before', request: { createdBefore: 1030 } },
  { name: 'a time of creation', request: { createdAfter: 3000, createdBefore: 3040 } },
  {
    name: 'created_after, q, role and is_active',
    request: { createdAfter: 1010, q: 'user199', role: 'rare', isActive: false },
  },
  { name: 'q, role and is_active', request: { q: 'user199', role: 'rare', isActive: false } },
]
/** Every filter in every order, for an account with this number of users from `insertUsers`. */
export const listShapes = (userCount: number): ListShape[] =>
  filters(userCount).flatMap(({ name, request }) => [
    { name: `${name}, in creation order`, request },
    { name: `${name}, a far page`, request: { ...request, page: 7 } },
    { name: `${name}, by cursor`, request: withCursor(request) },
    ...sorts.flatMap((sort) => [
      { name: `${name}, by ${sort}`, request: { ...request, sort } },
      { name: `${name}, by ${sort} and cursor`, request: withCursor({ ...request, sort }) },
    ]),
  ])

function withCursor(request: Partial<Page>): Partial<Page> {
  const id = '019dfae2-6a4d-7000-8000-000000500001'
  const column = request.sort?.replace('-', '')
  const texts = { email: 'user5@example.com', name: 'name 5' }
  const value =
    column === undefined ? null : column === 'createdAt' ? 6000 : texts[column as 'email' | 'name']
  return { ...request, page: 2, cursor: { direction: 'after', id, value, page: 2 } }
}
