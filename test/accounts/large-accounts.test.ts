import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { tables } from '../../packages/core/src/sql/tables/tables.ts'
import { eitherDatabase } from '../support/databases.ts'
import { openRecordedClientele, type RecordedClientele } from '../support/recorded-clientele.ts'
import { insertRows, numberedId, runSql } from '../support/run-sql.ts'

const databases = eitherDatabase(import.meta.filename)

const manyRows = 2_600
/** How many rows a statement may delete */
const rowsAtOnce = 500
const later = String(Date.now() + 36_000_000)

/** Tables of which an account, or each of its users, has a few rows, and the users themselves, who are deleted in parts */
const few = [
  'accounts account_names api_keys trusted_issuers signing_keys webhooks webhook_attempts event_feeds',
  'users verified_emails mfa_factors scim_users scim_leases',
  'user_counts user_count_groups user_count_ranges user_count_deltas',
  'migrations console_links console_sessions',
]
  .join(' ')
  .split(' ')
  .map((name) => `clientele_${name}`)

interface Rows {
  table: string
  values: Record<string, string>
}

describe.each(databases)('the deletion of an account on $name', ({ open }) => {
  let opened: RecordedClientele
  beforeAll(async () => {
    opened = await openRecordedClientele(open)
  })
  afterAll(() => opened.close())

  const rowsOf: Record<string, (account: string, user: string) => Rows> = {
    events: (account_id) => ({
      table: 'clientele_events',
      values: {
        account_id,
        id: numberedId(opened.database.url),
        type: "'user.updated'",
        created_at: 'n',
        actor_type: "'system'",
        request_id: "'request'",
        subject_type: "'user'",
        data: "'{}'",
        position: 'n + 10',
      },
    }),
    'counts of failed attempts': (account_id) => ({
      table: 'clientele_rate_limits',
      values: { account_id, key: "'login:' || n", points: '1', expires_at: later },
    }),
    'stored responses': (account_id) => ({
      table: 'clientele_replies',
      values: {
        account_id,
        operation: "'createUser' || n % 2",
        key: "'key' || n",
        digest: "'digest'",
        answer: "'{}'",
        expires_at: later,
      },
    }),
    'former addresses': (account_id, user_id) => ({
      table: 'clientele_former_emails',
      values: { account_id, user_id, email: "'former' || n || '@example.com'" },
    }),
    'waiting sign-ins': (account_id, user_id) => ({
      table: 'clientele_challenges',
      values: {
        account_id,
        user_id,
        hash: "'hash' || n",
        amr: "'[]'",
        tries_left: '5',
        mails_left: '3',
        expires_at: later,
      },
    }),
  }

  test.each(Object.entries(rowsOf))('deletes %s in parts', async (_, toRows) => {
    const { clientele, recorded, database } = opened
    const { id: accountId } = await clientele.accounts.create({ name: 'Large' })
    const input = { name: 'Ada', email: 'ada@example.com', password: 'password' }
    const { user } = await clientele.users.create(accountId, input)
    const { table, values } = toRows(`'${accountId}'`, `'${user.id}'`)
    await insertRows(database.url, table, manyRows, values)
    recorded.take()
    await clientele.accounts.delete(accountId)
    const deletions = recorded.take().filter(({ sql }) => sql.startsWith(`delete from "${table}"`))
    expect(deletions.length).toBeGreaterThanOrEqual(Math.floor(manyRows / rowsAtOnce))
    const select = `select count(*) as rows from ${table} where account_id = '${accountId}'`
    const [left] = (await runSql(database.url, select)) as [{ rows: number | string }] // what it selects
    expect(Number(left.rows)).toBe(0)
  })

  test('deletes the rows of each table in parts of which there may be many', async () => {
    const { clientele, recorded } = opened
    const { id: accountId } = await clientele.accounts.create({ name: 'Empty' })
    recorded.take()
    await clientele.accounts.delete(accountId)
    const inParts = recorded
      .take()
      .flatMap(({ sql }) => / from "(\w+)" .* offset [15]00$/.exec(sql)?.[1] ?? [])
    expect([...inParts, ...few].sort()).toEqual(Object.keys(tables).sort())
  })
})
