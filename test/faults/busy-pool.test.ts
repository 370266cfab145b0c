import { setTimeout as sleep } from 'node:timers/promises'
import { createClientele } from '@clientele/core'
import { postgres } from '@clientele/core/postgres'
import { Pool } from 'pg'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { cheapHashing, LogRecorder, send } from '../keys/open-clientele.ts'
import { type OpenDatabase, openDatabase } from '../support/databases.ts'

/** With these, each request waits longer for the busy pool than its caller stays authenticated. */
const accounts = 150
const halfMilliseconds = 4_000

let database: OpenDatabase
beforeAll(async () => {
  database = await openDatabase('postgres')
})
afterAll(() => database.close())

test('requests of many accounts are answered on and on while the host keeps its pool busy', async () => {
  const pool = new Pool({ connectionString: database.url, max: 10 })
  const clientele = await createClientele({
    repository: postgres({ pool }),
    secrets: ['a secret of the tests, 32 characters'],
    passwords: { hashing: cheapHashing },
    logger: new LogRecorder(),
  })
  const keys: string[] = []
  for (let count = 0; count < accounts; count++) {
    const { id } = await clientele.accounts.create({ name: `Account ${count}` })
    keys.push((await clientele.apiKeys.create(id)).apiKey)
  }
  let isOver = false
  let answered = 0
  const host = Array.from({ length: 40 }, async () => {
    while (!isOver) await pool.query('select pg_sleep(0.02)')
  })
  const callers = keys.map(async (key) => {
    while (!isOver) {
      await send(clientele, 'GET', '/client/user?limit=1', { key })
      answered++
    }
  })
  await sleep(halfMilliseconds)
  const answeredFirst = answered
  await sleep(halfMilliseconds)
  const answeredThen = answered - answeredFirst
  isOver = true
  await Promise.all([...host, ...callers])
  await clientele.close()
  await pool.end()
  expect(answeredThen).toBeGreaterThan(answeredFirst / 2)
})
