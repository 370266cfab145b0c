import Sqlite from 'better-sqlite3'
import { Client } from 'pg'

/** A connection of the host's own, on which it begins and ends transactions. */
export interface HostConnection {
  handle: object
  run(sql: string): Promise<unknown[]>
  begin(): Promise<void>
  end(): Promise<void>
}

/** Opens a connection to the database that a URL names, as a host has one beside Clientele. */
export async function connectHost(url: string): Promise<HostConnection> {
  if (url.startsWith('sqlite:')) {
    const handle = new Sqlite(url.slice('sqlite:'.length))
    const run = async (sql: string) => {
      const statement = handle.prepare(sql)
      if (statement.reader) return statement.all()
      statement.run()
      return []
    }
    return {
      handle,
      run,
      begin: async () => void (await run('begin')),
      end: async () => void handle.close(),
    }
  }
  const handle = new Client({ connectionString: url })
  // What ends it in a test is what the test is about.
  handle.on('error', () => {})
  await handle.connect()
  const run = async (sql: string) => (await handle.query(sql)).rows as unknown[]
  return {
    handle,
    run,
    begin: async () => void (await run('begin')),
    end: () => handle.end(),
  }
}
