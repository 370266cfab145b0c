import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createWriteStream, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import Sqlite from 'better-sqlite3'
import pg from 'pg'
import { from as copyFrom } from 'pg-copy-streams'
import { benchSecret, openClientele } from '../support/clientele.ts'
import { report } from '../support/report.ts'
import { newSqliteUrl } from '../support/seed.ts'
import { readResidentMiB } from '../support/server.ts'
import type { Setting } from '../support/setting.ts'

const cli = join(import.meta.dirname, '../../../packages/cli/dist/main.js')
const hash =
  '$argon2id$v=19$m=19456,t=2,p=1$c2FsdHNhbHRzYWx0$8O6c2rL0n0pQ7f8m3k1v5x7z9B2D4F6H8J0L2N4P6R8'
const idOf = (number: number): string =>
  `01900000-0000-7000-8000-${number.toString(16).padStart(12, '0')}`

/** `clientele user import` of users with hashes beside batched inserts by hand (COPY on PostgreSQL) into one table with the same indexes. */
export async function importUsers({ postgres, users }: Setting): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'clientele-bench-'))
  const file = join(folder, 'users.ndjson')
  await writeUsers(file, users)
  for (const [name, url, handUrl] of [
    ['SQLite', newSqliteUrl(), newSqliteUrl()],
    ['PostgreSQL', await postgres.createDatabase(), await postgres.createDatabase()],
  ] as const) {
    const clientele = await openClientele(url)
    const { id } = await clientele.accounts.create({ name: 'Bench' })
    await clientele.close()
    const ours = await runImport(url, id, file)
    const hand = await (name === 'SQLite' ? insertIntoSqlite : copyIntoPostgres)(handUrl, users)
    report(
      `import of ${users.toLocaleString('en')} users with hashes, ${name}`,
      [users / ours.seconds],
      'by hand',
      [users / hand],
      '/s',
      { atLeast: 0.5 },
    )
    console.log(
      `resident memory: ${Math.round(ours.early)} MiB early, ${Math.round(ours.peak)} MiB at most`,
    )
  }
  rmSync(folder, { recursive: true })
}

async function writeUsers(file: string, users: number): Promise<void> {
  const output = createWriteStream(file)
  for (let number = 1; number <= users; number++) {
    const user = {
      email: `user${number}@example.com`,
      name: `User ${number}`,
      roles: ['member'],
      metadata: { plan: 'pro' },
      password_hash: hash,
    }
    if (!output.write(`${JSON.stringify(user)}\n`)) await once(output, 'drain')
  }
  output.end()
  await once(output, 'finish')
}

async function runImport(
  url: string,
  account: string,
  file: string,
): Promise<{ seconds: number; early: number; peak: number }> {
  const start = performance.now()
  const args = [cli, '--json', 'user', 'import', '--account', account, '--file', file]
  const child = spawn(process.execPath, args, {
    stdio: ['ignore', 'ignore', 'inherit'],
    env: { ...process.env, DATABASE_URL: url, CLIENTELE_SECRET: benchSecret },
  })
  let early = 0
  let peak = 0
  const watch = setInterval(() => {
    const memory = readResidentMiB(child.pid)
    if (early === 0 && performance.now() - start > 2000) early = memory
    peak = Math.max(peak, memory)
  }, 100)
  const [code] = await once(child, 'exit')
  clearInterval(watch)
  if (code !== 0) throw new Error(`The import ended with ${code}.`)
  return { seconds: (performance.now() - start) / 1000, early, peak }
}

const columns = `(account_id, id, email, name, name_key, roles, metadata, is_active, password_hash, created_at,
  updated_at, version)`
const table = (id: string, text: string, flag: string): string[] => [
  `create table users (account_id ${id} not null, id ${id} not null, email ${text} not null, name text not null,
     name_key ${text} not null, roles text not null, metadata text not null, is_active ${flag} not null,
     password_hash text, created_at bigint not null, updated_at bigint not null, version bigint not null,
     primary key (account_id, id), unique (account_id, email))`,
  'create index by_name on users (account_id, name_key, id)',
  'create index by_created_at on users (account_id, created_at, id)',
  'create index by_is_active on users (account_id, is_active, id)',
]

async function insertIntoSqlite(url: string, users: number): Promise<number> {
  const database = new Sqlite(url.replace('sqlite:', ''))
  database.pragma('journal_mode = WAL')
  database.pragma('synchronous = FULL')
  for (const statement of table('text', 'text', 'integer')) database.exec(statement)
  const insert = database.prepare<unknown[]>(
    `insert into users ${columns} values (?, ?, ?, ?, ?, ?, ?, 1, ?, ?, ?, 1)`,
  )
  const start = performance.now()
  for (let number = 1; number <= users; number++) {
    if (number % 1000 === 1) database.exec('begin immediate')
    const [id, email, name] = [idOf(number), `user${number}@example.com`, `User ${number}`]
    const roles = JSON.stringify(['member'])
    const metadata = JSON.stringify({ plan: 'pro' })
    const now = Date.now()
    insert.run(idOf(0), id, email, name, name.toLowerCase(), roles, metadata, hash, now, now)
    if (number % 1000 === 0 || number === users) database.exec('commit')
  }
  database.close()
  return (performance.now() - start) / 1000
}

async function copyIntoPostgres(url: string, users: number): Promise<number> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  for (const statement of table('uuid', 'text collate "C"', 'boolean'))
    await client.query(statement)
  const start = performance.now()
  const copy = client.query(copyFrom(`copy users ${columns} from stdin`))
  async function* lines(): AsyncGenerator<string> {
    for (let number = 1; number <= users; ) {
      let chunk = ''
      for (let count = 0; count < 1000 && number <= users; count++, number++) {
        const [id, name, now] = [idOf(number), `User ${number}`, Date.now()]
        const text = [
          ...[idOf(0), id, `user${number}@example.com`, name, name.toLowerCase()],
          ...[JSON.stringify(['member']), JSON.stringify({ plan: 'pro' }), 't', hash, now, now, 1],
        ]
        chunk += `${text.join('\t')}\n`
      }
      yield chunk
    }
  }
  await pipeline(lines, copy)
  const seconds = (performance.now() - start) / 1000
  await client.end()
  return seconds
}
