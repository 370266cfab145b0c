import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { toRecords } from '../import/import-world.ts'
import { eitherDatabase, type OpenDatabase } from '../support/databases.ts'
import { query, ScimWorld } from './scim-world.ts'

const databases = eitherDatabase(import.meta.filename)

const mebibyte = 1024 * 1024
/** As many and as long as a user may have */
const roles = Array.from({ length: 50 }, (_, index) => `${'\u{1F600}'.repeat(98)}${index + 10}`)
const size = 60
const users = Array.from({ length: size }, (_, index) => ({
  name: 'Ada',
  email: `u${index}@example.com`,
  roles,
}))

describe.each(databases)('lists of large resources, on $name', ({ open }) => {
  let database: OpenDatabase
  let world: ScimWorld
  beforeAll(async () => {
    database = await open()
    world = await ScimWorld.open(database.url)
  })
  afterAll(async () => {
    await world.close()
    await database.close()
  })

  test('end at a mebibyte, and go on at the next position', async () => {
    const { ask, accountId } = await world.provider()
    await world.clientele.users.import(accountId, toRecords(users))
    for (const displayName of roles) await ask('POST', '/Groups', { displayName })
    const emails: string[] = []
    const sizes: number[] = []
    while (emails.length < size) {
      const startIndex = emails.length + 1
      const { body } = await ask('GET', query('/Users', { startIndex, count: 100 }))
      const { totalResults, itemsPerPage, Resources } = body
      expect(Buffer.byteLength(JSON.stringify(body))).toBeLessThan(mebibyte + 1_000)
      expect([totalResults, itemsPerPage, body.startIndex]).toEqual([
        size,
        Resources.length,
        startIndex,
      ])
      expect(Resources.every(({ groups }: { groups: object[] }) => groups.length === 50)).toBe(true)
      emails.push(...Resources.map(({ userName }: { userName: string }) => userName))
      sizes.push(itemsPerPage)
    }
    expect(new Set(emails)).toEqual(new Set(users.map(({ email }) => email)))
    expect(sizes).toHaveLength(2)
    const { body } = await ask('GET', query('/Users', { count: 100, attributes: 'userName' }))
    expect(body.itemsPerPage).toBe(size)
  })
})
