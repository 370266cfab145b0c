import { Client } from 'pg'
import { readTableReferences } from '../support/read-statement.ts'
import type { RecordedStatement } from '../support/statement-recorder.ts'
import { citusUrl } from './open-distributed.ts'

/**
 * The statements that go to more shards than one, by how many, as the coordinator plans them. Without the schema in front
 * of each table. It runs none of them.
 */
export async function findFanOuts(
  statements: readonly RecordedStatement[],
  seen: Set<string>,
): Promise<Map<string, number>> {
  const found = new Map<string, number>()
  const client = new Client({ connectionString: citusUrl })
  await client.connect()
  try {
    for (const { sql, values } of statements) {
      const text = sql.replaceAll(/"Tenant ""\w+"""\./g, '')
      const isNew = !seen.has(text) && /^(with|select|insert|update|delete) /.test(text)
      if (!isNew || readTableReferences(text).length === 0) continue
      seen.add(text)
      // With parameters Citus explains no statement that writes to several tables.
      const given = sql.replaceAll(/\$(\d+)/g, (_, number) => {
        const value = values[Number(number) - 1] ?? null
        return value === null ? 'null' : client.escapeLiteral(String(value))
      })
      const { rows } = await client.query<{ 'QUERY PLAN': string }>(`explain (costs off) ${given}`)
      const counts = rows.flatMap((row) => {
        const [, count] = /Task Count: (\d+)/.exec(row['QUERY PLAN']) ?? []
        return count === undefined ? [] : [Number(count)]
      })
      const most = Math.max(...counts, 0)
      if (most > 1) found.set(text, most)
    }
  } finally {
    await client.end()
  }
  return found
}
