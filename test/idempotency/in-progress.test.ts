import { createClientele, type Repository } from '@clientele/core'
import { postgres } from '@clientele/core/postgres'
import { sqlite } from '@clientele/core/sqlite'
import Sqlite from 'better-sqlite3'
import { Client } from 'pg'
import { expect, test } from 'vitest'
import { cheapHashing, LogRecorder } from '../keys/open-clientele.ts'
import { ask } from '../support/ask.ts'
import { openDatabase } from '../support/databases.ts'
import { personOf, secrets } from './world.ts'

async function openOn(repository: Repository) {
  const clientele = await createClientele({
    repository,
    secrets,
    passwords: { hashing: cheapHashing },
    logger: new LogRecorder(),
  })
  return { clientele, accountId: (await clientele.accounts.create({ name: 'Acme' })).id }
}

/** Writes wait longer here than a repeat does. */
const lockSeconds = 20

const locks = {
  sqlite: async (url: string) => {
    const filename = url.slice('sqlite:'.length)
    const opened = await openOn(sqlite({ filename, lockTimeoutSeconds: lockSeconds }))
    const holder = new Sqlite(filename)
    holder.exec('begin immediate')
    return { ...opened, release: async () => void holder.close() }
  },
  postgres: async (url: string) => {
    const timeLimits = { lockSeconds, statementSeconds: lockSeconds }
    const opened = await openOn(postgres({ connectionString: url, timeLimits }))
    const holder = new Client({ connectionString: url })
    await holder.connect()
    await holder.query('begin; lock table clientele_users in share mode')
    return { ...opened, release: () => holder.end() }
  },
}

for (const [name, lock] of Object.entries(locks)) {
  // They wait beside each other.
  test.concurrent(`${name}: a repeat waits five seconds for the first, and the first is not disturbed`, async ({
    expect,
  }) => {
    const database = await openDatabase(name as keyof typeof locks) // its own keys
    const { clientele, accountId, release } = await lock(database.url)
    const call = { accountId, idempotencyKey: 'held' }
    // Connections answer in any order: which of them is the first is not known.
    const requests = [1, 2, 3, 4].map(() => clientele.users.create(call, personOf('held')))
    const refusals: string[] = []
    for (const request of requests) request.catch(({ code }) => refusals.push(code))
    await expect.poll(() => refusals).toHaveLength(3)
    expect(refusals).toEqual(refusals.map(() => 'idempotency_in_progress'))
    await release()
    const answer = await Promise.any(requests)
    expect(await clientele.users.create(call, personOf('held'))).toEqual(answer)
    await clientele.close()
    await database.close()
  })
}

test('PostgreSQL: a repeat gets 409 if the first request holds its lock too long', async () => {
  const database = await openDatabase('postgres')
  const timeLimits = { lockSeconds: 0.5 }
  const repository = postgres({ connectionString: database.url, timeLimits })
  const { clientele, accountId } = await openOn(repository)
  const { apiKey } = await clientele.apiKeys.create(accountId)
  const headers = { 'idempotency-key': 'held' }
  const create = () => ask(clientele, apiKey, 'POST', '/client/user', personOf('held'), headers)
  const holder = new Client({ connectionString: database.url })
  await holder.connect()
  await holder.query('begin')
  await holder.query(
    `insert into clientele_replies (account_id, operation, key, digest, answer, expires_at)
     values ($1, 'createUser', 'held', '', '{}', 9e15)`,
    [accountId],
  )
  const refused = await create()
  expect([refused.status, refused.body.code]).toEqual([409, 'idempotency_in_progress'])
  expect(refused.headers['retry-after']).toBe('1')
  expect((await clientele.users.list(accountId)).total).toBe(0)
  await holder.query('rollback')
  await holder.end()
  const created = await create()
  expect(created.status).toBe(201)
  expect((await create()).body).toEqual(created.body)
  await clientele.close()
  await database.close()
})
