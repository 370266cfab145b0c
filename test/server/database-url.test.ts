import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { ClienteleError, createClientele } from '@clientele/core'
import { openRepository } from '@clientele/core/database-url'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { databases, type OpenDatabase } from '../support/databases.ts'
import { runSql } from '../support/run-sql.ts'

const secrets = ['a secret for tests that is long enough']

async function openNew(name: string): Promise<OpenDatabase> {
  const database = databases.find((each) => each.name === name)
  if (database === undefined) throw new Error(`There is no ${name}.`)
  return database.openEmpty()
}

describe.each(databases)('$name', ({ openEmpty }) => {
  let database: OpenDatabase
  beforeAll(async () => {
    database = await openEmpty()
  })
  afterAll(() => database.close())

  test('if many processes start at once without a database, one creates the first account', async () => {
    const repositories = await Promise.all(
      Array.from({ length: 8 }, () => openRepository(database.url)),
    )
    const all = await Promise.all(
      repositories.map((repository) => createClientele({ repository, secrets })),
    )
    try {
      const made = await Promise.all(all.map((each) => each.accounts.bootstrap({ name: 'demo' })))
      const [winner, ...others] = made.filter((each) => each !== undefined)
      expect(others).toEqual([])
      const [clientele] = all
      expect(await clientele?.accounts.list()).toEqual([winner?.account])
      expect(await clientele?.apiKeys.list(winner?.account.id ?? '')).toHaveLength(1)
    } finally {
      await Promise.all(all.map((each) => each.close()))
    }
  })
})

test('the tables are in the schema that a PostgreSQL URL names', async () => {
  const database = await openNew('postgres')
  const url = new URL(database.url)
  url.searchParams.set('schema', 'Our "users"')
  const open = async (href: string) =>
    createClientele({ repository: await openRepository(href), secrets })
  const [inSchema, inPublic] = await Promise.all([open(url.href), open(database.url)])
  try {
    await inSchema.accounts.create({ name: 'Acme' })
    expect(await inPublic.accounts.list()).toEqual([])
    expect(await inSchema.accounts.list()).toHaveLength(1)
  } finally {
    await Promise.all([inSchema.close(), inPublic.close()])
    await database.close()
  }
})

test.each(['LATIN1', 'SQL_ASCII'])(
  'a PostgreSQL database in %s is refused, and gets no tables',
  async (encoding) => {
    const { url, close } = await openNew('postgres')
    const other = new URL(`${url}_other`)
    const name = other.pathname.slice(1)
    const form = `encoding '${encoding}' template template0 locale 'C' locale_provider libc`
    await runSql(url, `create database ${name} ${form}`)
    const repository = await openRepository(other.href)
    try {
      await expect(createClientele({ repository, secrets })).rejects.toMatchObject({
        code: 'configuration_invalid',
        message: `The database has the encoding ${encoding}, in which not every text can be stored: create one with ENCODING 'UTF8' TEMPLATE template0.`,
      })
      const tables = "select tablename from pg_tables where schemaname = 'public'"
      expect(await runSql(other.href, tables)).toEqual([])
    } finally {
      await repository.storage.close()
      await runSql(url, `drop database ${name} with (force)`)
      await close()
    }
  },
)

test('a file is created with its folders, from the current directory or the root', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'clientele-url-'))
  try {
    for (const url of [
      `sqlite:${folder}/a/b.sqlite`,
      `sqlite://${folder}/a/b.sqlite`,
      'sqlite::memory:',
    ]) {
      const repository = await openRepository(url)
      await repository.storage.migrate()
      await repository.storage.close()
    }
    const again = await openRepository(`sqlite:${folder}/a/b.sqlite`)
    expect(await again.storage.migrate()).toEqual([])
    await again.storage.close()
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
})

test.each([
  '',
  'mysql://root:hunter2@localhost/db',
  'sqlite:',
  'sqlite://data/hunter2.sqlite',
  'postgres://user:hunter2@local host/db',
  'postgres://user:hunter2@localhost:port/db',
  'postgres://user:hunter2@localhost/db?schema=',
  'postgres://user:hunter2@localhost/db?schema=a&schema=b',
])('%j is refused without being repeated', async (url) => {
  const error: unknown = await openRepository(url).catch((fault: unknown) => fault)
  expect(error).toBeInstanceOf(ClienteleError)
  expect(error).toMatchObject({ code: 'configuration_invalid' })
  const { message, stack, cause } = error as ClienteleError // looked at above
  expect(message).toMatch(/^DATABASE_URL is not valid: /)
  expect(JSON.stringify([message, stack, String(cause)])).not.toContain('hunter2')
})
