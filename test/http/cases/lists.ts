import { expect } from 'vitest'
import { invalid, json, plain, renderUser, type WireUser } from '../support/answers.ts'
import type { Reply } from '../support/send.ts'
import type { World } from '../support/world.ts'
import { absentId, type Case, flow } from './case.ts'

const people: [name: string, email: string, more: object][] = [
  ['Grace Hopper', 'grace@example.com', { roles: ['admin', 'ops'] }],
  ['ada Lovelace', 'ada@example.com', { roles: ['admin'] }],
  ['Alan Turing', 'alan@example.org', {}],
  ['Émilie du Châtelet', 'emilie@example.org', { roles: ['ops'] }],
  ['Barbara Liskov', 'barbara@example.com', { roles: ['ADMIN'] }],
  ['100% _Percent_', 'percent%@example.com', {}],
  ['Ada Yonath', 'yonath@example.com', {}],
]

async function createPeople(world: World): Promise<WireUser[]> {
  const users: WireUser[] = []
  for (const [name, email, more] of people) {
    world.clock.now += 10
    users.push(await world.createUser(email, { name, ...more }))
  }
  return users
}

async function listNames(world: World, query: string): Promise<string[]> {
  const { status, body } = await world.send({ path: `/client/user?${query}` })
  expect([query, status]).toEqual([query, 200])
  const { data, total } = JSON.parse(body)
  expect(total).toBe(data.length)
  return data.map((user: WireUser) => user.name)
}

/** The target of a link, below the mount. */
function readLink(world: World, link: string, rel: string): string | undefined {
  const found = link.split(', ').find((part) => part.endsWith(`>; rel="${rel}"`))
  return found?.slice(1 + world.prefix.length, found.indexOf('>'))
}

export const listCases: readonly Case[] = [
  flow('the list is empty at first', async (world) => {
    await world.check(
      {},
      plain('{"data":[],"page":1,"limit":10,"total":0}', {
        link: '<<prefix>/client/user?limit=10&page=1>; rel="first", <<prefix>/client/user?limit=10&page=1>; rel="last"',
      }),
    )
    const user = await world.createUser()
    await world.check(
      {},
      plain(`{"data":[${renderUser(user)}],"page":1,"limit":10,"total":1}`, {
        link: '<<prefix>/client/user?limit=10&page=1>; rel="first", <<prefix>/client/user?limit=10&page=1>; rel="last"',
      }),
    )
  }),
  flow('a page, its links, and a page past the end', async (world) => {
    const users = await createPeople(world)
    const [, , third, fourth] = users
    const link = (rel: string, query: string): string =>
      `<${world.prefix}/client/user?${query}>; rel="${rel}"`
    const reply = await world.send({ path: '/client/user?page=2&limit=2' })
    expect(reply.body).toBe(
      `{"data":[${[third, fourth].map((user) => renderUser(user ?? {}))}],"page":2,"limit":2,"total":7}`,
    )
    const links = (reply.headers.link ?? '').split(', ')
    expect(links[0]).toBe(link('first', 'limit=2&page=1'))
    expect(links[1]).toMatch(/^<.*\/client\/user\?limit=2&cursor=[\w-]+>; rel="prev"$/)
    expect(links[2]).toMatch(/^<.*\/client\/user\?limit=2&cursor=[\w-]+>; rel="next"$/)
    expect(links[3]).toBe(link('last', 'limit=2&page=4'))
    await world.check(
      { path: '/client/user?page=9&limit=2' },
      plain('{"data":[],"page":9,"limit":2,"total":7}', {
        link: [
          link('first', 'limit=2&page=1'),
          link('prev', 'limit=2&page=4'),
          link('last', 'limit=2&page=4'),
        ].join(', '),
      }),
    )
  }),
  ...['', '&sort=-created_at', '&sort=name', '&sort=-email', '&is_active=true&q=a'].map((query) =>
    flow(`cursors walk forwards and backwards${query && `: ${query}`}`, async (world) => {
      await createPeople(world)
      const whole = JSON.parse((await world.send({ path: `/client/user?limit=100${query}` })).body)
      const expected = whole.data.map((user: WireUser) => user.id)
      expect(expected.length).toBeGreaterThan(2)
      const pages: { page: number; ids: string[] }[] = []
      const walk = async (rel: 'next' | 'prev', from: string): Promise<string> => {
        let path: string | undefined = from
        let last = from
        while (path !== undefined) {
          const {
            status,
            body,
            headers,
          }: { status: number; body: string; headers: Record<string, string> } = await world.send({
            path,
          })
          expect(status).toBe(200)
          const { data, page, total } = JSON.parse(body)
          expect(total).toBe(expected.length)
          pages.push({ page, ids: data.map((user: WireUser) => user.id) })
          last = path
          path = readLink(world, headers.link ?? '', rel)
        }
        return last
      }
      const end = await walk('next', `/client/user?limit=2${query}`)
      expect(pages.flatMap(({ ids }) => ids)).toEqual(expected)
      const forwards = pages.splice(0)
      await walk('prev', end)
      expect(pages.reverse()).toEqual(forwards)
    }),
  ),
  flow('a cursor continues while users are added and deleted', async (world) => {
    const users = await createPeople(world)
    const { headers } = await world.send({ path: '/client/user?limit=3' })
    await world.clientele.users.delete(world.account.id, users[0]?.id ?? '')
    await world.clientele.users.delete(world.account.id, users[2]?.id ?? '')
    await world.createUser('late@example.com', { name: 'Late' })
    const next = await world.send({ path: readLink(world, headers.link ?? '', 'next') ?? '' })
    const { data, page, total } = JSON.parse(next.body)
    expect(data.map((user: WireUser) => user.name)).toEqual([
      'Émilie du Châtelet',
      'Barbara Liskov',
      '100% _Percent_',
    ])
    expect([page, total]).toEqual([2, 6])
  }),
  ...['', '&sort=name', '&role=r'].map((query) =>
    flow(`no user is skipped when others are deleted${query && `: ${query}`}`, async (world) => {
      const ids: string[] = []
      for (let index = 0; index < 12; index++) {
        const user = await world.createUser(`u${index}@example.com`, {
          name: `User ${String(index).padStart(2, '0')}`,
          roles: ['r'],
        })
        ids.push(user.id)
      }
      const seen: string[] = []
      let path: string | undefined = `/client/user?limit=4${query}`
      while (path !== undefined) {
        const reply: Reply = await world.send({ path })
        const data: WireUser[] = JSON.parse(reply.body).data
        seen.push(...data.map(({ id }) => id))
        for (const { id } of data) await world.clientele.users.delete(world.account.id, id)
        path = readLink(world, reply.headers.link ?? '', 'next')
      }
      expect(seen).toEqual(ids)
    }),
  ),
  flow('no user is skipped backwards when others are added', async (world) => {
    for (const name of ['K', 'L', 'M', 'N']) {
      await world.createUser(`${name}@example.com`, { name: `${name} ${name}` })
    }
    const next = await world.send({ path: '/client/user?limit=2&sort=name' })
    let path = readLink(world, next.headers.link ?? '', 'next')
    for (const name of ['A', 'B', 'C']) {
      await world.createUser(`${name}@example.com`, { name: `${name} ${name}` })
    }
    const seen: string[] = []
    while (path !== undefined) {
      const reply: Reply = await world.send({ path })
      const { data, page } = JSON.parse(reply.body)
      expect(page).toBeGreaterThan(0)
      seen.unshift(...data.map((user: WireUser) => user.name.slice(0, 1)))
      path = readLink(world, reply.headers.link ?? '', 'prev')
    }
    expect(seen.join('')).toBe('ABCKLMN')
  }),
  flow('links keep the whole query, also its question marks', async (world) => {
    for (const name of ['Ada', 'Eve']) {
      await world.createUser(`${name}@example.com`, { name, roles: ['a?b'] })
    }
    const query = 'role=a?b&sort=name'
    const { headers } = await world.send({ path: `/client/user?${query}&limit=1` })
    const next = readLink(world, headers.link ?? '', 'next') ?? ''
    expect(next).toContain('role=a%3Fb&sort=name')
    const second = await world.send({ path: next })
    expect([second.status, JSON.parse(second.body)]).toMatchObject([200, { page: 2, total: 2 }])
  }),
  flow(
    'a cursor of another order, beside a page, tampered with, of another account',
    async (world) => {
      await createPeople(world)
      const { headers } = await world.send({ path: '/client/user?limit=3&sort=name' })
      const path = readLink(world, headers.link ?? '', 'next') ?? ''
      const wrong = invalid(['/cursor', 'value', 'is not a cursor of a list in this order'])
      await world.check({ path: path.replace('sort=name', 'sort=-name') }, wrong)
      await world.check({ path: path.replace('sort=name&', '').replace('&sort=name', '') }, wrong)
      const craft = (sort: string, v: unknown, more: object = {}) => {
        const content = { o: sort, d: 'after', i: absentId, v, p: 2, ...more }
        return Buffer.from(JSON.stringify(content)).toString('base64url')
      }
      for (const [sort, cursor] of [
        ['created_at', craft('created_at', 1.5)],
        ['created_at', craft('created_at', 1e300)],
        ['created_at', craft('created_at', -1e19)],
        ['name', craft('name', 'a\0b')],
        ['name', craft('name', '\uD800')],
        ['name', craft('name', 'a', { p: 1e15 })],
      ] as const) {
        await world.check({ path: `/client/user?sort=${sort}&cursor=${cursor}` }, wrong)
      }
      await world.check(
        { path: `${path}&page=2` },
        invalid(['/page', 'value', 'cannot be given beside cursor']),
      )
      const { key } = await world.otherTenant()
      const { body } = await world.send({ path, key })
      expect(JSON.parse(body)).toMatchObject({ data: [], total: 0 })
    },
  ),
  flow('sorting', async (world) => {
    await createPeople(world)
    const names = await listNames(world, 'sort=created_at')
    expect(names).toEqual(people.map(([name]) => name))
    expect(await listNames(world, 'sort=-created_at')).toEqual([...names].reverse())
    const byEmail = ['ada@', 'alan@', 'barbara@', 'emilie@', 'grace@', 'percent%@', 'yonath@'].map(
      (start) => people.find(([, email]) => email.startsWith(start))?.[0],
    )
    expect(await listNames(world, 'sort=email')).toEqual(byEmail)
    expect(await listNames(world, 'sort=-email')).toEqual([...byEmail].reverse())
    const byName = [
      '100% _Percent_',
      'ada Lovelace',
      'Ada Yonath',
      'Alan Turing',
      'Barbara Liskov',
      'Grace Hopper',
      'Émilie du Châtelet',
    ]
    expect(await listNames(world, 'sort=name')).toEqual(byName)
    expect(await listNames(world, 'sort=-name')).toEqual([...byName].reverse())
  }),
  flow('filters', async (world) => {
    const users = await createPeople(world)
    await world.clientele.users.deactivate(world.account.id, users[2]?.id ?? '')
    const expectNames = async (query: string, names: string[]): Promise<void> =>
      expect([query, await listNames(world, query)]).toEqual([query, names])
    await expectNames('email=ADA@example.com', ['ada Lovelace'])
    await expectNames('email=nobody@example.com', [])
    await expectNames('q=ada', ['ada Lovelace', 'Ada Yonath'])
    await expectNames('q=ADA%20y', ['Ada Yonath'])
    await expectNames('q=ada+l', ['ada Lovelace'])
    await expectNames('q=Lovelace', ['ada Lovelace'])
    await expectNames('q=ovelace', [])
    await expectNames('q=BARBARA@', ['Barbara Liskov'])
    await expectNames('q=%C3%89MI', ['Émilie du Châtelet'])
    await expectNames('q=E%CC%81mi', ['Émilie du Châtelet'])
    await expectNames('q=100%25', ['100% _Percent_'])
    await expectNames('q=_da', [])
    await expectNames('q=%25', [])
    await expectNames("q='", [])
    await expectNames('role=admin', ['Grace Hopper', 'ada Lovelace'])
    await expectNames('role=ops', ['Grace Hopper', 'Émilie du Châtelet'])
    await expectNames('role=%25', [])
    await expectNames('is_active=false', ['Alan Turing'])
    await expectNames('is_active=true&role=ops&q=g', ['Grace Hopper'])
    await expectNames('is_active=false&email=alan@example.org&q=al', ['Alan Turing'])
  }),
  flow('a list of large users is sent in parts, and has the same text', async (world) => {
    const large = {
      roles: Array.from({ length: 50 }, (_, index) => `${index}`.padEnd(100, 'é')),
      metadata: { note: 'é"'.repeat(1_900) },
    }
    const users: WireUser[] = []
    for (let index = 10; index < 24; index++) {
      world.clock.now += 10
      users.push(await world.createUser(`large${index}@example.com`, { name: 'Large', ...large }))
    }
    const page = (found: WireUser[], of: { page?: number; limit: number; total?: number }) => {
      const { page = 1, limit, total = users.length } = of
      return `{"data":[${found.map(renderUser)}],"page":${page},"limit":${limit},"total":${total}}`
    }
    const all = page(users, { limit: 100 })
    // The first list shows how large the users are: those that follow are sent in parts.
    for (const time of ['first', 'second', 'third']) {
      const { status, body, headers } = await world.send({ path: '/client/user?limit=100' })
      expect([time, status, headers['content-type']]).toEqual([time, 200, json])
      expect(body).toBe(all)
    }
    const [newest] = users.slice(-1)
    const expected: [query: string, body: string][] = [
      ['limit=5&page=2', page(users.slice(5, 10), { page: 2, limit: 5 })],
      ['limit=5&sort=-email', page(users.toReversed().slice(0, 5), { limit: 5 })],
      ['limit=20&q=larg&is_active=true', page(users, { limit: 20 })],
      [`email=${newest?.email}`, page(newest ? [newest] : [], { limit: 10, total: 1 })],
      ['limit=5&page=9', page([], { page: 9, limit: 5 })],
    ]
    for (const [query, body] of expected)
      expect([query, (await world.send({ path: `/client/user?${query}` })).body]).toEqual([
        query,
        body,
      ])
    const { headers } = await world.send({ path: '/client/user?limit=5' })
    const next = await world.send({ path: readLink(world, headers.link ?? '', 'next') ?? '' })
    expect(next.body).toBe(page(users.slice(5, 10), { page: 2, limit: 5 }))
    const prev = await world.send({ path: readLink(world, next.headers.link ?? '', 'prev') ?? '' })
    expect(prev.body).toBe(page(users.slice(0, 5), { limit: 5 }))
    await world.send({ method: 'DELETE', path: `/client/user/${newest?.id}` })
    const left = await world.send({ path: '/client/user?limit=100' })
    expect(left.body).toBe(page(users.slice(0, -1), { limit: 100, total: users.length - 1 }))
  }),
  flow('a list has the account’s users only', async (world) => {
    await createPeople(world)
    const { key } = await world.otherTenant()
    for (const query of ['', '?q=a', '?role=admin', '?email=ada@example.com', '?sort=name']) {
      const { body } = await world.send({ path: `/client/user${query}`, key })
      expect(JSON.parse(body)).toMatchObject({ data: [], total: 0 })
    }
  }),
]
