import type { Clientele, ClienteleEvents, ClienteleOptions } from '@clientele/core'
import { decodeProtectedHeader } from 'jose'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { eitherDatabase, type OpenDatabase } from '../support/databases.ts'
import { logIn } from '../support/log-in.ts'
import { SignInWorld } from '../support/sign-in-world.ts'
import { codeOf, readKeySet } from './open-clientele.ts'

const databases = eitherDatabase(import.meta.filename)

const minutes = 60_000
const hour = 60 * minutes

describe.each(databases)('rotating signing keys on $name', ({ open }) => {
  let database: OpenDatabase
  const world = new SignInWorld(() => database.url)

  beforeAll(async () => {
    database = await open()
  })
  afterAll(() => database.close())

  const startAll = async (options: Partial<ClienteleOptions> = {}) => {
    const started = await Promise.all([1, 2, 3].map(() => world.start(options)))
    return started.map(({ clientele }) => clientele) as [Clientele, Clientele, Clientele] // as many
  }

  async function addUser(clientele: Clientele) {
    const { accountId, credentials } = await world.addUser(clientele)
    const signIn = async (at: Clientele) => (await logIn(at, accountId, credentials)).token
    return {
      accountId,
      signIn,
      kid: async (at: Clientele) => decodeProtectedHeader(await signIn(at)).kid,
      check: (at: Clientele, token: string) => codeOf(at.auth.validateToken(accountId, token)),
      published: async (at: Clientele) => {
        const { keys } = await readKeySet(at, accountId)
        return keys.map(({ kid }) => kid)
      },
      statuses: async (at: Clientele) =>
        (await at.signingKeys.list(accountId)).map(({ status }) => status),
    }
  }

  test('a new key is in the set of every process 20 minutes before it signs', async () => {
    const all = await startAll()
    const [first, second] = all
    const user = await addUser(first)
    const old = await user.kid(first)
    const token = await user.signIn(second)
    const told: ClienteleEvents['signing_key.rotated'][] = []
    first.events.on('signing_key.rotated', (event) => told.push(event))
    const rotatedAt = world.now
    const next = await first.signingKeys.rotate(user.accountId)
    const signsAt = new Date(rotatedAt + 20 * minutes)
    expect(next).toMatchObject({ status: 'pending', signsAt, retiredAt: null })
    expect(told).toMatchObject([{ previousKeyId: old, keyId: next.id, reason: 'command', signsAt }])
    // The clock stands.
    for (const each of all) {
      expect(await user.published(each)).toEqual([old, next.id])
      expect(await user.statuses(each)).toEqual(['active', 'pending'])
      expect(await user.kid(each)).toBe(old)
    }
    world.now = signsAt.getTime() - 1
    for (const each of all) expect(await user.kid(each)).toBe(old)
    world.now = signsAt.getTime()
    for (const each of all) {
      expect(await user.kid(each)).toBe(next.id)
      expect(await user.statuses(each)).toEqual(['retired', 'active'])
      expect(await user.check(each, token)).toBe(undefined)
    }
    const { data } = await second.events.read(user.accountId, { types: ['signing_key.*'] })
    expect(data.map(({ type }) => type)).toEqual(['signing_key.created', 'signing_key.rotated'])
    expect(data[1]).toMatchObject({ subject: { id: next.id }, data: { signsAt } })
  })

  test('rotating while a key is pending returns it; an urgent rotation signs at once', async () => {
    const all = await startAll({ signingKeyPublishSeconds: 60 })
    const [first, second] = all
    const user = await addUser(first)
    const old = await user.signIn(first)
    world.now += 1
    const next = await first.signingKeys.rotate(user.accountId)
    expect(next.signsAt.getTime() - world.now).toBe(minutes)
    expect(await second.signingKeys.rotate(user.accountId)).toEqual(next)
    world.now += 1_000
    const urgent = await second.signingKeys.rotate(user.accountId, { now: true })
    expect(urgent).toMatchObject({ status: 'active', signsAt: new Date(world.now) })
    for (const each of all) {
      expect(await user.kid(each)).toBe(urgent.id)
      expect(await user.check(each, old)).toBe(undefined)
    }
    // The one that waited never signs.
    world.now += hour
    expect(await user.kid(first)).toBe(urgent.id)
    expect(await user.statuses(first)).toEqual(['retired', 'retired', 'active'])
  })

  test('when the pending or the signing key is removed, signing continues', async () => {
    const [first, second] = await startAll()
    const user = await addUser(first)
    const { accountId } = user
    const old = await user.kid(first)
    const next = await first.signingKeys.rotate(accountId)
    await first.signingKeys.remove(accountId, next.id)
    // There is a successor again, which others come to know before the old one ends.
    expect(await user.kid(second)).toBe(old)
    const keys = await second.signingKeys.list(accountId)
    expect(keys.map(({ id, signsAt }) => [id === old, signsAt.getTime()])).toEqual([
      [true, keys[0]?.signsAt.getTime()],
      [false, next.signsAt.getTime()],
    ])
    await second.signingKeys.remove(accountId, String(old))
    const token = await user.signIn(first)
    expect(decodeProtectedHeader(token).kid).toBe(keys[1]?.id)
    expect(await user.check(second, token)).toBe(undefined)
  })

  test('an old key is replaced once, by one of many processes', async () => {
    const options = { signingKeyMaxAgeSeconds: 3600, tokenTtlSeconds: 60 }
    const all = await startAll(options)
    const [first] = all
    const events: ClienteleEvents['signing_key.rotated'][] = []
    for (const each of all) each.events.on('signing_key.rotated', (event) => events.push(event))
    const user = await addUser(first)
    const before = await user.kid(first)
    world.now += hour - 10_000
    expect(await user.kid(first)).toBe(before)
    expect(await user.statuses(first)).toEqual(['active'])
    world.now += 10_000
    const tokens = await Promise.all([...all, ...all, ...all].map((each) => user.signIn(each)))
    expect(events).toHaveLength(1)
    expect(events[0]).toMatchObject({
      accountId: user.accountId,
      actor: { type: 'system', id: null },
      previousKeyId: before,
      algorithm: 'ES256',
      reason: 'age',
    })
    for (const token of tokens) {
      expect(decodeProtectedHeader(token).kid).toBe(before)
      for (const each of all) expect(await user.check(each, token)).toBe(undefined)
    }
    expect(await user.statuses(first)).toEqual(['active', 'pending'])
    world.now += 20 * minutes
    expect(await user.kid(first)).toBe(events[0]?.keyId)
  })

  test('commands at the same moment leave one key that signs', async () => {
    const all = await startAll()
    const user = await addUser(all[0])
    await user.signIn(all[0])
    const { accountId } = user
    await Promise.all(
      [...all, ...all].map((each) => each.signingKeys.rotate(accountId, { now: true })),
    )
    const statuses = await user.statuses(all[0])
    expect(statuses.filter((status) => status === 'active')).toHaveLength(1)
    const token = await user.signIn(all[1])
    for (const each of all) expect(await user.check(each, token)).toBe(undefined)
    await Promise.all([...all, ...all].map((each) => each.signingKeys.rotate(accountId)))
    const later = await user.statuses(all[0])
    expect(later.filter((status) => status === 'pending')).toHaveLength(1)
  })

  test('the first key of an account signs at once; a missing account has none', async () => {
    const [clientele] = await startAll()
    const user = await addUser(clientele)
    expect(await clientele.signingKeys.list(user.accountId)).toEqual([])
    const { id, status } = await clientele.signingKeys.rotate(user.accountId)
    expect(status).toBe('active')
    expect(await user.kid(clientele)).toBe(id)
    const absent = '019dfae2-6a4d-7000-8000-000000000000'
    const { list, rotate } = clientele.signingKeys
    for (const call of [list, rotate]) expect(await codeOf(call(absent))).toBe('account_not_found')
  })

  test('the keys of all accounts are rotated; after an interruption, the remaining ones', async () => {
    const [clientele] = await startAll()
    const users = await Promise.all(Array.from({ length: 5 }, () => addUser(clientele)))
    const withoutKey = await addUser(clientele)
    for (const user of users) await user.signIn(clientele)
    world.now += 1
    const ids = new Set(users.map(({ accountId }) => accountId))
    const rotated: string[] = []
    for await (const { accountId, keys } of clientele.signingKeys.rotateAll()) {
      expect(keys.map(({ status }) => status)).toEqual(['pending'])
      rotated.push(accountId)
      if (rotated.length === 3) break
    }
    expect(rotated).toEqual(rotated.toSorted())
    for await (const { accountId } of clientele.signingKeys.rotateAll()) rotated.push(accountId)
    expect(rotated).toEqual(expect.arrayContaining([...ids]))
    for (const user of users) expect(await user.statuses(clientele)).toEqual(['active', 'pending'])
    expect(await clientele.signingKeys.list(withoutKey.accountId)).toEqual([])
    world.now += 1
    for await (const { keys } of clientele.signingKeys.rotateAll({ now: true }))
      for (const { status } of keys) expect(status).toBe('active')
    for (const user of users)
      expect(await user.statuses(clientele)).toEqual(['retired', 'retired', 'active'])
    expect(
      await codeOf((async () => clientele.signingKeys.rotateAll({ nw: true } as never))()),
    ).toBe('validation_failed')
  })
})
