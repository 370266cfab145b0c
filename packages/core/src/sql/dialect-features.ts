import type { ColumnDataType, Expression, RawBuilder } from 'kysely'

/** What a column holds, by meaning; `text` is text that is never sorted. */
export type ColumnKind = keyof DialectFeatures['types'] | 'text'

/** The abilities in which the databases differ. Queries ask for an ability and never which database it is. */
export interface DialectFeatures {
  /** Column types by meaning */
  types: {
    id: ColumnDataType | RawBuilder<unknown>
    /** Text that sorts by its bytes in UTF-8 */
    sortedText: ColumnDataType | RawBuilder<unknown>
    time: ColumnDataType
    json: ColumnDataType
    flag: ColumnDataType
    counter: ColumnDataType
  }
  /**
   * Says of the column `account_id`, after `alter column … type`, that no statistics are kept of it; undefined where the
   * database keeps none by itself. Statistics know the accounts of yesterday. Of one that they do not know PostgreSQL
   * expects a single row, and then takes any index for as good as the one that has the row.
   */
  uncountedId: RawBuilder<unknown> | undefined
  /** Ends the definition of a table whose rows are kept in the order of their primary key, where that can be had */
  keyedTable: RawBuilder<unknown>
  /** The column that grows with each row that a table is given, where rows were written one after the other */
  insertionOrder: {
    name: string
    /** As it is made; undefined: every table has it */
    type?: RawBuilder<unknown>
  }
  /** Whether a second statement costs no more than a part of the first: the database is in the process */
  isInProcess: boolean
  /**
   * Whether a join can look its rows up one by one (`cross join lateral`). Where it can't, `cross join` does so: its tables
   * are read in the order in which they are written.
   */
  supportsLateral: boolean
  /** Whether one statement can write to several tables (`with changed as (insert …) insert …`) */
  supportsWritableCte: boolean
  /** Whether others write while a transaction does, so that a row that must stay as it is has to be locked */
  hasConcurrentWriters: boolean
  /** A table of one column, `value`, with the texts of a JSON array */
  textsOfJsonArray(json: Expression<string>): RawBuilder<{ value: string }>
  /** A table with the members of a JSON array's objects, by the kind of their columns */
  recordsOfJsonArray<Row>(
    json: Expression<string>,
    columns: Record<keyof Row & string, ColumnKind>,
  ): RawBuilder<Row>
  /** A JSON object of these members, which may be such objects */
  jsonObject(members: Record<string, Expression<unknown>>): RawBuilder<string>
  /** A text in JSON, by the names that lead to it; null where there is none */
  textInJson(json: Expression<string | null>, ...path: string[]): RawBuilder<string | null>
  /** The larger of two numbers */
  larger(left: Expression<number>, right: Expression<number>): RawBuilder<number>
}
