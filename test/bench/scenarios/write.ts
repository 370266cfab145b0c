import { randomUUID } from 'node:crypto'
import Sqlite from 'better-sqlite3'
import pg from 'pg'
import { openRepository } from '../support/clientele.ts'
import { createLargeAccount } from '../support/large-account.ts'
import { compare } from '../support/load.ts'
import { report } from '../support/report.ts'
import { newSqliteUrl } from '../support/seed.ts'
import type { Setting } from '../support/setting.ts'

type Write = (number: number) => Promise<unknown>
type Run = (statements: string[], parameters: string[]) => Promise<unknown>

const userColumns = `(account_id, id, email, name, name_key, roles, metadata, is_active, password_hash, created_at,
  updated_at, version, tokens_not_before)`

/** The writes of Clientele without the rows that count users, in the form that serves each database best. */
const byHand = {
  sqlite: {
    create: [
      `insert into clientele_users ${userColumns} values (?, ?, ?, 'A name', 'a name', '[]', '{}', 1, null, 1, 1, 1, 1)
         on conflict (account_id, email) do nothing returning id`,
      `insert into clientele_user_roles (account_id, role, user_id)
         select ?, value, ? from json_each('[]') where true on conflict do nothing`,
    ],
    delete: ['delete from clientele_users where account_id = ? and id = ? returning *'],
  },
  postgres: {
    create: [
      `with changed as (insert into clientele_users ${userColumns}
           values ($1, $2, $3, 'A name', 'a name', '[]', '{}', true, null, 1, 1, 1, 1)
           on conflict (account_id, email) do nothing returning account_id, id),
         roles as (insert into clientele_user_roles (account_id, role, user_id)
           select account_id, value, id from changed, json_array_elements_text('[]') on conflict do nothing)
       select * from changed`,
    ],
    delete: ['delete from clientele_users where account_id = $1 and id = $2 returning *'],
  },
}

/**
 * Create and delete, without hashing a password, beside the same writes without the rows that count users; time is
 * 1 / throughput of 8 writers. Replacing a user touches no such row.
 */
export async function writeUsers({ postgres, rounds, seconds }: Setting): Promise<void> {
  for (const [name, url] of [
    ['SQLite', newSqliteUrl()],
    ['PostgreSQL', await postgres.createDatabase()],
  ] as const) {
    const { accountId } = await createLargeAccount(url, 10_000)
    const repository = openRepository(url)
    const hand = connect(url)
    const statements = url.startsWith('postgres') ? byHand.postgres : byHand.sqlite
    const nextId = idGenerator()
    const created = { ours: [] as string[], hand: [] as string[] }
    const create: Record<'ours' | 'hand', Write> = {
      ours: async () => {
        const id = nextId()
        const profile = { email: `${id}@example.com`, name: 'A name', roles: [], metadata: {} }
        await repository.createUser(accountId, {
          ...profile,
          id,
          passwordHash: null,
          isActive: true,
          createdAt: 1,
        })
        created.ours.push(id)
      },
      hand: async () => {
        const id = nextId()
        await hand(statements.create, [accountId, id, `${id}@example.com`])
        created.hand.push(id)
      },
    }
    const drop: Record<'ours' | 'hand', Write> = {
      ours: () => repository.deleteUser(accountId, created.ours.pop() ?? randomUUID(), null),
      hand: () => hand(statements.delete, [accountId, created.hand.pop() ?? randomUUID()]),
    }
    for (const [work, writes] of Object.entries({ create, delete: drop })) {
      const figures = await compare(
        { ours: timeOf(writes.ours), hand: timeOf(writes.hand) },
        {
          rounds,
          seconds: work === 'delete' ? seconds / 2 : seconds,
          warmupSeconds: work === 'create' ? 2 : 0.2,
        },
      )
      report(
        `${work}, ${name}`,
        figures.ours ?? [],
        'without the counts',
        figures.hand ?? [],
        'µs',
        { atMost: 1.1 },
      )
    }
    await repository.close()
  }
}

function timeOf(write: Write): (seconds: number) => Promise<number> {
  return async (seconds) => {
    const end = performance.now() + seconds * 1000
    let writes = 0
    const loop = async (): Promise<void> => {
      while (performance.now() < end) await write(writes++)
    }
    await Promise.all(Array.from({ length: 8 }, loop))
    return (seconds * 1e6) / writes
  }
}

function connect(url: string): Run {
  if (url.startsWith('postgres')) {
    const pool = new pg.Pool({ connectionString: url, max: 10, idleTimeoutMillis: 1000 })
    return ([text = ''], values) => pool.query({ name: text.slice(0, 60), text, values })
  }
  const database = new Sqlite(url.replace('sqlite:', ''))
  database.pragma('journal_mode = WAL')
  database.pragma('synchronous = FULL')
  database.pragma('foreign_keys = ON')
  const prepared = new Map<string, Sqlite.Statement<unknown[]>>()
  const execute = (sql: string, parameters: string[]): void => {
    const statement = prepared.get(sql) ?? database.prepare<unknown[]>(sql)
    prepared.set(sql, statement)
    const used = parameters.slice(0, sql.split('?').length - 1)
    if (statement.reader) statement.all(...used)
    else statement.run(...used)
  }
  return async (statements, parameters) => {
    if (statements.length > 1) execute('begin immediate', [])
    for (const statement of statements) execute(statement, parameters)
    if (statements.length > 1) execute('commit', [])
  }
}

/** Ids in ascending order, as both sides would have them. */
function idGenerator(): () => string {
  let number = 0
  return () => {
    const time = (Date.now() * 1000 + (number++ % 1000)).toString(16).padStart(14, '0')
    const random = randomUUID().slice(-12)
    return `${time.slice(0, 8)}-${time.slice(8, 12)}-7${time.slice(12)}0-8000-${random}`
  }
}
