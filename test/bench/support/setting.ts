import type { startPostgres } from './postgres.ts'

/** What every scenario is run with. */
export interface Setting {
  postgres: Awaited<ReturnType<typeof startPostgres>>
  rounds: number
  seconds: number
  /** The size of a large account */
  users: number
  /** Which databases those scenarios are run on that fill a large account */
  databases: readonly ('SQLite' | 'PostgreSQL')[]
}
