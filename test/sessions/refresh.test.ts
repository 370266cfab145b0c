import type { Clientele } from '@clientele/core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { codeOf, send } from '../keys/open-clientele.ts'
import { eitherDatabase, type OpenDatabase } from '../support/databases.ts'
import { holdTimers } from '../support/hold-timers.ts'
import { logIn } from '../support/log-in.ts'
import { runSql } from '../support/run-sql.ts'
import { SignInWorld } from '../support/sign-in-world.ts'

const databases = eitherDatabase(import.meta.filename)

const day = 24 * 3600 * 1000

describe.each(databases)('refreshing on $name', ({ open }) => {
  let database: OpenDatabase
  const world = new SignInWorld(() => database.url)

  beforeAll(async () => {
    database = await open()
  })
  afterAll(() => database.close())

  async function count(table: string, accountId: string): Promise<number> {
    const where = `where account_id = '${accountId}'`
    const [row] = await runSql(
      database.url,
      `select count(*) as n from clientele_${table} ${where}`,
    )
    return Number((row as { n: unknown }).n) // the only column
  }

  /** Refreshes a session over and over; answers with its tokens, the latest last. */
  async function refreshOften(
    clientele: Clientele,
    accountId: string,
    first: string,
    times: number,
    pauseMs = 0,
  ): Promise<string[]> {
    const tokens = [first]
    for (let index = 0; index < times; index++) {
      world.now += pauseMs
      const refreshToken = tokens.at(-1) ?? ''
      tokens.push((await clientele.auth.refresh(accountId, { refreshToken })).refreshToken)
    }
    return tokens
  }

  test('the refreshes of a session in a minute are limited, across processes, too', async () => {
    const [{ clientele: first }, { clientele: second }] = [await world.start(), await world.start()]
    const { accountId, credentials, signedIn } = await world.signIn(first)
    const half = await refreshOften(first, accountId, signedIn.refreshToken, 15)
    world.now += 20_000
    const all = await refreshOften(second, accountId, half.at(-1) ?? '', 15)
    const latest = { refreshToken: all.at(-1) ?? '' }
    await expect(first.auth.refresh(accountId, latest)).rejects.toMatchObject({
      code: 'rate_limited',
      retryAfterSeconds: 40,
      headers: { ratelimit: '"refresh";r=0;t=40', 'ratelimit-policy': '"refresh";q=30;w=60' },
    })
    // Another session of the same user has a limit of its own.
    const other = await logIn(first, accountId, credentials)
    await refreshOften(first, accountId, other.refreshToken, 1)
    // What was refused has used nothing up.
    world.now += 40_000
    await refreshOften(second, accountId, latest.refreshToken, 30)
  })

  test('the limit is a setting, and over HTTP it is a 429', async () => {
    const rateLimits = { refresh: { points: 2, windowSeconds: 600 } }
    const { clientele } = await world.start({ rateLimits })
    const { accountId, signedIn } = await world.signIn(clientele)
    const { apiKey: key } = await clientele.apiKeys.create(accountId)
    const tokens = await refreshOften(clientele, accountId, signedIn.refreshToken, 2)
    const body = { refresh_token: tokens.at(-1) }
    const refused = await send(clientele, 'POST', '/client/user/auth/refresh', { key, body })
    expect(refused).toMatchObject({ status: 429, body: { code: 'rate_limited' } })
    // The token before gives its successor again, as it did: nothing is written for that.
    await clientele.auth.refresh(accountId, { refreshToken: tokens[1] ?? '' })
  })

  test('a session from before its time to live was shortened is refreshed', async () => {
    const { clientele } = await world.start({ sessionTtlSeconds: 30 * 24 * 3600 })
    const { accountId, signedIn } = await world.signIn(clientele)
    const { clientele: shorter } = await world.start({ sessionTtlSeconds: 3600 })
    const { refreshToken } = signedIn
    const next = await shorter.auth.refresh(accountId, { refreshToken })
    world.now += 2 * 3600 * 1000
    const late = { refreshToken: next.refreshToken }
    expect(await codeOf(shorter.auth.refresh(accountId, late))).toBe('refresh_token_invalid')
  })

  test('a used token is refused after the clock was set back, except by a few seconds', async () => {
    const { clientele } = await world.start()
    const refused = { code: 'refresh_token_invalid' }
    for (const [backMs, isTaken] of [
      [3_000, true],
      [60_000, false],
      [3_600_000, false],
    ] as const) {
      const { accountId, signedIn } = await world.signIn(clientele)
      const present = world.now
      world.now += 2 * 3_600_000
      const { refreshToken } = signedIn
      const next = await clientele.auth.refresh(accountId, { refreshToken })
      world.now -= backMs
      const again = clientele.auth.refresh(accountId, { refreshToken })
      if (isTaken) expect((await again).refreshToken).toBe(next.refreshToken)
      else await expect(again).rejects.toMatchObject(refused)
      world.now = present
    }
  })

  test('a limit that was reached before the clock went back is over', async () => {
    const { clientele } = await world.start()
    const { accountId, signedIn } = await world.signIn(clientele)
    const present = world.now
    world.now += 3_600_000
    const tokens = await refreshOften(clientele, accountId, signedIn.refreshToken, 30)
    world.now = present
    await refreshOften(clientele, accountId, tokens.at(-1) ?? '', 30)
  })

  test('a used token is recognised without being stored', async () => {
    const { clientele } = await world.start()
    const { accountId, user, signedIn } = await world.signIn(clientele)
    const tokens = await refreshOften(clientele, accountId, signedIn.refreshToken, 60, 3_000)
    const tables =
      "select table_name as name from information_schema.tables where table_name like 'clientele%'"
    const names = database.url.startsWith('sqlite:')
      ? "select name from sqlite_schema where type = 'table' and name like 'clientele%'"
      : tables
    let rows = 0
    for (const row of await runSql(database.url, names)) {
      const { name } = row as { name: string } // the only column
      if (/_(accounts|account_names|migrations|console_links|console_sessions)$/.test(name))
        continue
      rows += await count(name.replace('clientele_', ''), accountId)
    }
    // The user, the session, the signing key, and at most what is counted of users.
    expect(rows).toBeLessThan(9)
    expect(await count('sessions', accountId)).toBe(1)

    const told: unknown[] = []
    clientele.events.on('session.reuse_detected', ({ userId }) => told.push(userId))
    world.now += 29 * day
    const [stolen = ''] = tokens
    expect(await codeOf(clientele.auth.refresh(accountId, { refreshToken: stolen }))).toBe(
      'refresh_token_invalid',
    )
    expect(told).toEqual([user.id])
    expect(await clientele.sessions.list(accountId, user.id)).toEqual([])
  })

  test('the id of a session alone does not suffice to end it', async () => {
    const { clientele } = await world.start()
    const { accountId, user, signedIn } = await world.signIn(clientele)
    const [old = '', latest = ''] = await refreshOften(
      clientele,
      accountId,
      signedIn.refreshToken,
      1,
    )
    world.now += 60_000
    const bytes = (text: string) => Buffer.from(text, 'base64url')
    const forged = [0, 17, 30, 60].flatMap((index) =>
      [old, latest].map((token) => {
        const changed = bytes(token)
        changed[index] = (changed[index] ?? 0) ^ 1
        return changed.toString('base64url')
      }),
    )
    // The secret of the latest, and the code of the old one, at each other's place
    const mixed = Buffer.concat([bytes(latest).subarray(0, 52), bytes(old).subarray(52)])
    // The greatest number that a token has room for: it has no successor.
    const last = bytes(latest).fill(0xff, 16, 20)
    const others = [mixed, last].map((token) => token.toString('base64url'))
    others.push(`${latest}A`, latest.slice(0, -1), 'x', '')
    for (const refreshToken of [...forged, ...others]) {
      // The old one with a secret of another is still one that the session gave.
      if (refreshToken === forged[4]) continue
      expect(await codeOf(clientele.auth.refresh(accountId, { refreshToken }))).toMatch(
        /^(refresh_token_invalid|validation_failed)$/,
      )
      if (refreshToken !== '') await clientele.auth.logOut(accountId, { refreshToken })
    }
    expect(await clientele.sessions.list(accountId, user.id)).toHaveLength(1)
    await clientele.auth.refresh(accountId, { refreshToken: latest })
  })

  test('abandoned sessions are deleted as other users sign in', async () => {
    const timers = holdTimers()
    const { clientele, mails } = await world.start({ sessionTtlSeconds: 3600 })
    const { id: accountId } = await clientele.accounts.create({ name: 'Acme' })
    const add = () => world.addUser(clientele, { accountId })
    for (let index = 0; index < 25; index++) {
      const { user, credentials } = await add()
      await logIn(clientele, accountId, credentials)
      await clientele.auth.forgotPassword(accountId, { email: user.email })
      await clientele.mfa.enrolEmail(accountId, user.id)
      await world.challengeOf(clientele, accountId, credentials)
    }
    await expect.poll(() => mails.length).toBe(25)
    const counts = () =>
      Promise.all(
        ['sessions', 'email_tokens', 'challenges'].map((table) => count(table, accountId)),
      )
    expect(await counts()).toEqual([25, 25, 25])
    world.now += 2 * day
    for (let index = 0; index < 3; index++) {
      const { user, credentials } = await add()
      await logIn(clientele, accountId, credentials)
      await clientele.auth.forgotPassword(accountId, { email: user.email })
      await clientele.mfa.enrolEmail(accountId, user.id)
      await world.challengeOf(clientele, accountId, credentials)
    }
    // The sweeper rests for a minute at most.
    timers.pass(60_000)
    await expect.poll(counts).toEqual([3, 3, 3])
  })
})
