import type { Compilable } from 'kysely'
import type { Queries } from './db.ts'
import type { DialectFeatures } from './dialect-features.ts'

/** One step of the schema. A released step is never changed: a new one follows it. */
export interface Migration {
  name: string
  up(queries: Queries, features: DialectFeatures): Compilable[]
}
