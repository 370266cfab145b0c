import type { ImportBatch, Repository } from '@clientele/core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { openRepository } from '../keys/open-clientele.ts'
import { newImportedUser, start } from '../repository/world.ts'
import { eitherDatabase } from '../support/databases.ts'
import { ImportWorld, user } from './import-world.ts'

const databases = eitherDatabase(import.meta.filename)

const count = 40
const idOf = (number: number): string =>
  `3f0c8b5e-9d1a-4c2b-8e7f-${String(number).padStart(12, '0')}`
const numbers = Array.from({ length: count }, (_, number) => number)

// Each of these records needs the statements of the one before to be done: a transaction of them all would hold others up.
describe.each(databases)('records that depend on each other on $name', (target) => {
  let world: ImportWorld
  let repository: Repository
  beforeAll(async () => {
    world = await ImportWorld.open(target)
    repository = await openRepository(world.database.url)
  })
  afterAll(async () => {
    await repository.storage.close()
    await world.close()
  })

  const toBatch = (users: ImportBatch['users'], updatesKnown: boolean): ImportBatch => ({
    users,
    importedAt: start,
    progress: undefined,
    updatesKnown,
    isAllOrNothing: false,
    eventsOf: () => [],
  })
  /** Each takes the address of the one before. */
  const shifted = numbers.map((number) => user(number - 1, { id: idOf(number) }))

  test('a transaction settles a few of them', async () => {
    const account = await world.newAccount()
    await world.import(
      account,
      numbers.map((number) => user(number, { id: idOf(number) })),
    )
    const users = shifted.map((record) => newImportedUser(record))
    const update = await repository.importExport.importBatch(account, toBatch(users, true))
    expect(update).toMatchObject({ settled: 8, updated: 8 })
    const same = numbers.map(() => newImportedUser({ email: 'same@example.com', namesId: false }))
    const insert = await repository.importExport.importBatch(account, toBatch(same, false))
    expect(insert).toMatchObject({ settled: 8 })
  })

  test('an import settles all of them, and counts each once', async () => {
    const account = await world.newAccount()
    await world.import(
      account,
      numbers.map((number) => user(number, { id: idOf(number) })),
    )
    const told: number[] = []
    const bad = { name: 'Without an address' }
    const result = await world.import(account, [...shifted, bad, user(count)], {
      onConflict: 'update',
      onError: 'skip',
      source: 'a file',
      onProgress: ({ records }) => told.push(records),
    })
    expect(result).toMatchObject({ imported: 1, updated: count, skipped: 1, conflicts: 0 })
    expect(result.errors.map(({ line }) => line)).toEqual([count + 1])
    expect(told).toEqual([8, 16, 24, 32, 33, 42])
    const { data } = await world.clientele.users.list(account, { limit: 100 })
    const emails = new Map(data.map(({ id, email }) => [id, email]))
    expect(numbers.map((number) => emails.get(idOf(number)))).toEqual(
      shifted.map(({ email }) => email),
    )
  })

  test('the first of many with one address is imported, and each other is a conflict', async () => {
    const account = await world.newAccount()
    const same = numbers.map((number) => user(number, { email: 'same@example.com' }))
    const result = await world.import(account, [...same, user(count)], { onConflict: 'skip' })
    expect(result).toMatchObject({ imported: 2, skipped: count - 1, conflicts: count - 1 })
    const other = await world.newAccount()
    const stopped = await world.import(other, [user(1), ...same])
    expect(stopped).toMatchObject({ imported: 2, stoppedAtLine: 3 })
  })

  test('imports of one account at once take turns, and all are stored', async () => {
    const account = await world.newAccount()
    const results = await Promise.all(
      numbers.slice(0, 6).map((turn) =>
        world.import(
          account,
          numbers.map((number) => user(turn * count + number)),
        ),
      ),
    )
    expect(results.map(({ imported }) => imported)).toEqual(results.map(() => count))
  })
})
