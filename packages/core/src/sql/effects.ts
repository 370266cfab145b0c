import { type AliasedExpression, type Compilable, type QueryCreator, sql } from 'kysely'
import type { Db, ParameterOf } from './db.ts'
import type { Statement } from './statement.ts'
import type { Database } from './tables/tables.ts'

/** The key of a changed row, in most tables */
export interface RowKey {
  account_id: string
  id: string
}

/** The tables and `changed`: the rows that the write has changed, with the columns that it returns. */
export type DatabaseWithChanged<Changed = RowKey> = Database & { changed: Changed }

/**
 * A statement that follows from a write, in another table: it ends, counts or records something. It reads the written
 * rows from the table `changed` and belongs to the write: both are committed, or neither is.
 *
 * An event is an effect too: `insert into … select … from changed`.
 */
export type Effect<Input, Changed = RowKey> = (
  queries: QueryCreator<DatabaseWithChanged<Changed>>,
  value: ParameterOf<Input>,
) => Compilable<unknown>

/**
 * The operator by which an effect selects rows of another table that belong to changed rows:
 * `where('user_id', changedBy(db), id of changed)`. When effects run for one row at a time, `=` uses the index; for a
 * list, SQLite, which does not know the table's size, would scan the account.
 */
export function changedBy(db: Db): '=' | 'in' {
  return db.features.supportsWritableCte ? 'in' : '='
}

/** An effect with any columns of `changed` */
export type AnyEffect<Input> = (queries: never, value: ParameterOf<Input>) => Compilable<unknown>

export type Change<Input, Row> = (
  queries: QueryCreator<Database>,
  value: ParameterOf<Input>,
) => Compilable<Row>

/** A value that is read beside a write */
export type ReadBeside<Input> = (value: ParameterOf<Input>) => AliasedExpression<unknown, string>

/**
 * The statements that run effects for known rows: one statement if the database supports that, otherwise one per row
 * and effect, as with `isApart`.
 */
export function effectStatements<Input>(
  db: Db,
  changed: (queries: QueryCreator<Database>, value: ParameterOf<Input>) => Compilable<unknown>,
  effects: readonly AnyEffect<Input>[],
  { isApart = false }: { isApart?: boolean } = {},
): Statement<Input, unknown>[] {
  const withChanged = (queries: QueryCreator<Database>, value: ParameterOf<Input>) =>
    queries.with('changed', (q) => changed(q, value) as never) as never // the effects know the table's columns
  if (isApart || !db.features.supportsWritableCte) {
    return effects.map((effect) =>
      db.statement<Input>()((queries, value) => effect(withChanged(queries, value), value)),
    )
  }
  return [
    db.statement<Input>()((queries, value) =>
      appendEffects(withChanged(queries, value), effects, value).selectNoFrom(
        sql.lit(1).as('done'),
      ),
    ),
  ]
}

/** One statement that makes a change, runs its effects, and returns the changed rows. */
export function withEffects<Input, Row>(
  queries: QueryCreator<Database>,
  value: ParameterOf<Input>,
  change: Change<Input, Row>,
  effects: readonly AnyEffect<Input>[],
  readsBeside: ReadBeside<Input> | undefined,
): Compilable<Row> {
  const changed = queries.with('changed', (q) => change(q, value) as never) as never // its rows become the table `changed`
  const rows = appendEffects(changed, effects, value).selectFrom('changed').selectAll()
  return (readsBeside === undefined ? rows : rows.select(readsBeside(value))) as never // the changed rows
}

/** Kysely's types can follow chained calls of `with`, but not a list of them. */
function appendEffects<Input>(
  queries: QueryCreator<DatabaseWithChanged>,
  effects: readonly AnyEffect<Input>[],
  value: ParameterOf<Input>,
): QueryCreator<DatabaseWithChanged> {
  let query = queries
  for (const [index, effect] of effects.entries()) {
    query = query.with(`effect_${index}`, (q) => effect(q as never, value) as never) as never
  }
  return query
}
