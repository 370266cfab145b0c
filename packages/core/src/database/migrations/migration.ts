import type { Compilable } from 'kysely'
import type { Queries } from '../database.ts'
import type { SqlDifferences } from '../sql-differences.ts'

/** One step of the schema. A step that was released is never changed: another one follows it. */
export interface Migration {
  name: string
  up(queries: Queries, differences: SqlDifferences): Compilable[]
}
