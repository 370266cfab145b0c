import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createTenant, type Tenant } from '../http/support/world.ts'
import { openRepository } from '../keys/open-clientele.ts'
import { anyDatabase, type OpenDatabase } from '../support/databases.ts'
import { insertUsers } from '../support/run-sql.ts'
import { Browser, ConsoleWorld } from './console-world.ts'

const users = 300

describe.each(anyDatabase)('pages of the export at the same time on $name', ({ open }) => {
  const world = new ConsoleWorld()
  let database: OpenDatabase
  let tenants: Tenant[]
  let browsers: Browser[]
  /** The accounts whose users are being read */
  const reading: string[] = []
  const seen: string[][] = []

  beforeAll(async () => {
    database = await open()
    const repository = openRepository(database.url)
    const clientele = await world.open(database.url, { repository })
    tenants = [await createTenant(clientele), await createTenant(clientele)]
    browsers = await Promise.all(tenants.map(({ key }) => new Browser(clientele).signIn(key)))
    for (const { account } of tenants) await insertUsers(database.url, account.id, users)
    const { importExport } = repository
    const exportBatch = importExport.exportBatch.bind(importExport)
    importExport.exportBatch = async (accountId, ...others) => {
      reading.push(accountId)
      seen.push([...reading])
      const batch = await exportBatch(accountId, ...others)
      await new Promise((resolve) => setTimeout(resolve, 5))
      reading.splice(reading.indexOf(accountId), 1)
      return batch
    }
  })
  afterAll(async () => {
    await world.close()
    await database.close()
  })

  test('are read one after the other for an account', async () => {
    const rounds = Array.from({ length: 5 }, () =>
      browsers.map((each) => each.ask('GET', 'export')),
    )
    const answers = await Promise.all(rounds.flat())
    expect(answers.map(({ json }) => Object(json.records).length)).toEqual(Array(10).fill(users))
    for (const accounts of seen) expect(new Set(accounts).size).toBe(accounts.length)
    // The other account does not wait for it.
    expect(Math.max(...seen.map((accounts) => accounts.length))).toBe(2)

    seen.length = 0
    const alone = browsers.slice(0, 1)
    await Promise.all(rounds.flatMap(() => alone.map((each) => each.ask('GET', 'export'))))
    expect(Math.max(...seen.map((accounts) => accounts.length))).toBe(1)
  })
})
