import type { CompiledQuery } from '../statement.ts'

export function findTable(name: string): CompiledQuery {
  return {
    sql: "select name from sqlite_master where type = 'table' and name = ?",
    parameters: [name],
  }
}

/** Takes the write lock without changing anything. */
export const writeNothing: CompiledQuery = {
  sql: 'delete from clientele_migrations where name is null',
  parameters: [],
}
