import { type Clientele, createClientele, type Repository } from '@clientele/core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { SteadyTime } from '../../packages/core/src/clientele/steady-time.ts'
import { Sweeper } from '../../packages/core/src/clientele/sweeper.ts'
import { LogRecorder } from '../keys/open-clientele.ts'
import { databases, type OpenDatabase } from '../support/databases.ts'
import { logIn, toRefresh } from '../support/log-in.ts'
import { repositoryOf } from '../support/open-repository.ts'
import { runSql } from '../support/run-sql.ts'

const minute = 60_000
const hour = 60 * minute
const day = 24 * hour
const secrets = ['a secret for tests that is long enough']

describe.each(databases)('the sweeper on $name', ({ open }) => {
  let database: OpenDatabase
  let repository: Repository
  let clientele: Clientele
  let now = Date.parse('2026-05-05T12:00:00Z')
  let elapsed = 0
  const clock = () => now
  const pass = (ms: number): void => {
    now += ms
    elapsed += ms
  }

  beforeAll(async () => {
    database = await open()
    repository = repositoryOf(database.url)
    clientele = await createClientele({ repository, secrets, clock, logger: new LogRecorder() })
  })
  afterAll(async () => {
    await clientele.close()
    await database.close()
  })

  function startSweeper() {
    const log = new LogRecorder()
    const monotonic = () => elapsed
    const time = new SteadyTime({ clock, monotonic })
    const options = { repository, clock, time, retentionMs: 90 * day, logger: log }
    const sweeper = new Sweeper(options)
    const warnings = () => log.lines.map(({ details, message }) => ({ ...details, message }))
    return { sweeper, warnings }
  }

  async function addLiveAccount() {
    const { id: accountId } = await clientele.accounts.create({ name: 'Acme' })
    const credentials = { email: 'ada@example.com', password: 'correct horse' }
    const { user } = await clientele.users.create(accountId, { name: 'Ada', ...credentials })
    const signedIn = await logIn(clientele, accountId, credentials)
    await clientele.events.read(accountId)
    const count = async (table: string) => {
      const text = `select account_id from clientele_${table} where account_id = '${accountId}'`
      return ((await runSql(database.url, text)) as unknown[]).length
    }
    const rows = async () => ({ events: await count('events'), sessions: await count('sessions') })
    return { accountId, user, signedIn, credentials, rows }
  }

  test.each([day, 400 * day])('deletes nothing while the clock is ahead by %i ms', async (ms) => {
    const account = await addLiveAccount()
    const before = await account.rows()
    const { sweeper, warnings } = startSweeper()
    await sweeper.sweepIfSteady()
    for (let looks = 0; looks < 3; looks++) {
      pass(minute)
      now += looks === 0 ? ms : 0
      await sweeper.sweepIfSteady()
    }
    expect(warnings()).toEqual([
      {
        aheadSeconds: ms / 1000,
        message:
          'The clock has jumped ahead. No expired data is deleted until it has run evenly for an hour.',
      },
    ])
    now -= ms
    pass(minute)
    await sweeper.sweepIfSteady()
    expect(await account.rows()).toEqual(before)
    const { accountId, signedIn } = account
    await clientele.auth.refresh(accountId, toRefresh(signedIn))
  })

  test('believes a clock that has run evenly for an hour', async () => {
    const account = await addLiveAccount()
    const { sweeper } = startSweeper()
    await sweeper.sweepIfSteady()
    now += 100 * day
    for (let minutes = 0; minutes < 60; minutes++) {
      await sweeper.sweepIfSteady()
      pass(minute)
    }
    expect((await account.rows()).events).toBeGreaterThan(0)
    await sweeper.sweepIfSteady()
    expect(await account.rows()).toEqual({ events: 0, sessions: 0 })
  })

  test('follows a clock that goes back, and one that drifts', async () => {
    const account = await addLiveAccount()
    const { sweeper, warnings } = startSweeper()
    now -= hour
    await sweeper.sweepIfSteady()
    for (let days = 0; days < 91; days++) {
      pass(day)
      now += 30_000
      await sweeper.sweepIfSteady()
    }
    expect(await account.rows()).toEqual({ events: 0, sessions: 0 })
    expect(warnings()).toEqual([])
  })

  test('waits where a process starts long after the newest event', async () => {
    const account = await addLiveAccount()
    const before = await account.rows()
    now += 400 * day
    const { sweeper, warnings } = startSweeper()
    // An event of the wrong time proves nothing.
    await clientele.accounts.create({ name: 'Late' })
    now += 1
    await sweeper.sweepIfSteady()
    expect(warnings()).toMatchObject([{ aheadSeconds: 400 * 24 * 3600 }])
    now -= 400 * day
    await sweeper.sweepIfSteady()
    expect(await account.rows()).toEqual(before)
  })

  test('still waits where the clock is corrected a little after such a start', async () => {
    const account = await addLiveAccount()
    const before = await account.rows()
    now += 400 * day
    const { sweeper, warnings } = startSweeper()
    await sweeper.sweepIfSteady()
    pass(30 * minute)
    now -= 2 * minute
    await sweeper.sweepIfSteady()
    // The hour begins again.
    pass(40 * minute)
    await sweeper.sweepIfSteady()
    expect(await account.rows()).toEqual(before)
    expect(warnings()).toHaveLength(1)
    pass(30 * minute)
    await sweeper.sweepIfSteady()
    expect((await account.rows()).sessions).toBe(0)
  })

  test('an event of the future neither stops the others from being deleted nor goes alone', async () => {
    const { accountId, user, rows } = await addLiveAccount()
    now += 400 * day
    await clientele.users.patch(accountId, user.id, { name: 'Ada King' })
    now -= 400 * day
    await clientele.events.read(accountId)
    const { sweeper } = startSweeper()
    pass(91 * day)
    // The event of the future is the oldest, and as young as the next.
    await clientele.users.patch(accountId, user.id, { name: 'Ada Lovelace' })
    await clientele.events.read(accountId)
    await sweeper.sweep()
    expect((await rows()).events).toBe(2)
    pass(91 * day)
    await clientele.users.patch(accountId, user.id, { name: 'Countess' })
    await clientele.events.read(accountId)
    await sweeper.sweep()
    expect((await rows()).events).toBe(1)
  })

  test('deletes the progress of an import 30 days after it was abandoned', async () => {
    const { id: accountId } = await clientele.accounts.create({ name: 'Acme' })
    async function* records() {
      for (let line = 1; line <= 400; line++)
        yield { line, value: { name: 'Ada', email: `ada-${line}@example.com` } }
      throw new Error('The disk is away.')
    }
    const { users } = clientele
    const source = 'a file'
    await expect(users.import(accountId, records(), { source })).rejects.toThrow('disk')
    const progress = () => repository.importExport.findProgress(accountId, source)
    const { sweeper } = startSweeper()
    pass(29 * day)
    await sweeper.sweep()
    expect(await progress()).toBeDefined()
    pass(2 * day)
    await sweeper.sweep()
    expect(await progress()).toBeUndefined()
  })

  test('leaves what a process may use whose clock is five minutes behind', async () => {
    const { accountId, user } = await addLiveAccount()
    const hash = 'a'.repeat(43)
    const found = await repository.users.findCredentials(accountId, user.email)
    const passwordHash = found?.passwordHash ?? null
    const challenge = {
      ...{ hash, userId: user.id, amr: ['pwd'], passwordHash, tries: 5, mails: 3 },
      expiresAt: now + 5 * minute,
    }
    expect(await repository.mfa.createChallenge(accountId, challenge)).toBe(true)
    const { sweeper } = startSweeper()
    now += 9 * minute
    await sweeper.sweep()
    now -= 9 * minute
    expect(await repository.mfa.findChallenge(accountId, hash, now)).toBeDefined()
  })
})
