import { type Clientele, createClientele, type Repository } from '@clientele/core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { Sweeper } from '../../packages/core/src/clientele/sweeper.ts'
import { databases, type OpenDatabase } from '../support/databases.ts'
import { repositoryOf } from '../support/open-repository.ts'
import { runSql } from '../support/run-sql.ts'

const dayMs = 24 * 3_600_000

describe.each(databases)('what has outlived its time on $name', ({ open }) => {
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

  test('goes where nobody writes any more, and nothing else does', async () => {
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

  test('stays where somebody has changed it, and that is said', async () => {
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
})
