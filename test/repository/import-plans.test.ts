import type { Repository } from '@clientele/core'
import Sqlite from 'better-sqlite3'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type OpenDatabase, openDatabase } from '../support/databases.ts'
import { insertUsers, runSql } from '../support/run-sql.ts'
import { planOf } from '../support/sqlite-plan.ts'
import { openRecorded, type RecordedStatement } from '../support/statement-recorder.ts'
import { updateByImport } from './update-by-import.ts'
import { newAccount, nextId } from './world.ts'

const userCount = 2_000
const knowledge = ['no statistics', 'old statistics', 'new statistics'] as const

// SQLite without statistics once read the records anew for each user of the account.
describe.each(knowledge)('writes by a list of records, on SQLite with %s', (known) => {
  let database: OpenDatabase
  let statements: RecordedStatement[]

  beforeAll(async () => {
    database = await openDatabase('sqlite')
    const { url } = database
    const { repository, take, close } = openRecorded(url)
    await repository.storage.migrate()
    if (known === 'old statistics') {
      await insertUsers(url, await newAccount(repository), 1)
      await runSql(url, 'analyze')
    }
    const accountId = await newAccount(repository)
    await insertUsers(url, accountId, userCount)
    if (known === 'new statistics') await runSql(url, 'analyze')
    take()
    await updateByImport(repository, accountId)
    await linkEvents(repository, accountId)
    await repository.personalData.readEvents(accountId, nextId(), { after: 0, limit: 500 })
    await repository.storage.replaceSecrets([], 'prefix')
    statements = take()
    await close()
  })
  afterAll(() => database.close())

  test('each record finds its row by a key', () => {
    const connection = new Sqlite(database.url.slice('sqlite:'.length))
    const texts = new Set(statements.map(({ sql }) => sql))
    const written = [...texts].filter((sql) => sql.includes('json_each') && !/^insert/.test(sql))
    const reads = written.flatMap((sql) => planOf(connection, sql).map((step) => `${step}: ${sql}`))
    connection.close()
    for (const table of ['users" as "u', 'user_words', 'user_roles', 'sessions', 'events'])
      expect(written.some((sql) => sql.includes(`clientele_${table}"`))).toBe(true)
    expect(
      reads.some((read) =>
        /USING.* INDEX clientele_events_by_typed_email \(account_id=\? AND person=\?/.test(read),
      ),
    ).toBe(true)
    const ofTables = reads.filter((read) => /^(SCAN|SEARCH) (u|clientele_\w+) /.test(read))
    // The index of e-mails over all accounts finds a user of one account as fast.
    const byKey = /\((rowid=\?|account_id=\? AND \w+=\?|email=\? AND account_id=\?)/
    expect(ofTables.filter((read) => !byKey.test(read))).toEqual([])
  })
})

/** Gives events their places in a feed with a chain. */
async function linkEvents(repository: Repository, accountId: string): Promise<void> {
  repository.events.linkBy({
    begins: true,
    extend: (_accountId, _end, entries) => ({
      entries: entries.map(({ id, position }) => ({
        id,
        position,
        chain: 'link',
        personSalt: null,
      })),
      chain: 'link',
    }),
    moveBeginning: () => null,
  })
  await repository.events.givePlaces([accountId])
}
