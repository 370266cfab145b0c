import type { Clientele, Scope } from '@clientele/core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { byOperator } from '../support/by-operator.ts'
import { eitherDatabase, type OpenDatabase } from '../support/databases.ts'
import { codeOf, openClientele, send } from './open-clientele.ts'

const databases = eitherDatabase(import.meta.filename)

const day = 24 * 3600 * 1000

describe.each(databases)('API keys on $name', ({ open }) => {
  let database: OpenDatabase
  let first: Clientele
  let second: Clientele
  let accountId: string
  let otherAccountId: string
  let now = Date.parse('2026-05-05T12:00:00Z')

  beforeAll(async () => {
    database = await open()
    first = await openClientele(database.url, { clock: () => now })
    second = await openClientele(database.url, { clock: () => now })
    accountId = (await first.accounts.create({ name: 'Acme' })).id
    otherAccountId = (await first.accounts.create({ name: 'Other' })).id
  })
  afterAll(async () => {
    await Promise.all([first.close(), second.close()])
    await database.close()
  })

  async function ask(
    clientele: Clientele,
    key: string,
    method = 'GET',
    url = '/client/user',
    body?: unknown,
  ): Promise<{ status: number; code: unknown }> {
    const answer = await send(clientele, method, url, { key, body })
    return { status: answer.status, code: answer.body.code }
  }

  test('a rotated key works through the overlap, the new one from now on', async () => {
    const events: unknown[] = []
    const stop = first.events.on('api_key.rotated', (event) => events.push(event))
    const scopes: Scope[] = ['users:read']
    const old = await first.apiKeys.create(accountId, { name: 'backend', scopes })
    const next = await first.apiKeys.rotate(accountId, old.id, { overlapSeconds: 60 })
    stop()
    expect(events).toEqual([
      {
        ...byOperator,
        accountId,
        apiKeyId: next.id,
        name: 'backend',
        scopes,
        replacedKeyId: old.id,
        replacedKeyExpiresAt: new Date(now + 60_000),
      },
    ])
    const keys = await first.apiKeys.list(accountId)
    expect(keys.find(({ id }) => id === next.id)).toMatchObject({
      name: 'backend',
      scopes,
      expiresAt: null,
    })
    for (const key of [old, next]) expect((await ask(second, key.apiKey)).status).toBe(200)
    now += 60_000
    expect(await ask(second, old.apiKey)).toEqual({ status: 401, code: 'api_key_invalid' })
    expect((await ask(second, next.apiKey)).status).toBe(200)
    expect(await codeOf(first.apiKeys.rotate(accountId, old.id))).toBe('api_key_not_found')
  })

  test('a rotation never lengthens the life of the old key, and keeps the length of its life', async () => {
    const old = await first.apiKeys.create(accountId, {
      expiresAt: new Date(now + day),
    })
    now += day / 2
    const next = await first.apiKeys.rotate(accountId, old.id, { overlapSeconds: 2 * 24 * 3600 })
    const keys = await first.apiKeys.list(accountId)
    const expiry = (id: string) => keys.find((key) => key.id === id)?.expiresAt
    expect(expiry(old.id)).toEqual(new Date(now + day / 2))
    expect(expiry(next.id)).toEqual(new Date(now + day))
    const last = await first.apiKeys.rotate(accountId, next.id, { expiresAt: null })
    const again = await first.apiKeys.list(accountId)
    expect(again.find((key) => key.id === last.id)?.expiresAt).toBe(null)
  })

  test('a key that is replaced twice passes on its original lifetime', async () => {
    const expiryOfTwins = async (expiresAt: Date | null) => {
      const old = await first.apiKeys.create(accountId, { expiresAt })
      const expiries: unknown[] = []
      for (const overlapSeconds of [3600, 7200]) {
        const next = await first.apiKeys.rotate(accountId, old.id, { overlapSeconds })
        const keys = await first.apiKeys.list(accountId)
        expiries.push(keys.find((key) => key.id === next.id)?.expiresAt)
        expect(keys.find((key) => key.id === old.id)?.expiresAt).toEqual(new Date(now + 3_600_000))
      }
      return expiries
    }
    expect(await expiryOfTwins(null)).toEqual([null, null])
    const inADay = new Date(now + day)
    expect(await expiryOfTwins(inADay)).toEqual([inADay, inADay])
  })

  test("another account's key, a revoked one and a wrong overlap are not rotated", async () => {
    const key = await first.apiKeys.create(accountId)
    expect(await codeOf(first.apiKeys.rotate(otherAccountId, key.id))).toBe('api_key_not_found')
    for (const overlapSeconds of [-1, 0.5, 91 * 24 * 3600]) {
      const outcome = await codeOf(first.apiKeys.rotate(accountId, key.id, { overlapSeconds }))
      expect(outcome).toBe('validation_failed')
    }
    await first.apiKeys.revoke(accountId, key.id)
    expect(await codeOf(first.apiKeys.rotate(accountId, key.id))).toBe('api_key_not_found')
    expect(await first.apiKeys.list(otherAccountId)).toEqual([])
  })

  test('a revocation takes effect in every process from the next request on', async () => {
    const events: unknown[] = []
    const stop = first.events.on('api_key.revoked', (event) => events.push(event))
    const key = await first.apiKeys.create(accountId)
    for (const each of [first, second]) expect((await ask(each, key.apiKey)).status).toBe(200)
    await first.apiKeys.revoke(accountId, key.id)
    stop()
    expect(events).toEqual([{ ...byOperator, accountId, apiKeyId: key.id }])
    for (const each of [second, first])
      expect(await ask(each, key.apiKey)).toEqual({ status: 401, code: 'api_key_invalid' })
  })

  test('the last use is noted at most once a minute', async () => {
    const key = await first.apiKeys.create(accountId)
    const lastUse = async () =>
      (await first.apiKeys.list(accountId)).find(({ id }) => id === key.id)?.lastUsedAt
    expect(await lastUse()).toBe(null)
    const start = now
    await ask(first, key.apiKey)
    await expect.poll(lastUse).toEqual(new Date(start))
    now = start + 59_999
    await ask(second, key.apiKey)
    await new Promise((resolve) => setTimeout(resolve, 50))
    expect(await lastUse()).toEqual(new Date(start))
    now = start + 60_000
    await ask(second, key.apiKey)
    await expect.poll(lastUse).toEqual(new Date(now))
  })

  const operations: [scope: Scope, method: string, url: string, body?: object][] = [
    ['users:read', 'GET', '/client/user'],
    ['users:write', 'POST', '/client/user', {}],
    ['tokens:validate', 'POST', '/client/user/auth/validation-token', {}],
    ['tokens:issue', 'POST', '/client/user/auth/login', {}],
  ]

  test.each(operations)(
    '%s is required by %s %s, and no other scope suffices',
    async (...operation) => {
      const [scope, method, url, body] = operation
      const others = operations.map(([each]) => each).filter((each) => each !== scope)
      const only = await first.apiKeys.create(accountId, { scopes: [scope] })
      const allBut = await first.apiKeys.create(accountId, { scopes: others })
      const allowed = await ask(first, only.apiKey, method, url, body)
      expect(allowed.status).toBe(body === undefined ? 200 : 422)
      expect(await ask(first, allBut.apiKey, method, url, body)).toEqual({
        status: 403,
        code: 'scope_insufficient',
      })
    },
  )

  test('a secret identifies its account, in process as over HTTP', async () => {
    const expiresAt = new Date(now + day)
    const { id, apiKey } = await first.apiKeys.create(accountId, {
      scopes: ['users:read', 'tokens:issue'],
      expiresAt,
    })
    const found = await second.apiKeys.authenticate(apiKey)
    const actor = { type: 'api_key', id }
    const scopes = ['users:read', 'tokens:issue']
    expect(found).toEqual({ accountId, apiKeyId: id, scopes, expiresAt, actor })
    expect(await second.apiKeys.authenticate(apiKey, { scope: 'tokens:issue' })).toEqual(found)
    // The use is noted, as that of a request is.
    const lastUse = async () =>
      (await first.apiKeys.list(accountId)).find((key) => key.id === id)?.lastUsedAt
    await expect.poll(lastUse).toEqual(new Date(now))
    const { total } = await second.users.list({ accountId: found.accountId, actor: found.actor })
    expect(total).toBe(0)
  })

  test('an invalid, revoked or insufficient key is refused in process, too', async () => {
    const { authenticate } = first.apiKeys
    const { id, apiKey } = await first.apiKeys.create(accountId, { scopes: ['users:read'] })
    expect(await codeOf(authenticate(apiKey, { scope: 'users:write' }))).toBe('scope_insufficient')
    const expiring = await first.apiKeys.create(accountId, {
      expiresAt: new Date(now + 1000),
    })
    now += 1000
    await first.apiKeys.revoke(accountId, id)
    const closed = (await first.accounts.create({ name: 'Closed' })).id
    const ofClosed = await first.apiKeys.create(closed)
    await first.accounts.disable(closed)
    const unknown = `${apiKey.slice(0, -1)}${apiKey.endsWith('0') ? '1' : '0'}`
    const refused = [apiKey, expiring.apiKey, ofClosed.apiKey, unknown, '', 'Bearer x', `${id}`]
    for (const secret of refused) expect(await codeOf(authenticate(secret))).toBe('api_key_invalid')
    for (const wrong of [undefined, 5, {}]) {
      expect(await codeOf(authenticate(wrong as never))).toBe('validation_failed') // what no type allows
    }
    const misspelt = authenticate(apiKey, { scopes: ['users:read'] } as never)
    expect(await codeOf(misspelt)).toBe('validation_failed')
  })

  test('each creation writes an event', async () => {
    const events: unknown[] = []
    const stop = first.events.on('api_key.created', (event) => events.push(event))
    const key = await first.apiKeys.create(accountId, { name: 'one', scopes: ['users:read'] })
    stop()
    expect(events).toEqual([
      { ...byOperator, accountId, apiKeyId: key.id, name: 'one', scopes: ['users:read'] },
    ])
  })
})
