import { afterAll, beforeAll, expect, test } from 'vitest'
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
