import { sql } from 'kysely'
import type { DialectFeatures } from '../dialect-features.ts'

export const postgresFeatures: DialectFeatures = {
  types: {
    id: 'uuid',
    sortedText: sql`text collate "C"`,
    time: 'bigint',
    json: 'json',
    flag: 'boolean',
    counter: 'bigint',
  },
  // Setting the unchanged type drops the existing statistics.
  uncountedId: sql`uuid, alter column account_id set statistics 0`,
  expectSizes: undefined,
  keyedTable: sql``,
  insertionOrder: { name: 'seq', type: sql`bigint generated always as identity` },
  serverTime: sql`cast(extract(epoch from clock_timestamp()) * 1000 as bigint)`,
  toBytes: undefined,
  isInProcess: false,
  supportsLateral: true,
  supportsWritableCte: true,
  supportsDistribution: true,
  hasConcurrentWriters: true,
  textsOfJsonArray: (json) => sql`json_array_elements_text(cast(${json} as json))`,
  recordsOfJsonArray: (json, columns) => {
    const types = {
      id: 'uuid',
      sortedText: 'text',
      time: 'bigint',
      counter: 'bigint',
      json: 'text',
      flag: 'boolean',
    }
    const members = Object.entries<string>(columns).map(([name, kind]) => {
      const type = types[kind as keyof typeof types] ?? kind // a kind that is not listed has the type of its name
      return sql`${sql.id(name)} ${sql.raw(type)}`
    })
    return sql`(select * from json_to_recordset(cast(${json} as json)) as r(${sql.join(members)}))`
  },
  isAmong: (column, list) => sql`${column} = any(array(${list}))`,
  jsonObject: (members) =>
    sql`json_build_object(${sql.join(
      Object.entries(members).flatMap(([name, value]) => [sql.lit(name), value]),
    )})`,
  textInJson: (json, ...path) => sql`cast(${json} as json) #>> ${sql.lit(`{${path.join(',')}}`)}`,
  indexOf: (text, part) => sql`strpos(${text}, ${part})`,
  larger: (left, right) => sql`greatest(${left}, ${right})`,
}
