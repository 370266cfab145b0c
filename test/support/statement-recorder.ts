import type { Repository } from '@clientele/core'
import { postgres } from '@clientele/core/postgres'
import { sqlite } from '@clientele/core/sqlite'
import Sqlite from 'better-sqlite3'
import { Pool } from 'pg'

export interface RecordedStatement {
  sql: string
  values: readonly unknown[]
}

/** A repository on a host's own connection, which tells what is run on it. */
export interface RecordedRepository {
  repository: Repository
  /** What was run since the last call, in its order. */
  take(): RecordedStatement[]
  close(): Promise<void>
}

export function openRecorded(url: string): RecordedRepository {
  const statements: RecordedStatement[] = []
  const note = (sql: string, values: readonly unknown[] = []) => statements.push({ sql, values })
  const take = () => statements.splice(0)
  return url.startsWith('sqlite:')
    ? { ...openSqlite(url.slice('sqlite:'.length), note), take }
    : { ...openPostgres(url, note), take }
}

type Note = (sql: string, values?: readonly unknown[]) => void

function openSqlite(filename: string, note: Note): Omit<RecordedRepository, 'take'> {
  const connection = new Sqlite(filename)
  const prepare = (sql: string) => {
    const statement = connection.prepare(sql)
    return wrap(statement, (name, call) =>
      name === 'run' || name === 'all'
        ? (values: unknown[]) => {
            note(sql, values)
            return call(values)
          }
        : undefined,
    )
  }
  const database = wrap(connection, (name) => (name === 'prepare' ? prepare : undefined))
  return {
    repository: sqlite({ database }),
    close: async () => {
      connection.close()
    },
  }
}

/** The same object, but for the methods that `replace` answers with another for. */
function wrap<T extends object>(
  target: T,
  replace: (name: PropertyKey, call: (...values: unknown[]) => unknown) => unknown,
): T {
  return new Proxy(target, {
    get: (object, name) => {
      const value: unknown = Reflect.get(object, name)
      if (typeof value !== 'function') return value
      const call = value.bind(object)
      return replace(name, call) ?? call
    },
  })
}

function openPostgres(url: string, note: Note): Omit<RecordedRepository, 'take'> {
  // `pg` knows no schema.
  const [connectionString, schema] = url.split('?schema=')
  const pool = new Pool({ connectionString })
  pool.on('connect', (client) => {
    // `pool.end()` does not wait for the connections' ends: dropping the database may end them first.
    client.on('error', () => {})
    const send = client.query.bind(client) as (...details: unknown[]) => never
    const listen = (step: { text: string; values?: unknown[] }, ...rest: unknown[]) => {
      note(step.text, step.values)
      return send(step, ...rest)
    }
    client.query = listen as never // the overload that is used
  })
  return {
    repository: postgres({ pool, ...(schema && { schema: decodeURIComponent(schema) }) }),
    close: () => pool.end(),
  }
}
