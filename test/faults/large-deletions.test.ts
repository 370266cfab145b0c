import type { Clientele } from '@clientele/core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { openClientele } from '../keys/open-clientele.ts'
import { databases, type OpenDatabase } from '../support/databases.ts'
import { insertRows, numberedId, runSql } from '../support/run-sql.ts'
import { startWatchedServer, type WatchedServer } from './loop-watch.ts'

/** The longest time for which no other caller is answered. */
const limitMilliseconds = 50
const tries = 3
/** How many rows callers have caused for one user, or one endpoint */
const manyRows = 20_000
const later = Date.now() + 36_000_000
const secrets = ['a secret of the tests, 32 characters']

interface Deletion {
  /** Method and path */
  line: string
  table: string
  values: Record<string, string>
}

describe.each(databases)('large deletions on $name', ({ open }) => {
  let database: OpenDatabase
  let server: WatchedServer
  let clientele: Clientele
  let count = 0

  beforeAll(async () => {
    database = await open()
    server = await startWatchedServer(database.url)
    clientele = await openClientele(database.url, { secrets, sendMail: async () => {} })
  })
  afterAll(async () => {
    await clientele.close()
    await server.stop()
    await database.close()
  })

  async function addUser(): Promise<string> {
    const email = `many${++count}@example.com`
    const input = { name: 'Ada', email, password: 'password' }
    return (await clientele.users.create(server.accountId, input)).user.id
  }

  const ofUser = (userId: string) => ({
    account_id: `'${server.accountId}'`,
    user_id: `'${userId}'`,
  })
  const formerEmails = (userId: string) => ({
    table: 'clientele_former_emails',
    values: { ...ofUser(userId), email: "'former' || n || '@example.com'" },
  })

  const deletions: Record<string, () => Promise<Deletion>> = {
    'a user with former addresses': async () => {
      const id = await addUser()
      return { line: `DELETE /client/user/${id}`, ...formerEmails(id) }
    },
    'the erasure of a user with former addresses': async () => {
      const id = await addUser()
      return { line: `POST /client/user/${id}/erase`, ...formerEmails(id) }
    },
    'the erasure of a user with stored responses': async () => {
      const id = await addUser()
      return {
        line: `POST /client/user/${id}/erase`,
        table: 'clientele_replies',
        values: {
          ...ofUser(id),
          operation: "'createUser'",
          key: `'${id} ' || n`,
          digest: "'digest'",
          answer: "'{}'",
          expires_at: String(later),
        },
      }
    },
    'an endpoint with deliveries': async () => {
      const input = { url: 'https://example.com/', types: ['user.*'] }
      const { id } = await clientele.webhooks.create(server.accountId, input)
      return {
        line: `DELETE /client/webhook/${id}`,
        table: 'clientele_webhook_deliveries',
        values: {
          account_id: `'${server.accountId}'`,
          webhook_id: `'${id}'`,
          event_id: numberedId(database.url),
          position: 'n',
          attempts: '1',
          next_attempt_at: String(later),
        },
      }
    },
  }

  test.each(Object.entries(deletions))(
    '%s: no other caller waits for it',
    async (_, prepare) => {
      let least = Number.POSITIVE_INFINITY
      for (let time = 0; time < tries && least > limitMilliseconds; time++) {
        const { line, table, values } = await prepare()
        await insertRows(database.url, table, manyRows, values)
        const head = `Host: localhost\r\nConnection: close\r\nAuthorization: Bearer ${server.apiKey}`
        const hold = await server.measure(async () =>
          expect(await server.send(`${line} HTTP/1.1\r\n${head}\r\n\r\n`)).toMatch(/^20[04]$/),
        )
        least = Math.min(least, Math.round(hold))
        const select = `select count(*) as rows from ${table} where account_id = '${server.accountId}'`
        expect(await runSql(database.url, select)).toEqual([{ rows: expect.toSatisfy(isZero) }])
      }
      expect(least).toBeLessThanOrEqual(limitMilliseconds)
    },
    120_000,
  )

  test('an erasure counts the rows that it deletes in parts', async () => {
    const userId = await addUser()
    const { table, values } = formerEmails(userId)
    await insertRows(database.url, table, 130, values)
    const typed = { email: 'former100@example.com', password: 'password' }
    await expect(clientele.auth.logIn(server.accountId, typed)).rejects.toThrow()
    const { removed } = await clientele.users.erase(server.accountId, userId)
    expect(removed).toMatchObject({
      clientele_users: 1,
      clientele_former_emails: 130,
      clientele_rate_limits: 1,
    })
    const select = `select count(*) as rows from clientele_events
      where account_id = '${server.accountId}' and cast(person as text) like '%former100@%'`
    expect(await runSql(database.url, select)).toEqual([{ rows: expect.toSatisfy(isZero) }])
  })

  test('a user has at most a hundred waiting sign-ins and enrolments, and the latest stays', async () => {
    const { accountId } = server
    const userId = await addUser()
    const email = `many${count}@example.com`
    // A change of the factors ends what waits.
    await clientele.mfa.enrolEmail(accountId, userId)
    await insertRows(database.url, 'clientele_challenges', 150, {
      ...ofUser(userId),
      hash: "'hash' || n",
      amr: "'[]'",
      tries_left: '5',
      mails_left: '3',
      expires_at: String(Date.now() + 1_000),
    })
    const waiting = await clientele.auth.logIn(accountId, { email, password: 'password' })
    expect(waiting).toMatchObject({ mfaRequired: true })
    const select = `select count(*) as rows from clientele_challenges where user_id = '${userId}'`
    const [held] = (await runSql(database.url, select)) as [{ rows: number | string }] // what it selects
    expect(Number(held.rows)).toBe(100)
    const { challenge } = waiting as { challenge: string } // see above
    await expect(clientele.auth.mailMfaCode(accountId, { challenge })).resolves.toBeUndefined()
  })
})

function isZero(rows: unknown): boolean {
  return Number(rows) === 0
}
