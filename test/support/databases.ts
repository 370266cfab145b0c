import { randomBytes } from 'node:crypto'
import { mkdtemp, rm, statfs } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Client } from 'pg'
import { inject } from 'vitest'
import type {} from './global-setup.ts'

export interface OpenDatabase {
  /** What `DATABASE_URL` takes: `sqlite:/…` or `postgres://…`. */
  url: string
  /** Removes the database with all that is in it. */
  close(): Promise<void>
}

export interface TestDatabase {
  name: 'sqlite' | 'postgres'
  /** Makes a new, empty database. Close it in `afterAll`. */
  open(): Promise<OpenDatabase>
}

const leastRoomBytes = 2 * 1024 ** 3

/** Every database that Clientele runs on; loop over it with `describe.each(databases)`. */
export const databases: readonly TestDatabase[] = [
  { name: 'sqlite', open: openSqlite },
  { name: 'postgres', open: openPostgres },
]

/** The schema has to be quoted wherever it is named. */
export const postgresInSchema: TestDatabase = {
  name: 'postgres',
  open: async () => {
    const { url, close } = await openPostgres()
    return { url: `${url}?schema=${encodeURIComponent('Tenant "Users"')}`, close }
  },
}

export async function openDatabase(name: TestDatabase['name']): Promise<OpenDatabase> {
  const found = databases.find((database) => database.name === name)
  if (found === undefined) throw new Error(`No database ${name}`)
  return found.open()
}

async function openSqlite(): Promise<OpenDatabase> {
  const folder = await mkdtemp(join(await findParent(), 'clientele-sqlite-'))
  return {
    url: `sqlite:${join(folder, 'clientele.sqlite')}`,
    close: () => rm(folder, { recursive: true, force: true }),
  }
}

/** A test database need not survive a power cut: it is in memory where there is room, and nobody waits for the disk. */
async function findParent(): Promise<string> {
  const inMemory = '/dev/shm'
  const room = process.platform === 'linux' ? await statfs(inMemory).catch(() => null) : null
  return room !== null && room.bavail * room.bsize >= leastRoomBytes ? inMemory : tmpdir()
}

async function openPostgres(): Promise<OpenDatabase> {
  const serverUrl = inject('postgresUrl')
  const name = `clientele_${randomBytes(8).toString('hex')}`
  await runOnServer(serverUrl, `create database ${name}`)
  const url = new URL(serverUrl)
  url.pathname = `/${name}`
  return {
    url: url.href,
    close: () => runOnServer(serverUrl, `drop database if exists ${name} with (force)`),
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
