import { setTimeout as sleep } from 'node:timers/promises'
import { type Clientele, createClientele } from '@clientele/core'
import { Client } from 'pg'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { openRepository } from '../keys/open-clientele.ts'
import { type OpenDatabase, openDatabase } from '../support/databases.ts'

const profile = { name: 'Ada', email: 'ada@example.com' }
const password = 'analytical engine'

let database: OpenDatabase
let clientele: Clientele
let client: Client
beforeAll(async () => {
  database = await openDatabase('postgres')
  clientele = await createClientele({
    repository: openRepository(database.url),
    secrets: ['a secret of the tests that is long enough'],
    passwords: { hashing: { memoryKiB: 64, passes: 1 } },
  })
  client = new Client({ connectionString: database.url })
  await client.connect()
})
afterAll(async () => {
  await client.end()
  await clientele.close()
  await database.close()
})

/** Returns when so many statements wait for a lock. */
async function untilWaiting(count: number): Promise<void> {
  for (let waiting = 0; waiting < count; await sleep(5)) {
    const { rows } = await client.query(
      `select count(distinct pid)::int as waiting from pg_locks where not granted
        and database = (select oid from pg_database where datname = current_database())
        or not granted and locktype = 'transactionid'`,
    )
    waiting = rows[0].waiting
  }
}

// Both end the same session: the first one that reaches it is told so, and the other one finds it gone.
test.each([
  {
    name: 'a sign-out',
    type: 'user.logged_out',
    end: (accountId: string, { refreshToken }: Opened) =>
      clientele.auth.logOut(accountId, { refreshToken }),
  },
  {
    name: 'a revocation',
    type: 'session.revoked',
    end: (accountId: string, { userId, sessionId }: Opened) =>
      clientele.sessions.revoke(accountId, userId, sessionId),
  },
  {
    name: 'a revocation of all',
    type: 'session.revoked',
    end: (accountId: string, { userId }: Opened) => clientele.sessions.revokeAll(accountId, userId),
  },
])('$name and a new password after it have their events in this order', async ({ type, end }) => {
  const { id: accountId } = await clientele.accounts.create({ name: 'Acme' })
  const { user } = await clientele.users.create(accountId, { ...profile, password })
  const { refreshToken } = await signIn(accountId)
  const [session] = await clientele.sessions.list(accountId, user.id)
  const opened = { userId: user.id, sessionId: session?.id ?? '', refreshToken }
  await client.query('begin')
  await client.query('select 1 from clientele_sessions where id = $1 for update', [
    opened.sessionId,
  ])
  const ended = end(accountId, opened)
  await untilWaiting(1)
  const changed = clientele.users.replace(accountId, user.id, {
    ...profile,
    password: 'difference engine',
  })
  await untilWaiting(2)
  await client.query('commit')
  await Promise.all([ended, changed])
  const { data } = await clientele.events.read(accountId)
  expect(data.map((event) => event.type).slice(-2)).toEqual([type, 'user.updated'])
})

interface Opened {
  userId: string
  sessionId: string
  refreshToken: string
}

async function signIn(accountId: string): Promise<{ refreshToken: string }> {
  const result = await clientele.auth.logIn(accountId, { email: profile.email, password })
  if (!('refreshToken' in result)) throw new Error('There is no second factor.')
  return result
}
