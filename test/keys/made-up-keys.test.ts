import { afterAll, beforeAll, expect, test } from 'vitest'
import { accountValues, nextId } from '../repository/world.ts'
import { type OpenDatabase, openDatabase } from '../support/databases.ts'
import { openRecorded, type RecordedRepository } from '../support/statement-recorder.ts'

let database: OpenDatabase
let recorded: RecordedRepository

// In the process of SQLite a look-up takes no connection.
beforeAll(async () => {
  database = await openDatabase('postgres')
  recorded = openRecorded(database.url)
})
afterAll(async () => {
  await recorded.close()
  await database.close()
})

test('look-ups of made-up keys that arrive together share statements', async () => {
  const { apiKeys } = recorded.repository
  const lookUps = Array.from({ length: 200 }, (_, number) =>
    apiKeys.findByHash(`made up ${number}`, Date.now()),
  )
  expect(new Set(await Promise.all(lookUps))).toEqual(new Set([undefined]))
  expect(recorded.take().length).toBeLessThanOrEqual(4)
})

test('so do those of made-up accounts, of made-up links to the console, and of one count of failures', async () => {
  const { accounts, console, rateLimits } = recorded.repository
  const ids = Array.from({ length: 200 }, nextId)
  const asked = ids.map((id) => accounts.exists(id))
  const links = ids.map((id) => console.takeLink(id, Date.now()))
  const counts = ids.map(() => rateLimits.find(ids[0] ?? '', 'console:x', Date.now(), 1_000))
  expect(new Set(await Promise.all([...asked, ...links]))).toEqual(new Set([false]))
  expect(new Set(await Promise.all(counts))).toEqual(new Set([undefined]))
  expect(recorded.take().length).toBeLessThanOrEqual(12)
})

test('an account or a link that is stored is found among them', async () => {
  const { accounts, console } = recorded.repository
  const [id = '', ...others] = Array.from({ length: 100 }, nextId)
  await accounts.create(id, accountValues({ name: 'Acme' }), Date.now())
  await console.addLink(id, Date.now() + 60_000)
  const found = await Promise.all([id, ...others].map((each) => accounts.exists(each)))
  expect(found.filter(Boolean)).toHaveLength(1)
  expect(found[0]).toBe(true)
  const taken = await Promise.all(
    [id, id, ...others].map((each) => console.takeLink(each, Date.now())),
  )
  expect(taken.filter(Boolean)).toHaveLength(1)
})
