import { Readable } from 'node:stream'
import { expect } from 'vitest'
import { invalid, time, type WireUser } from '../support/answers.ts'
import type { World } from '../support/world.ts'
import { type Case, flow, row } from './case.ts'

const start = Date.parse(time)
const notInstant = 'must be a date and time with its offset (RFC 3339)'

async function list(world: World, query: Record<string, string>): Promise<string[]> {
  const path = `/client/user?${new URLSearchParams({ limit: '100', ...query })}`
  const { status, body } = await world.send({ path })
  expect([query, status]).toEqual([query, 200])
  const { data, total } = JSON.parse(body)
  expect(total).toBe(data.length)
  return data.map((user: WireUser) => user.name)
}

/** Creates users ten milliseconds apart: U0, U1, … */
async function createInTurn(world: World, count: number): Promise<void> {
  for (let index = 0; index < count; index++) {
    world.clock.now = start + index * 10
    await world.createUser(`u${index}@example.com`, { name: `U${index}`, roles: ['r'] })
  }
}

/** Filters by time of creation, and searches by words. */
export const listFilterCases: readonly Case[] = [
  flow('q finds any word of a name by its beginning, and an e-mail by its own', async (world) => {
    for (const [name, email] of [
      ['Ada Byron', 'countess@byron.example'],
      ["Mary-Jane O'Neil", 'mj@example.com'],
      ['Byron', 'byron@example.com'],
      ['ΚΩΣΤΑΣ ΠΑΠΠΑΣ', 'k@example.com'],
      ['Kostas', 'ΚΩΣΤΑΣ@example.com'],
      ['100% (of) all', 'x@xn--mnchen-3ya.de'],
    ] as const) {
      await world.createUser(email, { name })
    }
    const found: Record<string, string[]> = {
      byron: ['Ada Byron', 'Byron'],
      BYR: ['Ada Byron', 'Byron'],
      yron: [],
      'ada b': ['Ada Byron'],
      'byron@': ['Byron'],
      example: [],
      jane: ["Mary-Jane O'Neil"],
      'jane o': ["Mary-Jane O'Neil"],
      neil: ["Mary-Jane O'Neil"],
      κως: ['ΚΩΣΤΑΣ ΠΑΠΠΑΣ', 'Kostas'],
      κωστας: ['ΚΩΣΤΑΣ ΠΑΠΠΑΣ', 'Kostas'],
      κωστασ: ['ΚΩΣΤΑΣ ΠΑΠΠΑΣ', 'Kostas'],
      παππας: ['ΚΩΣΤΑΣ ΠΑΠΠΑΣ'],
      'κωστας παπ': ['ΚΩΣΤΑΣ ΠΑΠΠΑΣ'],
      of: ['100% (of) all'],
      '(of': ['100% (of) all'],
      'x@münch': ['100% (of) all'],
      'x@xn--mnchen-3ya.de': ['100% (of) all'],
      '%': [],
    }
    for (const [q, names] of Object.entries(found)) {
      expect([q, await list(world, { q })]).toEqual([q, names])
      const sorted = await list(world, { q, sort: '-created_at' })
      expect([q, sorted]).toEqual([q, names.toReversed()])
    }
  }),
  flow('search words change and are deleted with their user', async (world) => {
    const { users } = world.clientele
    const account = world.account.id
    const find = async (...words: string[]) =>
      (await Promise.all(words.map((q) => list(world, { q })))).map((names) => names.length)
    const { id, email } = await world.createUser(undefined, { name: 'Ada Byron' })
    expect(await find('byron', 'king')).toEqual([1, 0])
    await users.patch(account, id, { metadata: { a: 1 } })
    expect(await find('byron', 'king')).toEqual([1, 0])
    await users.patch(account, id, { name: 'Ada King' })
    expect(await find('byron', 'king')).toEqual([0, 1])
    await users.replace(account, id, { name: 'Ada Byron', email })
    expect(await find('byron', 'king')).toEqual([1, 0])
    await users.replace(account, id, { name: 'Ada Byron King', email, isActive: false })
    expect(await find('byron', 'king')).toEqual([1, 1])
    await users.patch(account, id, { name: 'Ada King', password: 'another' }, { ifVersion: 5 })
    expect(await find('byron', 'king')).toEqual([0, 1])
    const value = { name: 'Grace King', email: 'grace@example.com' }
    const records = Readable.from([{ line: 1, value }])
    expect(await users.import(account, records)).toMatchObject({ imported: 1 })
    expect(await find('byron', 'king')).toEqual([0, 2])
    await users.delete(account, id)
    expect(await find('king', 'ada')).toEqual([1, 0])
    const { key } = await world.otherTenant()
    const { body } = await world.send({ path: '/client/user?q=king', key })
    expect(JSON.parse(body)).toMatchObject({ data: [], total: 0 })
  }),
  flow('created_after and created_before are exclusive, to any fraction', async (world) => {
    await createInTurn(world, 4)
    const at = (milliseconds: number) => new Date(start + milliseconds).toISOString()
    const expectNames = async (query: Record<string, string>, names: string): Promise<void> =>
      expect([query, (await list(world, query)).join(' ')]).toEqual([query, names])
    await expectNames({ created_after: at(10) }, 'U2 U3')
    await expectNames({ created_after: at(9) }, 'U1 U2 U3')
    await expectNames({ created_before: at(10) }, 'U0')
    await expectNames({ created_before: at(11) }, 'U0 U1')
    await expectNames({ created_after: at(0), created_before: at(30) }, 'U1 U2')
    await expectNames({ created_after: at(30), created_before: at(0) }, '')
    await expectNames({ created_after: at(9).replace('Z', '999Z') }, 'U1 U2 U3')
    await expectNames({ created_before: at(10).replace('Z', '000Z') }, 'U0')
    await expectNames({ created_before: at(10).replace('Z', '001Z') }, 'U0 U1')
    await expectNames({ created_before: '0001-01-01T00:00:00Z' }, '')
    await expectNames({ created_after: '9999-12-31T23:59:59-12:00' }, '')
    await expectNames({ created_after: at(0), sort: '-name' }, 'U3 U2 U1')
    await expectNames({ created_after: at(0), role: 'r', q: 'u', is_active: 'true' }, 'U1 U2 U3')
    await expectNames({ created_after: at(0), email: 'u2@example.com' }, 'U2')
    // The same moment by another clock, its plus sign written as it is and as it must be.
    const east = `${new Date(start + 7_200_000 + 10).toISOString().slice(0, -1)}+02:00`
    for (const plus of ['+', '%2B']) {
      const path = `/client/user?created_after=${east.replace('+', plus)}`
      expect(JSON.parse((await world.send({ path })).body)).toMatchObject({ total: 2 })
    }
    const { users } = world.clientele
    const inProcess = await users.list(world.account.id, { createdAfter: new Date(at(10)) })
    expect(inProcess.data.map(({ name }) => name)).toEqual(['U2', 'U3'])
  }),
  ...['', '&sort=-created_at', '&sort=name', '&sort=-email', '&q=u', '&role=r'].map((more) =>
    flow(
      `cursors lead through the users created in a time range${more && `: ${more}`}`,
      async (world) => {
        await createInTurn(world, 8)
        const range = new URLSearchParams({
          created_after: new Date(start).toISOString(),
          created_before: new Date(start + 65).toISOString(),
        })
        const whole = await list(world, {
          ...Object.fromEntries(range),
          ...Object.fromEntries(new URLSearchParams(more)),
        })
        expect(whole).toHaveLength(6)
        const seen: string[] = []
        let path: string | undefined = `/client/user?limit=2&${range}${more}`
        for (let page = 1; path !== undefined; page++) {
          const reply: { body: string; headers: Record<string, string> } = await world.send({
            path,
          })
          const body = JSON.parse(reply.body)
          expect(body).toMatchObject({ page, total: 6 })
          seen.push(...body.data.map((user: WireUser) => user.name))
          const next = /<([^>]+)>; rel="next"/.exec(reply.headers.link ?? '')?.[1]
          path = next?.slice(world.prefix.length)
        }
        expect(seen).toEqual(whole)
      },
    ),
  ),
  ...[
    '2026-05-05',
    '2026-05-05T23:41:45',
    '2026-02-30T00:00:00Z',
    '2026-05-05%2023:41:45Z',
    '1746488505',
    'yesterday',
  ].map((value) =>
    row(
      `created_after=${value}`,
      { path: `/client/user?created_after=${value}&created_before=${value}` },
      invalid(['/created_after', 'format', notInstant], ['/created_before', 'format', notInstant]),
    ),
  ),
]
