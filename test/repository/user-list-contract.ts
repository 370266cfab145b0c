import type { Repository } from '@clientele/core'
import { expect, test } from 'vitest'
import { someEvent } from '../support/some-event.ts'
import { newAccount, newUser, type Page, start } from './world.ts'

export function describeUserListContract(repository: () => Repository): void {
  async function fill(people: { name: string; email: string; roles?: string[] }[]) {
    const accountId = await newAccount(repository())
    for (const [index, person] of people.entries()) {
      await repository().users.create(
        accountId,
        newUser({ roles: [], ...person, isActive: index % 2 === 0, createdAt: start + index }),
        someEvent(accountId),
      )
    }
    return async (request: Partial<Page> = {}) => {
      const page = await repository().users.list(accountId, { page: 1, limit: 100, ...request })
      return { names: page.users.map(({ user }) => user.name), total: page.total, page }
    }
  }
  const people = [
    { name: 'Zoë', email: 'a@example.com', roles: ['admin', 'x'] },
    { name: 'bob', email: 'b@example.com', roles: ['x'] },
    { name: 'Ánna', email: 'annx@example.com' },
    { name: 'Bobby', email: 'z@example.com', roles: ['admin'] },
    { name: '\u{1F600} smile', email: '0@example.com' },
  ]
  const names = people.map(({ name }) => name)

  test('an account without users has an empty list', async () => {
    const list = await fill([])
    expect((await list()).page).toEqual({ users: [], total: 0, hasMore: false })
    expect((await list({ page: 3, q: 'a' })).page).toEqual({ users: [], total: 0, hasMore: false })
  })

  test('users come in creation order, in pages; a page past the end is empty', async () => {
    const list = await fill(people)
    expect(await list()).toMatchObject({ names, total: 5 })
    const pages = []
    for (const page of [1, 2, 3, 4]) pages.push((await list({ page, limit: 2 })).names)
    expect(pages).toEqual([names.slice(0, 2), names.slice(2, 4), names.slice(4), []])
    expect((await list({ page: 999_999_999_999, limit: 100 })).total).toBe(5)
  })

  test('sorting is by bytes of the lower-case form, the same on every database', async () => {
    const list = await fill(people)
    const sorted = async (sort: NonNullable<Page['sort']>) => (await list({ sort })).names
    const byName = ['bob', 'Bobby', 'Zoë', 'Ánna', '\u{1F600} smile']
    expect(await sorted('name')).toEqual(byName)
    expect(await sorted('-name')).toEqual(byName.toReversed())
    const byEmail = ['\u{1F600} smile', 'Zoë', 'Ánna', 'bob', 'Bobby']
    expect(await sorted('email')).toEqual(byEmail)
    expect(await sorted('-email')).toEqual(byEmail.toReversed())
    expect(await sorted('createdAt')).toEqual(names)
    expect(await sorted('-createdAt')).toEqual(names.toReversed())
  })

  test('filters, alone and together, with exact totals', async () => {
    const list = await fill(people)
    expect(await list({ q: 'bob' })).toMatchObject({ names: ['bob', 'Bobby'], total: 2 })
    // A prefix of name or e-mail; a user that both match is there once.
    expect(await list({ q: 'b' })).toMatchObject({ names: ['bob', 'Bobby'], total: 2 })
    expect(await list({ q: 'ann' })).toMatchObject({ names: ['Ánna'], total: 1 })
    expect(await list({ q: '\u{1F600}' })).toMatchObject({ total: 1 })
    for (const q of ['%', '_', 'ob', '\u{10FFFF}', '\uD7FF']) {
      expect(await list({ q })).toMatchObject({ names: [], total: 0 })
    }
    expect(await list({ email: 'b@example.com' })).toMatchObject({ names: ['bob'], total: 1 })
    expect(await list({ role: 'admin' })).toMatchObject({ names: ['Zoë', 'Bobby'], total: 2 })
    expect(await list({ isActive: false })).toMatchObject({ names: ['bob', 'Bobby'], total: 2 })
    const all: Partial<Page> = { q: 'b', role: 'x', isActive: false, email: 'b@example.com' }
    expect(await list({ ...all, sort: '-name' })).toMatchObject({ names: ['bob'], total: 1 })
    expect(await list({ ...all, role: 'admin' })).toMatchObject({ names: [], total: 0 })
  })

  test.each([undefined, 'createdAt', '-createdAt', 'email', '-email', 'name', '-name'] as const)(
    'cursors lead through the list and back, sorted by %s',
    async (sort) => {
      // Equal names: the id decides.
      const list = await fill([...people, { name: 'bob', email: 'bob2@example.com' }])
      const whole = (await list({ sort })).page.users
      const placeAt = (index: number) => {
        const user = whole[index]?.user
        if (user === undefined) throw new Error('no such user')
        const column = sort?.replace('-', '')
        const value =
          column === 'email'
            ? user.email
            : column === 'name'
              ? user.name.toLowerCase()
              : column === 'createdAt'
                ? user.createdAt
                : null
        return { id: user.id, value }
      }
      for (const direction of ['after', 'before'] as const) {
        const cursor = { direction, page: 2, ...placeAt(2) }
        const { page } = await list({ sort, cursor, limit: 2, page: 2 })
        expect(page.users).toEqual(direction === 'after' ? whole.slice(3, 5) : whole.slice(0, 2))
        expect(page.total).toBe(6)
        // After the third of six come three; before it there are two.
        expect(page.hasMore).toBe(direction === 'after')
      }
    },
  )
}
