import type {
  Clientele,
  ClienteleEvents,
  ClienteleOptions,
  SigningAlgorithm,
} from '@clientele/core'
import { decodeProtectedHeader } from 'jose'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { byOperator } from '../support/by-operator.ts'
import { databases, type OpenDatabase } from '../support/databases.ts'
import { logIn } from '../support/log-in.ts'
import { SignInWorld } from '../support/sign-in-world.ts'
import { codeOf, LogRecorder, openRepository, removeSigningKeys, send } from './open-clientele.ts'

const algorithms: SigningAlgorithm[] = ['EdDSA', 'ES256', 'RS256', 'HS256']
const hour = 3_600_000

describe.each(databases)('signing keys on $name', ({ open }) => {
  let database: OpenDatabase
  const world = new SignInWorld(() => database.url)

  beforeAll(async () => {
    database = await open()
  })
  afterEach(() => removeSigningKeys(database.url))
  afterAll(() => database.close())

  const start = async (options: Partial<ClienteleOptions> = {}): Promise<Clientele> =>
    (await world.start(options)).clientele

  async function addUser(clientele: Clientele) {
    const { accountId, credentials } = await world.addUser(clientele)
    return {
      logIn: async (at: Clientele) => (await logIn(at, accountId, credentials)).token,
      check: (at: Clientele, token: string) => codeOf(at.auth.validateToken(accountId, token)),
      checkByHttp: async (at: Clientele, token: string) => {
        const { apiKey: key } = await at.apiKeys.create(accountId)
        const url = '/client/user/auth/validation-token'
        return (await send(at, 'POST', url, { key, body: { token: `Bearer ${token}` } })).body
      },
    }
  }

  async function publicKeyIds(clientele: Clientele): Promise<unknown[]> {
    const { body } = await send(clientele, 'GET', '/client/user/auth/jwks.json')
    const keys = body.keys as Record<string, unknown>[] // a JWK set
    for (const key of keys)
      for (const secret of ['d', 'k', 'p', 'q']) expect(key).not.toHaveProperty(secret)
    return keys.map(({ kid }) => kid)
  }

  test.each(algorithms)('%s signs, verifies in another process, and rotates', async (algorithm) => {
    const first = await start({ signingAlgorithm: algorithm })
    const second = await start({ signingAlgorithm: algorithm })
    const user = await addUser(first)
    const before = await user.logIn(first)
    expect(decodeProtectedHeader(before)).toMatchObject({ alg: algorithm, typ: 'at+jwt' })
    expect(await user.check(second, before)).toBe(undefined)

    const active = await first.signingKeys.rotate()
    expect(active).toMatchObject({ algorithm, status: 'active' })
    const after = await user.logIn(first)
    expect(decodeProtectedHeader(after).kid).toBe(active.id)
    // The second process has not seen the new key yet, and signs with the old one.
    expect(decodeProtectedHeader(await user.logIn(second)).kid).not.toBe(active.id)
    for (const process of [first, second]) {
      for (const token of [before, after]) expect(await user.check(process, token)).toBe(undefined)
    }
    const ids = (await first.signingKeys.list()).map(({ id }) => id)
    expect(ids).toHaveLength(2)
    expect(await publicKeyIds(first)).toEqual(algorithm === 'HS256' ? [] : ids)
    expect(JSON.stringify(await first.signingKeys.list())).not.toMatch(/"(d|k|p|q)":/)
  })

  test('processes that sign by different algorithms accept each other', async () => {
    const all = await Promise.all(algorithms.map((each) => start({ signingAlgorithm: each })))
    const [first] = all as [Clientele, ...Clientele[]] // there are four
    const user = await addUser(first)
    for (const signer of all) {
      const token = await user.logIn(signer)
      for (const verifier of all) expect(await user.check(verifier, token)).toBe(undefined)
    }
    expect(await publicKeyIds(first)).toHaveLength(3)
  })

  test('a retired key verifies until its last token is dead, then it is gone', async () => {
    const clientele = await start({ tokenTtlSeconds: 7200 })
    const user = await addUser(clientele)
    const [old] = await clientele.signingKeys.list().then(async (keys) => {
      await user.logIn(clientele)
      return keys.length > 0 ? keys : clientele.signingKeys.list()
    })
    const rotatedAt = world.now
    await clientele.signingKeys.rotate()
    world.now = rotatedAt + 2 * hour + 9_000
    expect(await publicKeyIds(clientele)).toContain(old?.id)
    world.now = rotatedAt + 2 * hour + 11_000
    expect((await clientele.signingKeys.list()).map(({ status }) => status)).toEqual(['active'])
    expect(await publicKeyIds(clientele)).not.toContain(old?.id)
    const repository = openRepository(database.url)
    await expect.poll(async () => (await repository.signingKeys.list()).length).toBe(1)
    await repository.storage.close()
  })

  test('a key that is old enough is replaced once, by one of many processes', async () => {
    const options = { signingKeyMaxAgeSeconds: 3600, tokenTtlSeconds: 60 }
    const all = await Promise.all([1, 2, 3, 4].map(() => start(options)))
    const [first] = all as [Clientele, ...Clientele[]] // there are four
    const events: ClienteleEvents['signing_key.rotated'][] = []
    for (const each of all) each.events.on('signing_key.rotated', (event) => events.push(event))
    const user = await addUser(first)
    const before = decodeProtectedHeader(await user.logIn(first)).kid
    world.now += hour - 10_000
    expect(decodeProtectedHeader(await user.logIn(first)).kid).toBe(before)
    world.now += 10_000
    const tokens = await Promise.all([...all, ...all, ...all].map((each) => user.logIn(each)))
    expect(events).toHaveLength(1)
    expect(events[0]).toMatchObject({
      actor: { type: 'system', id: null },
      previousKeyId: before,
      algorithm: 'EdDSA',
      reason: 'age',
    })
    for (const token of tokens) {
      for (const each of all) expect(await user.check(each, token)).toBe(undefined)
    }
    expect(await first.signingKeys.list()).toHaveLength(2)
  })

  test('commands at the same moment leave one active key', async () => {
    const all = await Promise.all([start(), start(), start()])
    const user = await addUser(all[0])
    await user.logIn(all[0])
    await Promise.all([...all, ...all].map((each) => each.signingKeys.rotate()))
    const active = (await all[0].signingKeys.list()).filter(({ status }) => status === 'active')
    expect(active).toHaveLength(1)
    const token = await user.logIn(all[1])
    for (const each of all) expect(await user.check(each, token)).toBe(undefined)
  })

  test('the tokens of a removed key are refused everywhere at once', async () => {
    const first = await start()
    const [second, third] = [await start(), await start()]
    const user = await addUser(first)
    const token = await user.logIn(first)
    for (const each of [first, second, third]) {
      expect(await user.check(each, token)).toBe(undefined)
      expect(await user.checkByHttp(each, token)).toMatchObject({ isValid: true })
    }
    const removed: unknown[] = []
    first.events.on('signing_key.removed', (event) => removed.push(event))
    const keyId = String(decodeProtectedHeader(token).kid)
    await first.signingKeys.remove(keyId)
    expect(removed).toEqual([{ ...byOperator, keyId }])
    // The clock stands: nobody has had a reason to read the keys again.
    for (const each of [first, second]) {
      expect(await user.check(each, token)).toBe('token_unknown_key')
    }
    const refused = { isValid: false, code: 'token_unknown_key', status: 401 }
    expect(await user.checkByHttp(third, token)).toMatchObject(refused)
    for (const each of [first, second, third]) {
      expect(await user.check(first, await user.logIn(each))).toBe(undefined)
    }
    expect(await codeOf(first.signingKeys.remove(keyId))).toBe('signing_key_not_found')
  })

  test('a key whose algorithm is out of use is retired, and gone once its last token is dead', async () => {
    const before = await start({ signingAlgorithm: 'ES256' })
    const user = await addUser(before)
    const token = await user.logIn(before)
    const after = await start()
    world.now += 1
    await user.logIn(after)
    const retired: unknown[] = []
    after.events.on('signing_key.retired', (event) => retired.push(event))
    const keyId = String(decodeProtectedHeader(token).kid)
    await after.signingKeys.retire(keyId)
    expect(retired).toEqual([{ ...byOperator, keyId }])
    const retiredAt = new Date(world.now)
    world.now += 6_000
    await after.signingKeys.retire(keyId)
    const keys = await after.signingKeys.list()
    expect(keys.map((key) => [key.algorithm, key.retiredAt])).toEqual([
      ['ES256', retiredAt],
      ['EdDSA', null],
    ])
    expect(await user.check(after, token)).toBe(undefined)
    // A process that has not been restarted goes on with a key of its own.
    expect(await user.check(after, await user.logIn(before))).toBe(undefined)
    world.now += 3 * 3600_000
    expect((await after.signingKeys.list()).map((key) => key.id)).not.toContain(keyId)
    expect(await codeOf(after.signingKeys.retire(keyId))).toBe('signing_key_not_found')
  })

  test('a secret is changed without an outage, and the old one can be dropped', async () => {
    const [old, fresh] = ['the old secret of this test, long', 'the new secret of this test, long']
    const before = await start({ secrets: [old] })
    const user = await addUser(before)
    const token = await user.logIn(before)
    const between = await start({ secrets: [fresh, old] })
    expect(await user.check(between, token)).toBe(undefined)
    // The process that still has only the old secret goes on working, on both sides of a rotation.
    world.now += 5_000
    expect(await user.check(before, await user.logIn(between))).toBe(undefined)
    expect(await user.check(between, await user.logIn(before))).toBe(undefined)
    await between.signingKeys.rotate()
    expect(await user.check(before, await user.logIn(between))).toBe(undefined)

    const after = await start({ secrets: [fresh] })
    expect(await user.check(after, token)).toBe(undefined)
    expect(await codeOf(start({ secrets: [old] }))).toBe('secret_wrong')
  })

  test('a wrong secret is refused at the start, with what to do about it', async () => {
    const secret = 'another secret of this test, long'
    const clientele = await start()
    await (await addUser(clientele)).logIn(clientele)
    const error = await start({ secrets: [secret] }).catch((thrown: unknown) => thrown)
    expect(error).toMatchObject({ code: 'secret_wrong' })
    expect(String(error)).toContain('CLIENTELE_SECRET=new,old')
    expect(String(error)).not.toContain(secret)
  })

  test('with lazy keys, a secret is asked for by what encrypts or decrypts, and only looking writes nothing', async () => {
    const [old, fresh] = ['the old secret of this test, long', 'the new secret of this test, long']
    const before = await start({ secrets: [old], tokenTtlSeconds: 60 })
    const user = await addUser(before)
    const token = await user.logIn(before)
    await before.signingKeys.rotate()
    const repository = openRepository(database.url)
    const stored = await repository.signingKeys.list()

    const lazyKeys = true
    const wrong = await start({ lazyKeys, secrets: ['another secret of this test, long'] })
    expect(await wrong.signingKeys.list()).toEqual(await before.signingKeys.list())
    expect(await user.check(await start({ lazyKeys, secrets: [fresh, old] }), token)).toBe(
      undefined,
    )
    expect(await codeOf(wrong.signingKeys.rotate())).toBe('secret_wrong')
    expect(await codeOf(user.logIn(wrong))).toBe('secret_wrong')
    expect(await codeOf(start({ lazyKeys, secrets: [' '] }).then(user.logIn))).toBe(
      'secret_required',
    )
    // The first key is dead now.
    world.now += hour
    expect(await wrong.signingKeys.list()).toHaveLength(1)
    expect(await repository.signingKeys.list()).toEqual(stored)
    await repository.storage.close()
  })

  test('unknown key ids cost few look-ups, and a broken one is refused', async () => {
    const repository = openRepository(database.url)
    let loads = 0
    const counted = {
      ...repository,
      signingKeys: {
        ...repository.signingKeys,
        list: () => {
          loads++
          return repository.signingKeys.list()
        },
      },
    }
    const clientele = await start({ repository: counted, logger: new LogRecorder() })
    const user = await addUser(clientele)
    const [, payload, signature] = (await user.logIn(clientele)).split('.')
    loads = 0
    const tokens = Array.from({ length: 200 }, (_, index) => {
      const header = { alg: 'EdDSA', typ: 'at+jwt', kid: `unknown ${index}` }
      return `${Buffer.from(JSON.stringify(header)).toString('base64url')}.${payload}.${signature}`
    })
    const codes = await Promise.all(tokens.map((token) => user.check(clientele, token)))
    expect(new Set(codes)).toEqual(new Set(['token_unknown_key']))
    expect(loads).toBeLessThan(5)
  })
})
