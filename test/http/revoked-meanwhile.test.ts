import type { ServerResponse } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Clientele, ClienteleOptions } from '@clientele/core'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { openClientele, openRepository, send } from '../keys/open-clientele.ts'
import { anyDatabase, type OpenDatabase } from '../support/databases.ts'
import { byUrl, ecJwk, IssuerWorld } from '../support/issuer-world.ts'
import { resolveNames } from '../support/resolve-names.ts'
import { serveIssuer } from '../support/serve-issuer.ts'

/** Longer than a caller stays admitted, in milliseconds */
const longMs = 1_300
const input = { name: 'Ada', email: 'ada@example.com', password: 'analytical engine' }

describe.each(anyDatabase)('a key that is revoked meanwhile, on $name', ({ open }) => {
  let database: OpenDatabase
  beforeAll(async () => {
    database = await open()
  })
  afterAll(() => database.close())

  /** An account with two API keys, one of which is to be revoked. */
  async function openHouse(options: Partial<ClienteleOptions> = {}) {
    const clientele = await openClientele(database.url, options)
    onTestFinished(() => clientele.close())
    const { id: accountId } = await clientele.accounts.create({ name: 'Acme' })
    const { apiKey: key, id } = await clientele.apiKeys.create(accountId)
    const { apiKey: otherKey } = await clientele.apiKeys.create(accountId)
    const revoke = () => clientele.apiKeys.revoke(accountId, id)
    return { clientele, accountId, key, otherKey, revoke }
  }

  const create = async (at: Clientele, key: string) =>
    (await send(at, 'POST', '/client/user', { key, body: input, idempotencyKey: 'k' })).status

  test('adds and moves no endpoint whose name was looked up for long', async () => {
    const { clientele, accountId, key, revoke } = await openHouse()
    const ask = async (method: string, path: string, body: object) =>
      (await send(clientele, method, path, { key, body })).status
    const url = 'https://8.8.8.8/'
    const { secret: _, ...webhook } = await clientele.webhooks.create(accountId, { url })
    await resolveNames(() => undefined)
    const body = { url: 'https://hooks.example.com/' }
    const asked = [
      ask('POST', '/client/webhook', body),
      ask('PATCH', `/client/webhook/${webhook.id}`, body),
    ]
    await sleep(100)
    await revoke()
    expect(await Promise.all(asked)).toEqual([401, 401])
    expect(await clientele.webhooks.list(accountId)).toEqual([webhook])
  })

  test.each([
    ['PATCH', '', { description: 'Another' }],
    ['POST', '/secret/rotate', undefined],
  ])('changes no endpoint after a change that was first: %s %s', async (method, path, body) => {
    const opened = openRepository(database.url)
    const update: typeof opened.webhooks.update = async (...change) => {
      await sleep(longMs)
      return opened.webhooks.update(...change)
    }
    const repository = { ...opened, webhooks: { ...opened.webhooks, update } }
    const { clientele, accountId, key, revoke } = await openHouse({ repository })
    const { id } = await clientele.webhooks.create(accountId, { url: 'https://8.8.8.8/' })
    const ask = async () =>
      (await send(clientele, method, `/client/webhook/${id}${path}`, { key, body })).status
    const asked = [ask(), ask()]
    await sleep(100)
    await revoke()
    expect((await Promise.all(asked)).sort()).toEqual([200, 401])
  })

  test.each(['validation-token', 'introspect'])(
    'reads no user by %s of a token whose issuer has shown its keys slowly',
    async (path) => {
      const world = new IssuerWorld(() => database.url)
      const { clientele, accountId, signByKey } = await world.openAccount()
      const { apiKey: key, id } = await clientele.apiKeys.create(accountId)
      const { origin, answers } = await serveIssuer()
      answers['/keys'] = async (response: ServerResponse) => {
        await sleep(longMs)
        response.end(JSON.stringify({ keys: [ecJwk] }))
      }
      // Another process has read the keys.
      const trustedIssuers = { allowPrivateAddresses: true }
      const other = await openClientele(database.url, { trustedIssuers })
      onTestFinished(() => other.close())
      await other.trustedIssuers.create(accountId, byUrl(`${origin}/keys`))
      const token = await signByKey()
      const ask = async (by: string) => {
        const sent =
          path === 'introspect'
            ? { body: { token }, type: 'application/x-www-form-urlencoded' }
            : { body: { token: `Bearer ${token}` } }
        return (await send(clientele, 'POST', `/client/user/auth/${path}`, { key: by, ...sent }))
          .status
      }
      const asked = ask(key)
      await sleep(100)
      await clientele.apiKeys.revoke(accountId, id)
      expect(await asked).toBe(401)
      const { apiKey } = await clientele.apiKeys.create(accountId)
      expect(await ask(apiKey)).toBe(200)
    },
  )

  const slowly = { hooks: { beforeCreate: () => sleep(longMs) } }

  test('gets no answer of a request that it repeats while that is under way', async () => {
    const { clientele, key, otherKey, revoke } = await openHouse(slowly)
    const asked = [create(clientele, otherKey), create(clientele, key)]
    await sleep(100)
    await revoke()
    expect(await Promise.all(asked)).toEqual([201, 401])
    expect(await create(clientele, otherKey)).toBe(201)
  })

  test('gets no answer that another process has given to the same request', async () => {
    const { clientele, key, otherKey, revoke } = await openHouse(slowly)
    const other = await openClientele(database.url)
    onTestFinished(() => other.close())
    const asked = create(clientele, key)
    await sleep(100)
    expect(await create(other, otherKey)).toBe(201)
    await revoke()
    expect(await asked).toBe(401)
  })

  test('begins no enrolments that wait for their codes to be drawn', async () => {
    const { clientele, accountId, key, revoke } = await openHouse()
    const { user } = await clientele.users.create(accountId, input)
    const enrol = async () =>
      (await send(clientele, 'POST', `/client/user/${user.id}/two-factor/totp?qr=svg`, { key }))
        .status
    expect(await enrol()).toBe(201)
    let isLong = false
    const late: unknown[] = []
    const asked = Array.from({ length: 500 }, async () => {
      const status = await enrol()
      if (isLong) late.push(status)
    })
    await sleep(100)
    await revoke()
    await Promise.race([Promise.all(asked), sleep(longMs)])
    isLong = true
    await Promise.all(asked)
    expect(late).not.toContain(201)
  })

  test.each(['/client/event?sort=-created_at&limit=1000', '/client/user/auth/revocation'])(
    'reads nothing by %s after it has waited for room',
    async (path) => {
      const { clientele, accountId, key, revoke } = await openHouse()
      const { user } = await clientele.users.create(accountId, input)
      for (let count = 0; count < 140; count++) {
        const metadata = { count, text: 'é'.repeat(3_900) }
        await clientele.users.patch(accountId, user.id, { metadata })
      }
      const ask = (url: string) => {
        const headers = { authorization: `Bearer ${key}` }
        const body = new Blob([]).stream()
        const raw = { headers, rawHeaders: Object.entries(headers).flat() }
        return clientele.handle({ method: 'GET', url, mountPath: '', ...raw, body })
      }
      // Pages of a mebibyte, which are not read
      const unread: AsyncIterator<Uint8Array>[] = []
      for (let count = 0; count < 20; count++) {
        const page = await Promise.race([ask('/client/event?limit=1000'), sleep(1_500)])
        if (page?.stream === undefined) break
        const parts = page.stream[Symbol.asyncIterator]()
        await parts.next()
        unread.push(parts)
      }
      const asked = ask(path)
      await revoke()
      await sleep(longMs)
      for (const parts of unread) await parts.return?.()
      expect((await asked)?.status).toBe(401)
    },
  )
})
