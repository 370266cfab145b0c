import { expect } from 'vitest'
import { created, later, oneUser, problem, time } from '../support/answers.ts'
import type { Reply } from '../support/send.ts'
import type { Call, World } from '../support/world.ts'
import { absentId, ada, type Case, flow, newAda } from './case.ts'

const replayed = { 'idempotent-replayed': 'true' }
const reused = problem('idempotency_key_reused')

function keyed(key: string): readonly string[] {
  return ['idempotency-key', key]
}

const createAda: Call = { method: 'POST', json: newAda, headers: keyed('key-1') }

/** A repeat must be answered as the first was, to the byte. */
function repeatOf({ headers, ...reply }: Reply): Reply {
  return { ...reply, headers: { ...headers, ...replayed } }
}

async function countUsers(world: World): Promise<number> {
  return (await world.clientele.users.list(world.account.id)).total
}

/** `Idempotency-Key`: a request that is repeated does nothing, and is answered as the first was. */
export const idempotencyCases: readonly Case[] = [
  flow('a repeated create gets the first response, whatever happened since', async (world) => {
    const first = await world.check(createAda, created(ada))
    expect(first.headers).not.toHaveProperty('idempotent-replayed')
    const answer = created(ada)
    const again = { ...answer, headers: { ...answer.headers, ...replayed } }
    expect(await world.check(createAda, again)).toEqual(repeatOf(first))
    const { id } = JSON.parse(first.body)
    world.clock.now += 1000
    await world.check(
      { method: 'PATCH', path: `/client/user/${id}`, json: { name: 'Ada King' } },
      oneUser({ ...ada, id, name: 'Ada King', created_at: time, updated_at: later }, 2),
    )
    expect(await world.send(createAda)).toEqual(repeatOf(first))
    await world.clientele.users.delete(world.account.id, id)
    const { apiKey } = await world.clientele.apiKeys.create(world.account.id)
    expect(await world.send({ ...createAda, key: apiKey })).toEqual(repeatOf(first))
    expect(await countUsers(world)).toBe(0)
  }),
  flow(
    'a key is the same bare and quoted, and the order of members does not matter',
    async (world) => {
      const metadata = { a: 1, b: { c: [1, 2], d: null } }
      const json = { ...newAda, metadata }
      const headers = keyed('a"b\\c')
      const first = await world.send({ method: 'POST', json, headers })
      expect(first.status).toBe(201)
      const turned = { metadata: { b: { d: null, c: [1, 2] }, a: 1 }, ...newAda }
      const again = { method: 'POST', json: turned, headers: keyed('"a\\"b\\\\c"') }
      expect(await world.send(again)).toEqual(repeatOf(first))
    },
  ),
  flow('a key that came with another body', async (world) => {
    const first = await world.check(createAda, created(ada))
    const others = [{ name: 'Eve' }, { password: 'another horse' }, { is_active: false }]
    for (const other of [...others, { email: 'eve@example.com' }, { metadata: { a: 1 } }]) {
      await world.check({ ...createAda, json: { ...newAda, ...other } }, reused)
    }
    expect(await world.send(createAda)).toEqual(repeatOf(first))
    await world.check({ ...createAda, headers: keyed('key-2') }, problem('email_taken'))
    await world.check({ method: 'POST', json: newAda }, problem('email_taken'))
    expect(await countUsers(world)).toBe(1)
  }),
  flow('each account has its own idempotency keys', async (world) => {
    const first = await world.send(createAda)
    const { key, account } = await world.otherTenant()
    const second = await world.send({ ...createAda, key })
    expect([second.status, second.headers]).toEqual([
      201,
      { ...first.headers, location: expect.any(String) },
    ])
    expect(second.body).not.toBe(first.body)
    await world.check({ ...createAda, json: { ...newAda, name: 'Eve' } }, reused)
    expect((await world.clientele.users.list(account.id)).total).toBe(1)
  }),
  flow('a failed request stores no response', async (world) => {
    const { id } = await world.createUser()
    for (const _ of [1, 2]) await world.check(createAda, problem('email_taken'))
    const invalid = await world.send({ ...createAda, json: { ...newAda, name: '' } })
    expect(invalid.status).toBe(422)
    await world.clientele.users.delete(world.account.id, id)
    await world.check(createAda, created(ada))
    const path = `/client/user/${absentId}/activate`
    const headers = keyed('key-1')
    await world.check({ method: 'POST', path, headers }, problem('user_not_found'))
    const other = JSON.parse((await world.send(createAda)).body)
    const there = { method: 'POST', path: `/client/user/${other.id}/activate`, headers }
    expect((await world.send(there)).status).toBe(200)
  }),
  flow('activate and deactivate: a key counts for one operation and one user', async (world) => {
    const { id } = await world.createUser()
    const { id: otherId } = await world.createUser('eve@example.com')
    const headers = keyed('key-1')
    const post = (user: string, verb: string) =>
      world.send({ method: 'POST', path: `/client/user/${user}/${verb}`, headers })
    const off = await post(id, 'deactivate')
    expect([off.status, off.headers.etag]).toEqual([200, '"2"'])
    const on = await post(id, 'activate')
    expect([on.status, on.headers.etag]).toEqual([200, '"3"'])
    expect(on.headers).not.toHaveProperty('idempotent-replayed')
    expect(await post(id, 'deactivate')).toEqual(repeatOf(off))
    expect(await post(id, 'activate')).toEqual(repeatOf(on))
    const path = `/client/user/${otherId}/deactivate`
    await world.check({ method: 'POST', path, headers }, reused)
    const { user, version } = await world.clientele.users.find(world.account.id, id)
    expect([user.isActive, version]).toEqual([true, 3])
  }),
  flow('a repeat of a request without effect has no effect later', async (world) => {
    const { id } = await world.createUser()
    const path = `/client/user/${id}/activate`
    const first = await world.send({ method: 'POST', path, headers: keyed('key-1') })
    expect([first.status, first.headers.etag]).toEqual([200, '"1"'])
    await world.clientele.users.deactivate(world.account.id, id)
    const again = await world.send({ method: 'POST', path, headers: keyed('key-1') })
    expect(again).toEqual(repeatOf(first))
    const { user } = await world.clientele.users.find(world.account.id, id)
    expect(user.isActive).toBe(false)
  }),
  flow('a test and a replay of a webhook go out once', async (world) => {
    const { account, clientele } = world
    const accountId = account.id
    const webhook = { url: 'https://8.8.8.8/hook', types: ['user.*'] }
    const { id } = await clientele.webhooks.create(accountId, webhook)
    const { nextCursor: after } = await clientele.events.read(accountId)
    const headers = keyed('key-1')
    const path = `/client/webhook/${id}`
    const test: Call = { method: 'POST', path: `${path}/test`, headers }
    const replay: Call = { method: 'POST', path: `${path}/replay`, headers, json: { after } }
    const first = [await world.send(test), await world.send(replay)] as const
    expect(first.map(({ status }) => status)).toEqual([202, 202])
    await clientele.webhooks.update(accountId, id, { isActive: false })
    expect(await world.send(replay)).toEqual(repeatOf(first[1]))
    await clientele.users.create(accountId, newAda)
    const { nextCursor: later } = await clientele.events.read(accountId)
    await world.check({ ...replay, json: { after: later } }, reused)
    await clientele.webhooks.delete(accountId, id)
    expect(await world.send(test)).toEqual(repeatOf(first[0]))
  }),
  flow('an answer is kept for 24 hours', async (world) => {
    const first = await world.send(createAda)
    world.clock.now += 24 * 3600 * 1000 - 1
    expect(await world.send(createAda)).toEqual(repeatOf(first))
    world.clock.now += 1
    await world.check(createAda, problem('email_taken'))
    // The key is free: what it came with does not matter any more.
    const json = { ...newAda, email: 'eve@example.com' }
    const second = await world.send({ ...createAda, json })
    expect([second.status, second.headers]).toEqual([
      201,
      { ...first.headers, location: expect.any(String) },
    ])
    expect(await world.send({ ...createAda, json })).toEqual(repeatOf(second))
  }),
  flow('a header that is not in its grammar, or comes twice', async (world) => {
    const invalidKey = problem('header_invalid', {
      detail: 'Send Idempotency-Key as 1 to 255 visible characters of ASCII, bare or quoted.',
    })
    const faults = [
      '',
      '""',
      'a b',
      '"a b"',
      '"a',
      '"a"b',
      '"a"b"',
      '"a\\b"',
      '"a\\"',
      '"',
      'é',
      'x'.repeat(256),
      `"${'x'.repeat(256)}"`,
    ]
    for (const fault of faults) {
      await world.check({ ...createAda, headers: keyed(fault) }, invalidKey)
    }
    for (const second of ['key-1', 'key-2', '']) {
      const headers = ['idempotency-key', 'key-1', 'Idempotency-Key', second]
      await world.check({ ...createAda, headers }, problem('header_repeated'))
    }
    const absent = { method: 'POST', path: `/client/user/${absentId}/activate` }
    await world.check({ ...absent, headers: keyed('a b') }, invalidKey)
    expect(await countUsers(world)).toBe(0)
    for (const key of ['x'.repeat(255), 'a,b']) {
      const json = { ...newAda, email: `${key.length}@example.com` }
      expect((await world.send({ ...createAda, json, headers: keyed(key) })).status).toBe(201)
      expect(await world.send({ ...createAda, json, headers: keyed(`"${key}"`) })).toMatchObject({
        status: 201,
        headers: replayed,
      })
    }
  }),
  flow('routes that take no idempotency key ignore it', async (world) => {
    const { id } = await world.createUser()
    const { email, password } = newAda
    const twice = ['idempotency-key', 'a b', 'idempotency-key', 'c']
    const logIn = { method: 'POST', path: '/client/user/auth/login', json: { email, password } }
    const tokens = new Set<string>()
    for (const headers of [keyed('key-1'), keyed('key-1'), twice]) {
      const { status, body, headers: answered } = await world.send({ ...logIn, headers })
      expect([status, answered['idempotent-replayed']]).toEqual([200, undefined])
      tokens.add(JSON.parse(body).data.token)
    }
    expect(tokens.size).toBe(3)
    const patch = { method: 'PATCH', path: `/client/user/${id}` }
    for (const name of ['Ada King', 'Ada Byron']) {
      const { body } = await world.send({ ...patch, json: { name }, headers: keyed('key-1') })
      expect(JSON.parse(body).name).toBe(name)
    }
    expect((await world.send({ path: `/client/user/${id}`, headers: twice })).status).toBe(200)
  }),
  flow('20 simultaneous requests with one key: one user, and 20 equal answers', async (world) => {
    const replies = await Promise.all(Array.from({ length: 20 }, () => world.send(createAda)))
    const [first] = replies.filter(({ headers }) => headers['idempotent-replayed'] === undefined)
    expect(first?.status).toBe(201)
    const repeats = replies.filter((reply) => reply !== first)
    expect(repeats).toEqual(repeats.map(() => first && repeatOf(first)))
    expect(await countUsers(world)).toBe(1)
  }),
]
