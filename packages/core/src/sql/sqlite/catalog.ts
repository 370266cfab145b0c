import type { CompiledQuery } from '../db.ts'

export function findTable(name: string): CompiledQuery {
  return {
    sql: "select name from sqlite_master where type = 'table' and name = ?",
    parameters: [name],
  }
}
