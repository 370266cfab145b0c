import type { Clientele } from '@clientele/core'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { anyDatabase, type OpenDatabase } from '../support/databases.ts'
import { insertRows, numberedId } from '../support/run-sql.ts'
import { Browser, ConsoleWorld, outcome } from './console-world.ts'

const many = 10_300
const pageSize = 50

interface Page {
  accounts: { id: string; name: string }[]
  next: string | null
}

describe.each(anyDatabase)('lists of many accounts on $name', ({ open }) => {
  let database: OpenDatabase
  let clientele: Clientele
  let operator: Browser
  const world = new ConsoleWorld()

  beforeAll(async () => {
    database = await open()
    await (await world.open(database.url)).close()
    await insertRows(database.url, 'clientele_accounts', many, {
      id: numberedId(database.url),
      name: "'Müller ' || n",
      slug: "'shop-' || n",
      external_id: "case when n % 2 = 0 then 'KUNDE ' || n end",
      metadata: "'{}'",
      created_at: '1000 + n',
    })
  })
  beforeEach(async () => {
    clientele = await world.open(database.url)
    operator = await new Browser(clientele).followLink(clientele)
  })
  afterEach(() => world.close())
  afterAll(() => database.close())

  async function read(query: Record<string, string> = {}): Promise<Page> {
    const { status, json } = await operator.ask('GET', `accounts?${new URLSearchParams(query)}`)
    expect(status).toBe(200)
    return json as unknown as Page // as the operation answers
  }

  /** The pages of a search, up to the last one */
  async function readAll(q: string): Promise<Page[]> {
    const pages = [await read({ q })]
    for (let next = pages[0]?.next; next; next = pages.at(-1)?.next)
      pages.push(await read({ q, after: next }))
    return pages
  }
  const namesOf = (pages: Page[]) =>
    pages.flatMap(({ accounts }) => accounts.map(({ name }) => name))

  test('a page has 50 accounts at most, and the next ones have the others', async () => {
    const first = await read()
    expect(first.accounts.map(({ name }) => name)).toEqual(
      Array.from({ length: pageSize }, (_, index) => `Müller ${index + 1}`),
    )
    expect(first.next).toBe(first.accounts.at(-1)?.id)
    const second = await read({ after: first.next ?? '' })
    expect(second.accounts[0]?.name).toBe('Müller 51')
    // The last page says that it is the last, also when it is full.
    const all = await clientele.accounts.list()
    expect(all).toHaveLength(many)
    const last = await read({ after: all.at(-1 - pageSize)?.id ?? '' })
    expect([last.accounts.length, last.next]).toEqual([pageSize, null])
  })

  test('a search finds parts of names, slugs and external ids, in any case, and whole ids', async () => {
    const { id } = await clientele.accounts.create({ name: 'Zoë' })
    for (const q of [' ZOË ', id.toUpperCase()]) expect(namesOf(await readAll(q))).toEqual(['Zoë'])
    expect(namesOf(await readAll('op-10299'))).toEqual(['Müller 10299'])
    expect(namesOf(await readAll('kunde 10300'))).toEqual(['Müller 10300'])
    expect(namesOf(await readAll('kunde 10299'))).toEqual([])
    expect(namesOf(await readAll(id.slice(1)))).toEqual([])
    await clientele.accounts.delete(id)
    const pages = await readAll('shop-100')
    expect(namesOf(pages).slice(0, 3)).toEqual(['Müller 100', 'Müller 1000', 'Müller 1001'])
    expect(namesOf(pages)).toHaveLength(1 + 10 + 100)
    for (const { accounts } of pages) expect(accounts.length).toBeLessThanOrEqual(pageSize)
  })

  test('one page of a search looks at a part of the accounts only', async () => {
    const page = await read({ q: 'shop-10299' })
    expect(page).toEqual({ accounts: [], next: expect.any(String) })
    expect((await read({ q: 'shop-10299', after: page.next ?? '' })).accounts).toMatchObject([
      { name: 'Müller 10299' },
    ])
  })

  test('another query is refused', async () => {
    for (const query of ['after=x', `q=${'a'.repeat(301)}`, 'limit=1000', 'page=2'])
      expect(outcome(await operator.ask('GET', `accounts?${query}`))).toEqual([
        422,
        'validation_failed',
      ])
  })
})
