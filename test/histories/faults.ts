import { runSql } from '../support/run-sql.ts'
import type { Fault } from './record-history.ts'

/** Kills a server in the midst of its work, and starts it again. */
export function restartServer(index: number): Fault {
  return async ({ servers }) => {
    await servers[index]?.kill()
    await servers[index]?.start()
  }
}

/** Sets a server's clock so far ahead of the right time, or behind it. */
export function moveClock(index: number, minutes: number): Fault {
  return async ({ servers }) => servers[index]?.setClock(minutes * 60_000)
}

/** Ends every connection to a database on PostgreSQL, as a restart does. */
export function cutConnections(url: string): Fault {
  return async () => {
    await runSql(
      url,
      `select pg_terminate_backend(pid) from pg_stat_activity
       where datname = current_database() and pid <> pg_backend_pid()`,
    )
  }
}
