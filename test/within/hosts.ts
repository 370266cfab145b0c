import Sqlite from 'better-sqlite3'
import { sql as drizzleSql } from 'drizzle-orm'
import { drizzle as drizzleSqlite } from 'drizzle-orm/better-sqlite3'
import { drizzle } from 'drizzle-orm/node-postgres'
import { Kysely, PostgresDialect, SqliteDialect, sql } from 'kysely'
import {
  Kysely as OldKysely,
  PostgresDialect as OldPostgresDialect,
  SqliteDialect as OldSqliteDialect,
  sql as oldSql,
} from 'kysely027'
import { Client, Pool } from 'pg'
import { holdTransaction } from './hold-transaction.ts'
import { type Host, LibraryHost } from './library-host.ts'
import { connectPrisma, isPrismaInstalled } from './prisma-host.ts'

interface HostKind {
  name: string
  connect(url: string): Promise<Host>
}

/** A host that begins and ends by statements of its own. */
function hostOnConnection(
  handle: object,
  run: (sql: string) => Promise<unknown[]>,
  end: () => Promise<void>,
): Host {
  return {
    handle,
    run,
    begin: async () => void (await run('begin')),
    commit: async () => void (await run('commit')),
    rollback: async () => void (await run('rollback')),
    end,
  }
}

function openPool(url: string): Pool {
  const pool = new Pool({ connectionString: url, max: 2 })
  // What ends a connection in a test is what the test is about.
  pool.on('error', () => {})
  pool.on('connect', (client) => client.on('error', () => {}))
  return pool
}

async function connectClient(url: string): Promise<Client> {
  const client = new Client({ connectionString: url })
  client.on('error', () => {})
  await client.connect()
  return client
}

function openFile(url: string): Sqlite.Database {
  return new Sqlite(url.slice('sqlite:'.length))
}

function runOnFile(connection: Sqlite.Database, statement: string): unknown[] {
  const prepared = connection.prepare(statement)
  if (prepared.reader) return prepared.all()
  prepared.run()
  return []
}

type AnyKysely = Kysely<unknown>

function kyselyHost(db: AnyKysely): Host {
  return new LibraryHost({
    db,
    begin: () => holdTransaction<AnyKysely>((work) => db.transaction().execute(work)),
    run: async (on, statement) => (await sql.raw(statement).execute(on)).rows,
    end: () => db.destroy(),
  })
}

function controlledKyselyHost(db: AnyKysely): Host {
  return new LibraryHost<AnyKysely, AnyKysely>({
    db,
    begin: async () => {
      const transaction = await db.startTransaction().execute()
      return {
        handle: transaction,
        commit: () => transaction.commit().execute(),
        rollback: () => transaction.rollback().execute(),
      }
    },
    run: async (on, statement) => (await sql.raw(statement).execute(on)).rows,
    end: () => db.destroy(),
  })
}

function oldKyselyHost(db: OldKysely<unknown>): Host {
  return new LibraryHost({
    db,
    begin: () => holdTransaction<OldKysely<unknown>>((work) => db.transaction().execute(work)),
    run: async (on, statement) => (await oldSql.raw(statement).execute(on)).rows,
    end: () => db.destroy(),
  })
}

const onPostgres: HostKind[] = [
  {
    name: 'a client of pg',
    connect: async (url) => {
      const client = await connectClient(url)
      const run = async (statement: string) => (await client.query(statement)).rows as unknown[]
      return hostOnConnection(client, run, () => client.end())
    },
  },
  {
    name: 'a transaction of Kysely',
    connect: async (url) =>
      kyselyHost(new Kysely({ dialect: new PostgresDialect({ pool: openPool(url) }) })),
  },
  {
    name: 'a controlled transaction of Kysely',
    connect: async (url) =>
      controlledKyselyHost(new Kysely({ dialect: new PostgresDialect({ pool: openPool(url) }) })),
  },
  {
    name: 'a transaction of Kysely 0.27',
    connect: async (url) =>
      oldKyselyHost(new OldKysely({ dialect: new OldPostgresDialect({ pool: openPool(url) }) })),
  },
  {
    name: 'a transaction of Drizzle',
    connect: async (url) => {
      const pool = openPool(url)
      const db = drizzle({ client: pool })
      return new LibraryHost({
        db,
        begin: () => holdTransaction<Pick<typeof db, 'execute'>>((work) => db.transaction(work)),
        run: async (on: Pick<typeof db, 'execute'>, statement) =>
          (await on.execute(drizzleSql.raw(statement))).rows,
        end: () => pool.end(),
      })
    },
  },
]

const onSqlite: HostKind[] = [
  {
    name: 'a connection of better-sqlite3',
    connect: async (url) => {
      const connection = openFile(url)
      const run = async (statement: string) => runOnFile(connection, statement)
      return hostOnConnection(connection, run, async () => void connection.close())
    },
  },
  {
    name: 'a transaction of Kysely',
    connect: async (url) =>
      kyselyHost(new Kysely({ dialect: new SqliteDialect({ database: openFile(url) }) })),
  },
  {
    name: 'a controlled transaction of Kysely',
    connect: async (url) =>
      controlledKyselyHost(new Kysely({ dialect: new SqliteDialect({ database: openFile(url) }) })),
  },
  {
    name: 'a transaction of Kysely 0.27',
    connect: async (url) =>
      oldKyselyHost(new OldKysely({ dialect: new OldSqliteDialect({ database: openFile(url) }) })),
  },
  {
    name: 'the connection of Drizzle',
    connect: async (url) => {
      const db = drizzleSqlite({ client: openFile(url) })
      const run = async (statement: string) => {
        if (/^select/.test(statement)) return db.all(drizzleSql.raw(statement))
        db.run(statement)
        return []
      }
      return hostOnConnection(db.$client, run, async () => void db.$client.close())
    },
  },
]

const withPrisma: HostKind[] = isPrismaInstalled
  ? [{ name: 'a transaction of Prisma', connect: connectPrisma }]
  : []

/** Every kind of handle, with the database that it is for. */
export const hostKinds = {
  postgres: [...onPostgres, ...withPrisma],
  sqlite: [...onSqlite, ...withPrisma],
}
