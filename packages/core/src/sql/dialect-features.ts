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
  /** Ends the definition of a table whose rows are kept in the order of their primary key, where that can be had */
  keyedTable: RawBuilder<unknown>
  /** Whether a second statement costs no more than a part of the first: the database is in the process */
  isInProcess: boolean
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
  /** The larger of two numbers */
  larger(left: Expression<number>, right: Expression<number>): RawBuilder<number>
}
