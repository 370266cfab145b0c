import type { Clientele, ClienteleOptions, SigningAlgorithm } from '@clientele/core'
import { decodeJwt, decodeProtectedHeader } from 'jose'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { byOperator } from '../support/by-operator.ts'
import { anyDatabase, type OpenDatabase } from '../support/databases.ts'
import { holdTimers } from '../support/hold-timers.ts'
import { logIn } from '../support/log-in.ts'
import { SignInWorld } from '../support/sign-in-world.ts'
import {
  codeOf,
  listAllKeys,
  openRepository,
  readKeySet,
  removeSigningKeys,
  send,
} from './open-clientele.ts'

const algorithms: SigningAlgorithm[] = ['ES256', 'EdDSA', 'RS256']
const hour = 3_600_000

describe.each(anyDatabase)('signing keys on $name', ({ open }) => {
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
      accountId,
      logIn: async (at: Clientele) => (await logIn(at, accountId, credentials)).token,
      check: (at: Clientele, token: string) => codeOf(at.auth.validateToken(accountId, token)),
      checkByHttp: async (at: Clientele, token: string) => {
        const { apiKey: key } = await at.apiKeys.create(accountId)
        const url = '/client/user/auth/validation-token'
        return (await send(at, 'POST', url, { key, body: { token: `Bearer ${token}` } })).body
      },
      checkByGuard: async (at: Clientele, token: string) => {
        const authorization = `Bearer ${token}`
        const request = { headers: { authorization }, rawHeaders: ['authorization', authorization] }
        const result = await at.guard(request)
        return 'response' in result ? JSON.parse(result.response.body ?? '{}').code : undefined
      },
      publicKeyIds: async (at: Clientele) => {
        const { keys } = await readKeySet(at, accountId)
        for (const key of keys)
          for (const secret of ['d', 'k', 'p', 'q']) expect(key).not.toHaveProperty(secret)
        return keys.map(({ kid }) => kid)
      },
    }
  }

  test.each(algorithms)('%s signs, verifies in another process, and rotates', async (algorithm) => {
    const first = await start({ signingAlgorithm: algorithm })
    const second = await start({ signingAlgorithm: algorithm })
    const user = await addUser(first)
    const before = await user.logIn(first)
    expect(decodeProtectedHeader(before)).toMatchObject({ alg: algorithm, typ: 'at+jwt' })
    expect(await user.check(second, before)).toBe(undefined)

    world.now += 1
    const active = await first.signingKeys.rotate(user.accountId, { now: true })
    expect(active).toMatchObject({ algorithm, status: 'active' })
    for (const process of [first, second]) {
      const after = await user.logIn(process)
      expect(decodeProtectedHeader(after).kid).toBe(active.id)
      for (const token of [before, after]) {
        expect(await user.check(first, token)).toBe(undefined)
        expect(await user.check(second, token)).toBe(undefined)
        expect(await user.checkByGuard(second, token)).toBe(undefined)
      }
    }
    const keys = await first.signingKeys.list(user.accountId)
    expect(keys.map(({ status }) => status)).toEqual(['retired', 'active'])
    expect(await user.publicKeyIds(second)).toEqual(keys.map(({ id }) => id))
    expect(JSON.stringify(keys)).not.toMatch(/"(d|k|p|q)":/)
  })

  test("one account's token is invalid in every other account", async () => {
    const clientele = await start()
    const [ada, eve] = [await addUser(clientele), await addUser(clientele)]
    const token = await ada.logIn(clientele)
    const [header, , signature] = token.split('.')
    const { keys } = await readKeySet(clientele, eve.accountId)
    expect(keys).toEqual([])
    await eve.logIn(clientele)
    const ids = await eve.publicKeyIds(clientele)
    expect(ids).toHaveLength(1)
    expect(ids).not.toContain(decodeProtectedHeader(token).kid)
    expect(decodeJwt(token)).toMatchObject({
      iss: `urn:clientele:account:${ada.accountId}`,
      aud: ada.accountId,
      client_id: ada.accountId,
    })
    for (const round of ['first seen here', 'seen before']) {
      expect([round, await eve.check(clientele, token)]).toEqual([round, 'token_unknown_key'])
      const refused = { isValid: false, code: 'token_unknown_key', status: 401 }
      expect(await eve.checkByHttp(clientele, token)).toMatchObject(refused)
      expect(await ada.check(clientele, token)).toBe(undefined)
    }
    // A guard that names no account goes by what the token names, whose key then does not fit.
    const claims = { ...decodeJwt(token), aud: eve.accountId, client_id: eve.accountId }
    const forged = [header, Buffer.from(JSON.stringify(claims)).toString('base64url'), signature]
    expect(await eve.checkByGuard(clientele, forged.join('.'))).toBe('token_unknown_key')
  })

  test('the type of tokens can be JWT, and changes without an outage', async () => {
    const [plain, usual] = [await start({ tokenType: 'JWT' }), await start()]
    const user = await addUser(plain)
    const token = await user.logIn(plain)
    expect(decodeProtectedHeader(token).typ).toBe('JWT')
    for (const each of [token, await user.logIn(usual)])
      for (const at of [plain, usual]) expect(await user.check(at, each)).toBe(undefined)
  })

  test('processes that issue the first token of an account at once create one key', async () => {
    const all = await Promise.all([start(), start(), start()])
    const user = await addUser(all[0])
    const created: string[] = []
    for (const each of all)
      each.events.on('signing_key.created', ({ accountId, keyId }) => {
        expect(accountId).toBe(user.accountId)
        created.push(keyId)
      })
    const tokens = await Promise.all([...all, ...all, ...all].map((each) => user.logIn(each)))
    const kids = new Set(tokens.map((token) => decodeProtectedHeader(token).kid))
    expect([...kids]).toEqual(created)
    const { data } = await all[1].events.read(user.accountId, { types: ['signing_key.*'] })
    expect(data.map(({ type, subject }) => [type, subject.id])).toEqual([
      ['signing_key.created', created[0]],
    ])
  })

  test('processes that sign by different algorithms accept each other', async () => {
    const all = await Promise.all(algorithms.map((each) => start({ signingAlgorithm: each })))
    const [first] = all as [Clientele, ...Clientele[]] // there are three
    const user = await addUser(first)
    for (const signer of all) {
      const token = await user.logIn(signer)
      for (const verifier of all) expect(await user.check(verifier, token)).toBe(undefined)
    }
    expect(await user.publicKeyIds(first)).toHaveLength(3)
  })

  test('a retired key verifies until its last token has expired, then it is deleted', async () => {
    const timers = holdTimers()
    const clientele = await start({ tokenTtlSeconds: 7200 })
    const user = await addUser(clientele)
    await user.logIn(clientele)
    const [old] = await clientele.signingKeys.list(user.accountId)
    const rotatedAt = world.now
    await clientele.signingKeys.rotate(user.accountId, { now: true })
    world.now = rotatedAt + 2 * hour + 9_000
    expect(await user.publicKeyIds(clientele)).toContain(old?.id)
    world.now = rotatedAt + 2 * hour + 11_000
    const keys = await clientele.signingKeys.list(user.accountId)
    expect(keys.map(({ status }) => status)).toEqual(['active'])
    expect(await user.publicKeyIds(clientele)).not.toContain(old?.id)
    await user.logIn(clientele)
    const repository = openRepository(database.url)
    // The sweeper leaves it for ten minutes, and rests for a minute at most.
    world.now += 600_000
    timers.pass(60_000)
    await expect.poll(async () => (await listAllKeys(repository)).length).toBe(1)
    await repository.storage.close()
  })

  test('the tokens of a removed key are refused everywhere at once, and no process signs with it', async () => {
    const first = await start()
    const [second, third] = [await start(), await start()]
    const user = await addUser(first)
    const token = await user.logIn(first)
    for (const each of [first, second, third]) {
      expect(await user.check(each, token)).toBe(undefined)
      expect(await user.checkByHttp(each, token)).toMatchObject({ isValid: true })
      expect(await user.checkByGuard(each, token)).toBe(undefined)
      // Each has signed with it.
      expect(decodeProtectedHeader(await user.logIn(each))).toEqual(decodeProtectedHeader(token))
    }
    const { accountId } = user
    const removed: unknown[] = []
    first.events.on('signing_key.removed', (event) => removed.push(event))
    const keyId = String(decodeProtectedHeader(token).kid)
    await first.signingKeys.remove(accountId, keyId)
    expect(removed).toEqual([{ ...byOperator, accountId, keyId }])
    // The clock stands still: no process had a reason to read the keys again.
    for (const each of [first, second, third]) {
      expect(await user.check(each, token)).toBe('token_unknown_key')
      expect(await user.checkByGuard(each, token)).toBe('token_unknown_key')
      const refused = { isValid: false, code: 'token_unknown_key', status: 401 }
      expect(await user.checkByHttp(each, token)).toMatchObject(refused)
      const next = await user.logIn(each)
      expect(decodeProtectedHeader(next).kid).not.toBe(keyId)
      expect(await user.check(first, next)).toBe(undefined)
    }
    expect(await codeOf(first.signingKeys.remove(accountId, keyId))).toBe('signing_key_not_found')
  })

  test('a key of an unused algorithm is retired, and deleted after its last token has expired', async () => {
    const before = await start({ signingAlgorithm: 'RS256' })
    const user = await addUser(before)
    const { accountId } = user
    const token = await user.logIn(before)
    const after = await start()
    world.now += 1
    await user.logIn(after)
    const retired: unknown[] = []
    after.events.on('signing_key.retired', (event) => retired.push(event))
    const keyId = String(decodeProtectedHeader(token).kid)
    await after.signingKeys.retire(accountId, keyId)
    expect(retired).toEqual([{ ...byOperator, accountId, keyId }])
    const retiredAt = new Date(world.now)
    world.now += 6_000
    await after.signingKeys.retire(accountId, keyId)
    expect(retired).toHaveLength(1)
    const keys = await after.signingKeys.list(accountId)
    expect(keys.map((key) => [key.algorithm, key.retiredAt])).toEqual([
      ['RS256', retiredAt],
      ['ES256', null],
    ])
    expect(await user.check(after, token)).toBe(undefined)
    // A process that has not been restarted goes on with a key of its own.
    expect(await user.check(after, await user.logIn(before))).toBe(undefined)
    world.now += 3 * hour
    expect((await after.signingKeys.list(accountId)).map((key) => key.id)).not.toContain(keyId)
  })

  test('unknown key ids cost few look-ups', async () => {
    const repository = openRepository(database.url)
    let loads = 0
    const list: typeof repository.signingKeys.list = (accountId) => {
      loads++
      return repository.signingKeys.list(accountId)
    }
    const counted = { ...repository, signingKeys: { ...repository.signingKeys, list } }
    const clientele = await start({ repository: counted })
    const user = await addUser(clientele)
    const [, payload, signature] = (await user.logIn(clientele)).split('.')
    loads = 0
    const tokens = Array.from({ length: 200 }, (_, index) => {
      const header = { alg: 'ES256', typ: 'at+jwt', kid: `unknown-${index}` }
      return `${Buffer.from(JSON.stringify(header)).toString('base64url')}.${payload}.${signature}`
    })
    for (const token of tokens) {
      // The look-up that validation makes anyway says that there is no such key.
      const refused = { isValid: false, code: 'token_unknown_key' }
      expect(await user.checkByHttp(clientele, token)).toMatchObject(refused)
    }
    expect(loads).toBe(0)
    const codes = await Promise.all(tokens.map((token) => user.check(clientele, token)))
    expect(new Set(codes)).toEqual(new Set(['token_unknown_key']))
  })
})
