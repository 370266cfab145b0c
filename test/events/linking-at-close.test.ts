import { afterAll, beforeAll, expect, test } from 'vitest'
import { LogRecorder, openClientele } from '../keys/open-clientele.ts'
import { type OpenDatabase, openDatabase } from '../support/databases.ts'
import { runSql } from '../support/run-sql.ts'

let database: OpenDatabase
beforeAll(async () => {
  database = await openDatabase('postgres')
})
afterAll(() => database.close())

test('close links all committed events, also those whose linking is under way', async () => {
  const logger = new LogRecorder()
  const clientele = await openClientele(database.url, { audit: { chain: true }, logger })
  const accounts = await Promise.all(
    Array.from({ length: 100 }, (_, index) => clientele.accounts.create({ name: `Acme ${index}` })),
  )
  const countUnlinked = async () =>
    (await runSql(database.url, 'select 1 from clientele_events where position is null')).length
  await expect.poll(countUnlinked, { timeout: 10_000 }).toBe(0)
  await Promise.all(accounts.map(({ id }) => clientele.apiKeys.create(id)))
  const most = await countUnlinked()
  await expect.poll(countUnlinked, { interval: 1 }).toBeLessThan(most)
  await clientele.close()
  expect(await countUnlinked()).toBe(0)
  expect(logger.lines.map(({ message }) => message)).toEqual([])
})
