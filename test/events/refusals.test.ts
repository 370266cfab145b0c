import { setTimeout as sleep } from 'node:timers/promises'
import type { Clientele, ClienteleEvent } from '@clientele/core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { codeOf, openClientele, send } from '../keys/open-clientele.ts'
import { eitherDatabase, type OpenDatabase } from '../support/databases.ts'

const databases = eitherDatabase(import.meta.filename)

const password = 'correct horse'
const email = 'ada@example.com'

describe.each(databases)('events that unauthenticated callers can cause on $name', ({ open }) => {
  let database: OpenDatabase
  let first: Clientele
  let second: Clientele
  let now = Date.now()
  beforeAll(async () => {
    database = await open()
    const options = {
      clock: () => now,
      rateLimits: { unknownEmails: { points: 5, windowSeconds: 600 } },
      sendMail: async () => {},
    }
    first = await openClientele(database.url, options)
    second = await openClientele(database.url, options)
  })
  afterAll(async () => {
    await first.close()
    await second.close()
    await database.close()
  })

  const newAccount = async () => (await first.accounts.create({ name: 'Acme' })).id
  const eventsOf = async (accountId: string, type: string): Promise<ClienteleEvent[]> =>
    (await first.events.read(accountId, { types: [type], limit: 1_000 })).data

  test('a revoked key that is still used causes one event a minute, over all processes', async () => {
    const accountId = await newAccount()
    const { id, apiKey } = await first.apiKeys.create(accountId)
    await first.apiKeys.revoke(accountId, id)
    const use = async (at: Clientele) => {
      const { status, body } = await send(at, 'GET', '/client/user', { key: apiKey })
      expect([status, body.code]).toEqual([401, 'api_key_invalid'])
    }
    for (let time = 0; time < 5; time++) for (const at of [first, second]) await use(at)
    const refused = () => eventsOf(accountId, 'api_key.refused')
    await expect.poll(refused).toHaveLength(1)
    expect(await refused()).toMatchObject([
      {
        actor: { type: 'api_key', id },
        subject: { type: 'api_key', id },
        data: { reason: 'revoked' },
      },
    ])
    const [{ createdAt } = { createdAt: new Date(0) }] = await refused()
    now += 59_000
    for (const at of [first, second]) await use(at)
    // What is told of these uses would be written meanwhile.
    await sleep(100)
    now += 2_000
    for (const at of [first, second]) await use(at)
    await expect.poll(refused).toHaveLength(2)
    const ages = (await refused()).map((event) => Number(event.createdAt) - Number(createdAt))
    expect(ages).toEqual([0, 61_000])
  })

  test('an expired key causes an event; valid and unknown keys do not', async () => {
    const accountId = await newAccount()
    const expiresAt = new Date(now + 3_600_000)
    const { apiKey } = await first.apiKeys.create(accountId, { expiresAt })
    await first.apiKeys.authenticate(apiKey)
    const other = (await first.apiKeys.create(await newAccount())).apiKey
    await first.apiKeys.authenticate(other)
    now += 3_600_001
    expect(await codeOf(first.apiKeys.authenticate(apiKey))).toBe('api_key_invalid')
    expect(await codeOf(first.apiKeys.authenticate('cu_live_never'))).toBe('api_key_invalid')
    await expect.poll(() => eventsOf(accountId, 'api_key.refused')).toHaveLength(1)
    expect(await eventsOf(accountId, 'api_key.refused')).toMatchObject([
      { data: { reason: 'expired' } },
    ])
  })

  test('what was typed in place of an e-mail stands in no event: it may be a password', async () => {
    const accountId = await newAccount()
    const typed = ['my secret passphrase', 'hunter2', 'nobody@example.com', `${'a@'.repeat(9)}b`]
    for (const email of typed) await codeOf(first.auth.logIn(accountId, { email, password }))
    const failed = await eventsOf(accountId, 'user.login_failed')
    expect(failed.map(({ data }) => data)).toEqual([
      { email: '' },
      { email: '' },
      { email: 'nobody@example.com' },
      { email: '' },
    ])
  })

  test('unknown e-mails cause a limited number of events over all processes; users are not limited', async () => {
    const accountId = await newAccount()
    await first.users.create(accountId, { name: 'Ada', email, password })
    let heard = 0
    const stop = first.events.on('user.login_failed', () => heard++)
    const fail = async (at: Clientele, given: string) =>
      expect(await codeOf(at.auth.logIn(accountId, { email: given, password: 'wrong one' }))).toBe(
        'credentials_invalid',
      )
    for (let index = 0; index < 8; index++)
      await fail(index % 2 === 0 ? first : second, `nobody${index}@example.com`)
    const failed = () => eventsOf(accountId, 'user.login_failed')
    expect((await failed()).map(({ data }) => data.email)).toEqual(
      [0, 1, 2, 3, 4].map((index) => `nobody${index}@example.com`),
    )
    expect(heard).toBe(3)
    for (let time = 0; time < 3; time++) await fail(first, email)
    expect((await failed()).filter(({ data }) => data.email === email)).toHaveLength(3)
    stop()
    // In the next window it begins anew.
    now += 601_000
    await fail(first, 'late@example.com')
    expect(await failed()).toHaveLength(9)
  })

  test('requested resets count towards that limit, and get the same response', async () => {
    const accountId = await newAccount()
    for (let index = 0; index < 8; index++)
      await first.auth.forgotPassword(accountId, { email: `nobody${index}@example.com` })
    const asked = () => eventsOf(accountId, 'user.password_reset_requested')
    await expect.poll(asked).toHaveLength(5)
    const failing = first.auth.logIn(accountId, { email: 'nobody@example.com', password })
    expect(await codeOf(failing)).toBe('credentials_invalid')
    expect(await eventsOf(accountId, 'user.login_failed')).toEqual([])
  })
})
