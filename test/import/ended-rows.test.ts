import { createClientele, type ImportRecord } from '@clientele/core'
import { beforeEach, describe, expect, onTestFinished, test } from 'vitest'
import { openDatabase } from '../support/databases.ts'
import { insertRows } from '../support/run-sql.ts'
import { openRecorded } from '../support/statement-recorder.ts'

// On a database server the statements do not run on the event loop.
describe('an import that ends many rows of users on SQLite', () => {
  let open: Awaited<ReturnType<typeof openShop>>
  beforeEach(async () => {
    open = await openShop()
  })

  test('is stored in parts when it takes many roles away', async () => {
    const roles = Array.from({ length: 40 }, (_, index) => `role ${index}`)
    await open.importUsers(20, { roles })
    const result = await open.importUsers(20, { roles: [] })
    // Each part takes 200 roles away.
    expect(result).toMatchObject({ updated: 20, errors: [], parts: 4 })
    expect(result.sql.filter((sql) => /count\(\*\) from "clientele_sessions"/.test(sql))).toEqual(
      [],
    )
    const { data } = await open.clientele.users.list(open.accountId, { limit: 100 })
    expect(data.map((user) => user.roles)).toEqual(Array(20).fill([]))
  })

  test('is stored in parts when it deactivates users with many rows', async () => {
    await open.importUsers(10, {})
    // A user alone may have more rows than a part.
    for (const [email, rows] of [
      ['user1@example.com', 250],
      ['user3@example.com', 150],
      ['user4@example.com', 150],
    ] as const)
      await open.addChallenges(email, rows)
    const result = await open.importUsers(10, { isActive: false })
    expect(result).toMatchObject({ updated: 10, errors: [], parts: 3 })
    // A part counts the rows of its own users and of the one after it.
    expect(
      result.sql.filter((sql) => /count\(\*\) from "clientele_sessions"/.test(sql)),
    ).toHaveLength(12)
    const { data } = await open.clientele.users.list(open.accountId, { limit: 100 })
    expect(data.map((user) => user.isActive)).toEqual(Array(10).fill(false))
  })

  test('is stored at once when the same users have few rows', async () => {
    await open.importUsers(10, {})
    await open.addChallenges('user1@example.com', 100)
    await open.addChallenges('user3@example.com', 100)
    const result = await open.importUsers(10, { isActive: false })
    expect(result).toMatchObject({ updated: 10, parts: 1 })
  })
})

async function openShop() {
  const database = await openDatabase('sqlite')
  const { repository, take, close } = openRecorded(database.url)
  onTestFinished(async () => {
    await close()
    await database.close()
  })
  const clientele = await createClientele({
    repository,
    secrets: ['a secret of the tests, 32 characters'],
    clock: () => 1_000,
  })
  const { id: accountId } = await clientele.accounts.create({ name: 'Shop' })

  return {
    clientele,
    accountId,
    /** Imports users with the same values, and says in how many parts they were stored. */
    async importUsers(count: number, values: object) {
      const records = Array.from(
        { length: count },
        (_, index): ImportRecord => ({
          line: index + 1,
          value: { name: `User ${index}`, email: `user${index}@example.com`, ...values },
        }),
      )
      take()
      const result = await clientele.users.import(accountId, records, { onConflict: 'update' })
      const sql = take().map((statement) => statement.sql)
      const isPart = (text: string) => text.startsWith('insert into "clientele_events"')
      return { ...result, sql, parts: sql.filter(isPart).length }
    },
    async addChallenges(email: string, rows: number) {
      const { data } = await clientele.users.list(accountId, { email })
      const [user] = data
      if (user === undefined) throw new Error(`No user has ${email}`)
      await insertRows(database.url, 'clientele_challenges', rows, {
        account_id: `'${accountId}'`,
        user_id: `'${user.id}'`,
        hash: `'${email} ' || n`,
        amr: "'[]'",
        tries_left: '5',
        mails_left: '3',
        expires_at: '2000',
      })
    },
  }
}
