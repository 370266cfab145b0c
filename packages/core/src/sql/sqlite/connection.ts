/** What we use of a better-sqlite3 connection, typed by structure so that nobody needs the types of the driver. */
export interface SqliteConnection {
  /** The file, as it was opened */
  readonly name: string
  readonly memory: boolean
  readonly inTransaction: boolean
  readonly open: boolean
  prepare(sql: string): SqliteStatement
  pragma(source: string, options?: { simple?: boolean }): unknown
  close(): unknown
}

export interface SqliteStatement {
  /** Whether it answers with rows */
  readonly reader: boolean
  /** Whether it writes nothing */
  readonly readonly: boolean
  /** Whether numbers are answered as bigints: better-sqlite3 has it, what stands in for it may not */
  safeIntegers?(isOn: boolean): unknown
  all(...parameters: unknown[]): unknown[]
  run(...parameters: unknown[]): unknown
}
