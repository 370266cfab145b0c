import { createClientele } from '@clientele/core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { databases, type OpenDatabase } from '../support/databases.ts'
import { repositoryOf } from '../support/open-repository.ts'
import { runSql } from '../support/run-sql.ts'

const secrets = ['a secret for tests that is long enough']

describe.each(databases)('an outdated schema on $name', ({ openEmpty }) => {
  let database: OpenDatabase
  beforeAll(async () => {
    database = await openEmpty()
  })
  afterAll(() => database.close())

  function listTables(): Promise<unknown[]> {
    return runSql(
      database.url,
      database.url.startsWith('sqlite:')
        ? 'select name from sqlite_master'
        : "select tablename as name from pg_tables where schemaname = 'public'",
    )
  }

  test('is reported with the missing migrations, and is not changed', async () => {
    const repository = repositoryOf(database.url)
    const all = await repository.storage.missingMigrations()
    expect(all).toContain('0001-initial')
    await expect(createClientele({ repository, secrets, migrate: false })).rejects.toMatchObject({
      code: 'migration_missing',
      message: expect.stringContaining(all.join(', ')),
    })
    expect(await listTables()).toEqual([])
    expect(await repository.storage.migrate()).toEqual(all)
    expect(await repository.storage.missingMigrations()).toEqual([])
    await createClientele({ repository, secrets, migrate: false })
    await repository.storage.close()
  })

  test('is reported with the one missing migration', async () => {
    await runSql(database.url, "delete from clientele_migrations where name = '0001-initial'")
    const repository = repositoryOf(database.url)
    expect(await repository.storage.missingMigrations()).toEqual(['0001-initial'])
    await expect(createClientele({ repository, secrets, migrate: false })).rejects.toMatchObject({
      code: 'migration_missing',
      message: expect.stringContaining('lacks 0001-initial:'),
    })
    await repository.storage.close()
  })
})
