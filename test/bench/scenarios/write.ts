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
type Run = (name: string, sql: string, parameters: unknown[]) => Promise<unknown>

const insert = `insert into clientele_users (account_id, id, email, name, name_key, roles, metadata, is_active,
  password_hash, created_at, updated_at, version, tokens_not_before)
  values ($1, $2, $3, 'A name', 'a name', '[]', '{}', $4, null, 1, 1, 1, 1) on conflict (account_id, email) do nothing`
const update = `update clientele_users set name = $3, name_key = $4, updated_at = 2, version = version + 1
  where account_id = $1 and id = $2 returning id`
const remove = 'delete from clientele_users where account_id = $1 and id = $2 returning id'

/**
 * Create, replace and delete, without hashing a password, beside the same writes by hand to the same tables without
 * the rows that count users; time is 1 / throughput of 8 writers.
 */
export async function writeUsers({ postgres, rounds, seconds }: Setting): Promise<void> {
  for (const [name, url] of [
    ['SQLite', newSqliteUrl()],
    ['PostgreSQL', await postgres.createDatabase()],
  ] as const) {
    const { accountId } = await createLargeAccount(url, 10_000)
    const repository = openRepository(url)
    const hand = connect(url)
    const flag = url.startsWith('postgres') ? true : 1
    const nextId = idGenerator()
    const created = { ours: [] as string[], hand: [] as string[] }
    const create: Record<'ours' | 'hand', Write> = {
      ours: async () => {
        const id = nextId()
        const email = `${id}@example.com`
        const profile = { email, name: 'A name', roles: [], metadata: {} }
        await repository.createUser(accountId, { ...profile, id, passwordHash: null, isActive: true, createdAt: 1 })
        created.ours.push(id)
      },
      hand: async () => {
        const id = nextId()
        await hand('insert', insert, [accountId, id, `${id}@example.com`, flag])
        created.hand.push(id)
      },
    }
    const replace: Record<'ours' | 'hand', Write> = {
      ours: (number) =>
        repository.replaceUser(
          accountId,
          created.ours[number % created.ours.length] ?? '',
          { email: `${randomUUID()}@example.com`, name: 'Another', roles: [], metadata: {}, updatedAt: 2 },
          null,
        ),
      hand: (number) =>
        hand('update', update, [accountId, created.hand[number % created.hand.length], 'Another', 'another']),
    }
    const drop: Record<'ours' | 'hand', Write> = {
      ours: () => repository.deleteUser(accountId, created.ours.pop() ?? randomUUID(), null),
      hand: () => hand('delete', remove, [accountId, created.hand.pop()]),
    }
    for (const [work, writes] of Object.entries({ create, replace, delete: drop })) {
      const figures = await compare(
        { ours: timeOf(writes.ours), hand: timeOf(writes.hand) },
        { rounds, seconds: work === 'delete' ? seconds / 2 : seconds, warmupSeconds: work === 'create' ? 2 : 0.3 },
      )
      report(`${work}, ${name}`, figures.ours ?? [], 'without the counts', figures.hand ?? [], 'µs', { atMost: 1.1 })
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
    return (name, text, values) => pool.query({ name, text, values })
  }
  const database = new Sqlite(url.replace('sqlite:', ''))
  database.pragma('journal_mode = WAL')
  database.pragma('synchronous = FULL')
  database.pragma('foreign_keys = ON')
  const prepared = new Map<string, Sqlite.Statement<unknown[]>>()
  return async (name, sql, parameters) => {
    const statement = prepared.get(name) ?? database.prepare<unknown[]>(sql.replaceAll(/\$\d/g, '?'))
    prepared.set(name, statement)
    return statement.reader ? statement.all(parameters) : statement.run(parameters)
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
