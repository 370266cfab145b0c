import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import Sqlite from 'better-sqlite3'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { databases, type OpenDatabase } from '../support/databases.ts'
import { runSql } from '../support/run-sql.ts'
import { cliScript, startProcess } from '../support/start-process.ts'

// Each command is a process, and a busy machine starts them slowly.
vi.setConfig({ testTimeout: 60_000 })

const account = ['--account', '019dfae2-6a4d-7000-8000-000000000000']
const key = ['--key', '019dfae2-6a4d-7000-8000-000000000001']

const lookingCommands = [
  ['account', 'list'],
  ['account', 'delete', ...account],
  ['key', 'list', ...account],
  ['signing-key', 'list', ...account],
  ['user', 'export', ...account],
  ['user', 'list', ...account],
  ['user', 'find', '--email', 'ada@example.com', ...account],
  ['user', 'delete', '--id', '019dfae2-6a4d-7000-8000-000000000002', ...account],
  ['user', 'import', '--dry-run', '--file', import.meta.filename, ...account],
]
const changingCommands = [
  ['account', 'recount', ...account],
  ['account', 'rename', '--name', 'Globex', ...account],
  ['account', 'disable', ...account],
  ['account', 'enable', ...account],
  ['account', 'delete', '--yes', ...account],
  ['key', 'create', ...account],
  ['key', 'rotate', ...account, ...key],
  ['key', 'revoke', ...account, ...key],
  ['signing-key', 'retire', ...account, '--key', 'none'],
  ['signing-key', 'remove', ...account, '--key', 'none'],
  ['user', 'import', '--file', import.meta.filename, ...account],
  ['user', 'reset', '--id', '019dfae2-6a4d-7000-8000-000000000002', ...account],
]

async function run(url: string, args: string[]) {
  const running = startProcess(cliScript, args, { DATABASE_URL: url })
  const code = await running.ended
  return { code, output: running.output(), errors: running.errors() }
}

describe('a SQLite file', () => {
  let folder: string
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'clientele-cli-'))
  })
  afterAll(() => rm(folder, { recursive: true }))

  test.each([...lookingCommands, ...changingCommands])(
    'that is missing is reported by name and not created: %s %s',
    async (...args) => {
      const file = join(folder, 'typo', 'users.sqlite')
      const { code, output, errors } = await run(`sqlite:${file}`, args)
      expect({ code, output }).toEqual({ code: 1, output: '' })
      expect(errors).toMatch(/^error configuration_invalid: There is no SQLite file/)
      expect(errors).toContain(file)
      expect(errors).toContain('clientele migrate')
      expect(await readdir(folder)).toEqual([])
    },
  )

  test('of another program stays unchanged, including its journal mode', async () => {
    const file = join(folder, 'other.sqlite')
    const other = new Sqlite(file)
    other.exec('create table notes (text)')
    other.close()
    const before = await readFile(file)
    for (const args of [
      ['account', 'list'],
      ['key', 'create', ...account],
    ]) {
      const { code, errors } = await run(`sqlite:${file}`, args)
      expect(code).toBe(1)
      expect(errors).toMatch(/^error migration_missing: .* no tables of Clientele: .*0001-/)
    }
    expect(await readFile(file)).toEqual(before)
    expect(await readdir(folder)).toEqual(['other.sqlite'])
    await rm(file)
  })

  test('without a secret: listing its signing keys generates none', async () => {
    const url = `sqlite:${join(folder, 'users.sqlite')}`
    expect((await run(url, ['migrate'])).code).toBe(0)
    const made = await run(url, ['account', 'create', '--name', 'Acme', '--json'])
    const ofAccount = ['--account', JSON.parse(made.output).account.id]
    const list = ['signing-key', 'list', ...ofAccount, '--json']
    const { code, output } = await run(url, list)
    expect({ code, keys: JSON.parse(output).keys }).toEqual({ code: 0, keys: [] })
    expect(await readdir(folder)).toEqual(['users.sqlite'])
    await run(url, ['signing-key', 'rotate', ...ofAccount])
    expect(await readdir(folder)).toEqual(['users.sqlite', 'users.sqlite.secret'])
    const listed = (await run(url, list)).output
    expect(JSON.parse(listed).keys).toHaveLength(1)
    await writeFile(join(folder, 'users.sqlite.secret'), 'another secret, long enough to be taken')
    const rotate = ['signing-key', 'rotate', '--all']
    expect((await run(url, rotate)).errors).toMatch(/^error secret_wrong/)
    await rm(join(folder, 'users.sqlite.secret'))
    expect((await run(url, list)).output).toBe(listed)
    expect(await readdir(folder)).toEqual(['users.sqlite'])
  })
})

describe.each(databases)('read-only commands, on $name', ({ openEmpty }) => {
  let database: OpenDatabase
  beforeAll(async () => {
    database = await openEmpty()
  })
  afterAll(() => database.close())

  /** Everything that the schema is made of */
  const readSchema = (): Promise<unknown[]> =>
    runSql(
      database.url,
      database.url.startsWith('sqlite:')
        ? 'select name, sql from sqlite_master order by name'
        : `select table_schema, table_name, column_name from information_schema.columns
           where table_schema not in ('pg_catalog', 'information_schema') order by 1, 2, 3`,
    )

  test('leave a database without tables unchanged', async () => {
    await runSql(database.url, 'select 1')
    for (const args of [...lookingCommands, ['key', 'create', ...account]]) {
      const { code, output, errors } = await run(database.url, args)
      expect({ code, output }).toEqual({ code: 1, output: '' })
      expect(errors).toMatch(/^error migration_missing: .* no tables of Clientele: it lacks 0001-/)
    }
    expect(await readSchema()).toEqual([])
  })

  test('name the missing migration, and do not apply it', async () => {
    const { output } = await run(database.url, ['migrate', '--json'])
    const last: string = JSON.parse(output).applied.at(-1)
    await runSql(database.url, `delete from clientele_migrations where name = '${last}'`)
    const before = await readSchema()
    for (const args of lookingCommands) {
      const { code, output, errors } = await run(database.url, args)
      expect({ code, output }).toEqual({ code: 1, output: '' })
      expect(errors).toMatch(/^error migration_missing: The database /)
      expect(errors).toContain(` lacks ${last}.`)
      expect(errors).toContain('hint: clientele migrate')
    }
    expect(await readSchema()).toEqual(before)
    const rows = await runSql(database.url, 'select name from clientele_migrations')
    expect(rows).not.toContainEqual({ name: last })
  })
})

test('a database in memory is always empty', async () => {
  const { code, errors } = await run('sqlite::memory:', ['account', 'list'])
  expect(code).toBe(1)
  expect(errors).toMatch(/^error migration_missing/)
})
