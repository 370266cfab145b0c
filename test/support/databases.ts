import { createHash, randomBytes } from 'node:crypto'
import { copyFile, mkdtemp, rm } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { Client } from 'pg'
import { inject } from 'vitest'
import { findParent } from './find-parent.ts'
import type {} from './global-setup.ts'
import { leavesOutSlow, runsEveryTest } from './slow-tests.ts'

export interface OpenDatabase {
  /** What `DATABASE_URL` takes: `sqlite:/…` or `postgres://…`. */
  url: string
  /** Removes the database with all that is in it. */
  close(): Promise<void>
}

export interface TestDatabase {
  name: 'sqlite' | 'postgres'
  /** Makes a new database with our tables and without rows, as a copy: all migrations take ten times as long. */
  open(): Promise<OpenDatabase>
  /** Makes a new, empty database, as a host has it. Close either in `afterAll`. */
  openEmpty(): Promise<OpenDatabase>
}

/** Every database that Clientele runs on; loop over it with `describe.each(databases)`. */
export const databases: readonly TestDatabase[] = [
  {
    name: 'sqlite',
    open: () => openSqlite(inject('migratedFile')),
    openEmpty: () => openSqlite(),
  },
  {
    name: 'postgres',
    open: () => openPostgres(inject('migratedDatabase')),
    openEmpty: () => openPostgres(),
  },
]

/** For what databases have no part in: one of them by default, all by `.ci/run`. */
export const anyDatabase: readonly TestDatabase[] = runsEveryTest
  ? databases
  : databases.slice(0, 1)

/**
 * For a capability, whose statements the contract of the repository asks on both databases: `npm test` runs a file on one of
 * them, half of the files on each; by name, and by `.ci/run`, it runs on both.
 *
 * @param file the path of the test
 */
export function eitherDatabase(file: string): readonly TestDatabase[] {
  if (!leavesOutSlow) return databases
  const [byte = 0] = createHash('sha256').update(basename(file)).digest()
  const isOdd = byte % 2 === 1
  return databases.filter(({ name }) => (name === 'sqlite') === isOdd)
}

/** The same for a server of its own, which does more on PostgreSQL. */
export const anyServerDatabase: readonly TestDatabase[] = runsEveryTest
  ? databases
  : databases.slice(1)

/** The schema has to be quoted wherever it is named. */
export const postgresInSchema: TestDatabase = {
  name: 'postgres',
  open: openInSchema,
  openEmpty: openInSchema,
}

async function openInSchema(): Promise<OpenDatabase> {
  const { url, close } = await openPostgres()
  return { url: `${url}?schema=${encodeURIComponent('Tenant "Users"')}`, close }
}

export function openDatabase(name: TestDatabase['name']): Promise<OpenDatabase> {
  return find(name).open()
}

export function openEmptyDatabase(name: TestDatabase['name']): Promise<OpenDatabase> {
  return find(name).openEmpty()
}

/** For a repository that is opened in one way of many: `.ci/run` has each of them migrate, by default our tables are there. */
export const openForTarget = runsEveryTest ? openEmptyDatabase : openDatabase

function find(name: TestDatabase['name']): TestDatabase {
  const found = databases.find((database) => database.name === name)
  if (found === undefined) throw new Error(`No database ${name}`)
  return found
}

async function openSqlite(template?: string): Promise<OpenDatabase> {
  const folder = await mkdtemp(join(await findParent(), 'clientele-sqlite-'))
  const file = join(folder, 'clientele.sqlite')
  if (template !== undefined) await copyFile(template, file)
  return {
    url: `sqlite:${file}`,
    close: () => rm(folder, { recursive: true, force: true }),
  }
}

async function openPostgres(template = 'template1'): Promise<OpenDatabase> {
  const serverUrl = inject('postgresUrl')
  const name = `clientele_${randomBytes(8).toString('hex')}`
  // In memory it is quicker to copy files than to log each page.
  await runOnServer(serverUrl, `create database ${name} template ${template} strategy file_copy`)
  const url = new URL(serverUrl)
  url.pathname = `/${name}`
  return {
    url: url.href,
    close: () => dropDatabase(serverUrl, name),
  }
}

/** The end of a pool does not wait for its connections: one that is cut off then fails, and nobody listens to it. */
async function dropDatabase(serverUrl: string, name: string): Promise<void> {
  const client = new Client({ connectionString: serverUrl })
  await client.connect()
  try {
    const connected = 'select from pg_stat_activity where datname = $1 limit 1'
    for (let tries = 0; tries < 25; tries++) {
      if ((await client.query(connected, [name])).rowCount === 0) break
      await setTimeout(10)
    }
    await client.query(`drop database if exists ${name} with (force)`)
  } finally {
    await client.end()
  }
}

async function runOnServer(url: string, statement: string): Promise<void> {
  const client = new Client({ connectionString: url })
  await client.connect()
  try {
    await client.query(statement)
  } finally {
    await client.end()
  }
}
