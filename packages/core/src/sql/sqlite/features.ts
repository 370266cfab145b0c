import { sql } from 'kysely'
import type { DialectFeatures } from '../dialect-features.ts'
import { expectSizes } from './expect-sizes.ts'

export const sqliteFeatures: DialectFeatures = {
  types: {
    id: 'text',
    sortedText: 'text',
    time: 'integer',
    json: 'text',
    flag: 'integer',
    counter: 'integer',
  },
  uncountedId: undefined,
  expectSizes,
  keyedTable: sql`without rowid`,
  insertionOrder: { name: 'rowid' },
  serverTime: undefined,
  toBytes: (column) => sql`cast(${column} as blob)`,
  isInProcess: true,
  supportsLateral: false,
  supportsWritableCte: false,
  supportsDistribution: false,
  hasConcurrentWriters: false,
  textsOfJsonArray: (json) => sql`json_each(${json})`,
  recordsOfJsonArray: (json, columns) => {
    const members = Object.keys(columns).map(
      (name) => sql`json_extract(value, ${sql.lit(`$.${name}`)}) as ${sql.id(name)}`,
    )
    return sql`(select ${sql.join(members)} from json_each(${json}))`
  },
  isAmong: (column, list) => sql`${column} in (${list})`,
  jsonObject: (members) =>
    sql`json_object(${sql.join(
      Object.entries(members).flatMap(([name, value]) => [sql.lit(name), value]),
    )})`,
  textInJson: (json, ...path) => sql`json_extract(${json}, ${sql.lit(['$', ...path].join('.'))})`,
  indexOf: (text, part) => sql`instr(${text}, ${part})`,
  larger: (left, right) => sql`max(${left}, ${right})`,
}
