import type {
  ColumnDataType,
  Compilable,
  Expression,
  QueryExecutorProvider,
  RawBuilder,
} from 'kysely'

/** The kind of a column's values; `text` is never sorted. */
export type ColumnKind = keyof DialectFeatures['types'] | 'text'

/** The features in which the databases differ. Queries ask for a feature, never for the name of the database. */
export interface DialectFeatures {
  /** Column types by kind */
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
   * Turns off statistics for the column `account_id`, after `alter column … type`; undefined when the database collects
   * none by itself. Statistics cover the accounts at the time of the last analysis. For a newer account PostgreSQL
   * expects a single row and may choose a wrong index.
   */
  uncountedId: RawBuilder<unknown> | undefined
  /** Says how many rows to expect in tables of users' rows; undefined when the database collects statistics by itself */
  expectSizes:
    | ((queries: QueryExecutorProvider, tables: readonly string[]) => Compilable[])
    | undefined
  /** Ends the definition of a table that stores its rows in primary key order, if the database supports that */
  keyedTable: RawBuilder<unknown>
  /** The column that increases with each inserted row, when rows are written one after the other */
  insertionOrder: {
    name: string
    /** Its definition; undefined: every table has the column */
    type?: RawBuilder<unknown>
  }
  /** The time of the server, in milliseconds since the epoch; undefined: the database has no clock of its own */
  serverTime: RawBuilder<number> | undefined
  /** The UTF-8 of a text column; undefined: the driver decodes all that it reads */
  toBytes: ((column: Expression<string>) => RawBuilder<Uint8Array>) | undefined
  /** Whether a second statement costs no more than a part of the first, because the database is in-process */
  isInProcess: boolean
  /**
   * Whether a join can look up its rows one by one (`cross join lateral`). Otherwise `cross join` does so: it reads its
   * tables in the written order.
   */
  supportsLateral: boolean
  /** Whether one statement can write to several tables (`with changed as (insert …) insert …`) */
  supportsWritableCte: boolean
  /** Whether the tables can be distributed over several servers, by account */
  supportsDistribution: boolean
  /** Whether other transactions write at the same time, so that a row must be locked to stay unchanged */
  hasConcurrentWriters: boolean
  /** A table of one column, `value`, with the strings of a JSON array */
  textsOfJsonArray(json: Expression<string>): RawBuilder<{ value: string }>
  /** A table with the members of the objects in a JSON array, by the kind of their columns */
  recordsOfJsonArray<Row>(
    json: Expression<string>,
    columns: Record<keyof Row & string, ColumnKind>,
  ): RawBuilder<Row>
  /**
   * Whether a column has one of the values that the query `list` returns. The values are read first, and each finds its
   * rows by an index; so `list` must not refer to the column's table. For a join PostgreSQL may read the whole account
   * instead.
   */
  isAmong(column: Expression<unknown>, list: Expression<unknown>): RawBuilder<boolean>
  /** A JSON object with these members, which may be nested objects */
  jsonObject(members: Record<string, Expression<unknown>>): RawBuilder<string>
  /** A string in a JSON value at this path of names; null when it is missing */
  textInJson(json: Expression<string | null>, ...path: string[]): RawBuilder<string | null>
  /** The position of another text in a text, counted from 1; 0: the text does not contain it */
  indexOf(text: Expression<string>, part: Expression<string>): RawBuilder<number>
  /** The larger of two numbers */
  larger(left: Expression<number>, right: Expression<number>): RawBuilder<number>
}
