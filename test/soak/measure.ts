import { setTimeout as sleep } from 'node:timers/promises'
import Database from 'better-sqlite3'
import { Client } from 'pg'
import type { World } from './world.ts'

/** How long the server may take to collect its garbage */
const collectionMs = 500

/** What was measured at one moment */
export interface Sample {
  /** Minutes since the start */
  minute: number
  memoryMiB: number
  heapMiB: number
  openFiles: number
  handles: number
  /** Rows by table, and KiB by index */
  rows: Map<string, number>
  indexKiB: Map<string, number>
}

export async function measure(world: World, minute: number): Promise<Sample> {
  world.server.kill('SIGUSR2')
  await sleep(collectionMs)
  const read = await readMetrics(world.metricsUrl)
  const mebibyte = 1024 * 1024
  const [rows, indexKiB] = world.url.startsWith('sqlite:')
    ? readSqlite(world.url.slice('sqlite:'.length))
    : await readPostgres(world.url)
  return {
    minute,
    memoryMiB: read('process_resident_memory_bytes') / mebibyte,
    heapMiB: read('nodejs_heap_size_used_bytes') / mebibyte,
    openFiles: read('process_open_fds'),
    handles: read('nodejs_active_handles_total'),
    rows,
    indexKiB,
  }
}

/** The metrics of the server; 0: this system does not tell */
async function readMetrics(url: string): Promise<(name: string) => number> {
  const text = await (await fetch(url)).text()
  return (name) => Number(new RegExp(`^${name} (\\S+)$`, 'm').exec(text)?.[1] ?? 0)
}

type Sizes = [rows: Map<string, number>, indexKiB: Map<string, number>]
interface Named {
  name: string
  value: number | string
}

const toMap = (rows: readonly Named[]) => new Map(rows.map((row) => [row.name, Number(row.value)]))

function readSqlite(file: string): Sizes {
  const database = new Database(file, { readonly: true })
  try {
    const all = (text: string) => database.prepare(text).all() as Named[] // these two columns
    const tables = all("select name, 0 as value from sqlite_schema where type = 'table'")
    const ofTables = tables
      .filter(({ name }) => name.startsWith('clientele_'))
      .flatMap(({ name }) => all(`select '${name}' as name, count(*) as value from ${name}`))
    const ofIndexes = all(
      `select s.name, sum(d.pgsize) / 1024 as value from sqlite_schema s
        join dbstat d on d.name = s.name where s.tbl_name like 'clientele_%' group by s.name`,
    )
    return [toMap(ofTables), toMap(ofIndexes)]
  } finally {
    database.close()
  }
}

async function readPostgres(url: string): Promise<Sizes> {
  const client = new Client({ connectionString: url })
  await client.connect()
  try {
    const all = async (text: string) => (await client.query<Named>(text)).rows
    const tables = await all(
      "select relname as name, 0 as value from pg_class where relkind in ('r', 'p') and relname like 'clientele%'",
    )
    const rows = new Map<string, number>()
    for (const { name } of tables) {
      const [row] = await all(`select '${name}' as name, count(*) as value from ${name}`)
      rows.set(name, Number(row?.value))
    }
    const indexes = await all(
      `select relname as name, pg_relation_size(oid) / 1024 as value from pg_class
        where relkind in ('i', 'r') and relname like 'clientele%'`,
    )
    return [rows, toMap(indexes)]
  } finally {
    await client.end()
  }
}
