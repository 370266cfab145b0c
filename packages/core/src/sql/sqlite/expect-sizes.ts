import { type Compilable, type QueryExecutorProvider, sql } from 'kysely'

/** How many rows are expected in a table, of an account, of one of its users, and for one operation */
const rows = { table: 1_000_000, account: 10_000, user: 10, operation: 1_000 }

/**
 * Writes statistics by which SQLite chooses indexes of these tables, whose indexes all begin with the account. `analyze`
 * replaces them by what is there.
 */
export function expectSizes(
  queries: QueryExecutorProvider,
  tables: readonly string[],
): Compilable[] {
  const names = sql.join(tables.map((table) => sql`(${sql.lit(table)})`))
  const second = sql`(select name from pragma_index_info(i.name) where seqno = 1)`
  const ofSecond = sql`case ${second} when 'user_id' then ${sql.lit(` ${rows.user}`)} when 'operation' then ${sql.lit(` ${rows.operation}`)} else ' 1' end`
  const ofThird = sql`case when exists (select 1 from pragma_index_info(i.name) where seqno = 2) then ' 1' else '' end`
  const statements = [
    // Creates the table of statistics.
    sql`analyze clientele_migrations`,
    sql`insert into sqlite_stat1 (tbl, idx, stat)
      select t.column1, case i.origin when 'pk' then t.column1 else i.name end,
        ${sql.lit(`${rows.table} ${rows.account}`)} || ${ofSecond} || ${ofThird}
      from (values ${names}) as t cross join pragma_index_list(t.column1) as i`,
    // Takes them into use.
    sql`analyze sqlite_schema`,
  ]
  return statements.map((statement) => ({ compile: () => statement.compile(queries) }))
}
