// import-by-hand.ts <database url> <file> <account>: what one would write for this one file and this one schema.
import { randomBytes } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { createInterface } from 'node:readline'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import Sqlite from 'better-sqlite3'
import pg from 'pg'
import { from as copyFrom } from 'pg-copy-streams'

interface Line {
  email: string
  name: string
  roles: string[]
  metadata: object
  is_active: boolean
  created_at: string
  password_hash: string
}

const columns = `account_id, id, email, name, name_key, roles, metadata, is_active, password_hash, created_at, updated_at,
  version, tokens_not_before`
const [url = '', file = '', account = ''] = process.argv.slice(2)
const now = Date.now()
const tail = randomBytes(5).toString('hex')
let count = 0

await (url.startsWith('postgres') ? importPostgres() : importSqlite())

async function importSqlite(): Promise<void> {
  const database = new Sqlite(url.replace('sqlite:', ''))
  database.pragma('journal_mode = WAL')
  database.pragma('synchronous = FULL')
  database.pragma('foreign_keys = ON')
  const insertUser = database.prepare(
    `insert into clientele_users (${columns}) values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, 1, ?)`,
  )
  const insertRole = database.prepare(
    'insert into clientele_user_roles (account_id, role, user_id) values (?, ?, ?)',
  )
  const insertAll = database.transaction((lines: Line[]) => {
    for (const user of lines) {
      const { email, name, roles, metadata, is_active, created_at, password_hash } = user
      const id = nextId()
      const texts = [JSON.stringify(roles), JSON.stringify(metadata)]
      const key = name.toLowerCase()
      const times = [Date.parse(created_at), now, now]
      const active = is_active ? 1 : 0
      insertUser.run(account, id, email, name, key, ...texts, active, password_hash, ...times)
      for (const role of roles) insertRole.run(account, role, id)
    }
  })
  for await (const lines of batches(1000)) insertAll.immediate(lines)
  database.close()
}

async function importPostgres(): Promise<void> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  const copy = (target: string, rows: string[]) =>
    pipeline(Readable.from(rows), client.query(copyFrom(`copy ${target} from stdin`)))
  for await (const lines of batches(10_000)) {
    const users: string[] = []
    const roles: string[] = []
    for (const user of lines) {
      const id = nextId()
      const { email, name, metadata, is_active, created_at, password_hash } = user
      const texts = [email, name, name.toLowerCase(), JSON.stringify(user.roles)]
      const row = [account, id, ...texts, JSON.stringify(metadata), is_active, password_hash]
      users.push(toRow([...row, Date.parse(created_at), now, 1, now]))
      for (const role of user.roles) roles.push(toRow([account, role, id]))
    }
    await client.query('begin')
    await copy(`clientele_users (${columns})`, [users.join('')])
    await copy('clientele_user_roles (account_id, role, user_id)', [roles.join('')])
    await client.query('commit')
  }
  await client.end()
}

async function* batches(size: number): AsyncGenerator<Line[]> {
  let lines: Line[] = []
  for await (const text of createInterface({ input: createReadStream(file) })) {
    lines.push(JSON.parse(text))
    if (lines.length < size) continue
    yield lines
    lines = []
  }
  yield lines
}

function toRow(values: (string | number | boolean)[]): string {
  const cells = values.map((value) => String(value).replace(/[\\\t\n\r]/g, escapeCharacter))
  return `${cells.join('\t')}\n`
}

function escapeCharacter(character: string): string {
  return { '\\': '\\\\', '\t': '\\t', '\n': '\\n', '\r': '\\r' }[character] ?? character
}

/** UUIDv7 in ascending order */
function nextId(): string {
  const time = now.toString(16).padStart(12, '0')
  const number = (count++).toString(16).padStart(9, '0')
  const [a, b] = [number.slice(0, 3), number.slice(3)]
  return `${time.slice(0, 8)}-${time.slice(8)}-7${a}-8${b.slice(0, 3)}-${b.slice(3)}${tail.slice(0, 9)}`
}
