import { randomUUID } from 'node:crypto'
import { type Clientele, createClientele, type Repository } from '@clientele/core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { lowestId } from '../../packages/core/src/base/input/id.ts'
import { Sweeper } from '../../packages/core/src/clientele/sweeper.ts'
import { eitherDatabase, type OpenDatabase } from '../support/databases.ts'
import { repositoryOf } from '../support/open-repository.ts'
import { runSql } from '../support/run-sql.ts'

const databases = eitherDatabase(import.meta.filename)

const dayMs = 24 * 3_600_000

describe.each(databases)('expired rows on $name', ({ open }) => {
  let database: OpenDatabase
  let repository: Repository
  let clientele: Clientele
  let sweeper: Sweeper
  let now = Date.parse('2026-05-05T12:00:00Z')
  const warnings: unknown[] = []

  beforeAll(async () => {
    database = await open()
    repository = repositoryOf(database.url)
    const clock = () => now
    const log = () => {}
    const logger = {
      error: log,
      info: log,
      debug: log,
      warn: (details: object, message: string) => void warnings.push({ ...details, message }),
    }
    const secrets = ['a secret for tests that is long enough']
    clientele = await createClientele({
      repository,
      secrets,
      clock,
      logger,
      audit: { chain: true },
    })
    sweeper = new Sweeper({ repository, clock, retentionMs: 90 * dayMs, logger })
  })
  afterAll(async () => {
    await sweeper.close()
    await clientele.close()
    await database.close()
  })

  const addAccount = async (email: string) => {
    const { id } = await clientele.accounts.create({ name: 'Acme' })
    const call = { accountId: id, idempotencyKey: 'key' }
    await clientele.users.create(call, { name: 'Ada', email, password: 'correct horse' })
    return id
  }
  const countOf = async (table: string, accountId: string) => {
    const text = `select account_id from clientele_${table} where account_id = '${accountId}'`
    return ((await runSql(database.url, text)) as unknown[]).length
  }

  test('of attempts to open a console are deleted, too', async () => {
    const { rateLimits } = repository
    const times = [
      ['over', now + 1_000],
      ['open', now + 10_000_000],
    ] as const
    for (const [key, expiresAt] of times) await rateLimits.add(lowestId, key, 1, now, expiresAt)
    now += 700_000
    await sweeper.sweep()
    const keys = `select key from clientele_rate_limits where account_id = '${lowestId}'`
    expect(await runSql(database.url, keys)).toEqual([{ key: 'open' }])
  })

  test('no attempt is counted, and no feed made, for an account that is gone', async () => {
    const gone = randomUUID()
    const count = await repository.rateLimits.add(gone, 'key', 2, now, now + 1_000)
    expect(count).toEqual({ points: 2, expiresAt: now + 1_000 })
    await runSql(
      database.url,
      `insert into clientele_events (account_id, id, type, created_at, actor_type, request_id, subject_type, data)
       values ('${gone}', '${gone}', 'user.deleted', 1, 'system', '${gone}', 'user', '{}')`,
    )
    await repository.events.findEnd(gone)
    for (const table of ['rate_limits', 'event_feeds']) expect(await countOf(table, gone)).toBe(0)
  })

  test('are deleted in accounts without writes, and only they', async () => {
    const quiet = await addAccount('quiet@example.com')
    await clientele.events.read(quiet)
    now += 60 * dayMs
    const young = await addAccount('young@example.com')
    await sweeper.sweep()
    expect([await countOf('events', quiet), await countOf('replies', quiet)]).toEqual([1, 0])
    expect([await countOf('events', young), await countOf('replies', young)]).toEqual([1, 1])
    now += 31 * dayMs
    await sweeper.sweep()
    expect([await countOf('events', quiet), await countOf('events', young)]).toEqual([0, 1])
    expect(await clientele.events.verify(quiet)).toMatchObject({ isSound: true, verified: 0 })
    expect(warnings).toEqual([])
  })

  test('are deleted from every table in one run, however many there are', async () => {
    const accountId = await addAccount('busy@example.com')
    await Promise.all(Array.from({ length: 600 }, () => clientele.apiKeys.create(accountId)))
    await clientele.events.read(accountId)
    now += 91 * dayMs
    const run = (text: string) => runSql(database.url, text)
    const rowsOf = (count: number, row: (number: number) => string) =>
      Array.from({ length: count }, (_, number) => row(number)).join()
    await run(`insert into clientele_rate_limits (account_id, key, points, expires_at)
      values ${rowsOf(2_001, (number) => `('${accountId}', 'key ${number}', 1, 1)`)}`)
    await run("insert into clientele_console_links (hash, expires_at) values ('link', 1)")
    await run("insert into clientele_console_sessions (hash, expires_at) values ('session', 1)")
    for (const id of ['dead', 'late'])
      await run(`insert into clientele_signing_keys (account_id, id, algorithm, public_jwk, encrypted_private_jwk,
          encrypted_under, created_at, signs_at, retired_at, token_life_seconds)
        values ('${accountId}', '${id}', '${id}', '{}', '', '~', 1, 1, ${now - 1_200_000}, ${id === 'dead' ? 300 : 900})`)
    await sweeper.sweep()
    expect(await countOf('rate_limits', accountId)).toBe(0)
    expect(await run('select hash from clientele_console_links')).toEqual([])
    expect(await run('select hash from clientele_console_sessions')).toEqual([])
    const keys = `select id from clientele_signing_keys where account_id = '${accountId}'`
    expect(await run(keys)).toEqual([{ id: 'late' }])
    expect([await countOf('events', accountId), await countOf('replies', accountId)]).toEqual([
      0, 0,
    ])
    expect(warnings).toEqual([])
  })

  test('stay in a tampered feed, with a warning', async () => {
    const accountId = await addAccount('changed@example.com')
    await clientele.apiKeys.create(accountId)
    await clientele.events.read(accountId)
    const change = `update clientele_events set created_at = 1 where account_id = '${accountId}' and position = 1`
    await runSql(database.url, change)
    await sweeper.sweep()
    expect(await countOf('events', accountId)).toBe(2)
    expect(warnings).toEqual([
      expect.objectContaining({ accountId, message: 'Old events could not be deleted.' }),
    ])
    const { problems } = await clientele.events.verify(accountId)
    expect(problems.map(({ kind, position }) => [kind, position])).toEqual([['changed', 1]])
  })

  test('revoked API keys are deleted after 400 days, and no others', async () => {
    const accountId = await addAccount('rotating@example.com')
    const [kept, revoked] = [
      await clientele.apiKeys.create(accountId),
      await clientele.apiKeys.create(accountId),
    ]
    await clientele.apiKeys.revoke(accountId, revoked.id)
    const listed = async () => (await clientele.apiKeys.list(accountId)).map(({ id }) => id)
    now += 399 * dayMs
    await sweeper.sweep()
    expect(await listed()).toEqual(expect.arrayContaining([kept.id, revoked.id]))
    now += 2 * dayMs
    await sweeper.sweep()
    expect(await listed()).toContain(kept.id)
    expect(await listed()).not.toContain(revoked.id)
  })
})
