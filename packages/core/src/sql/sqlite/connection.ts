/**
 * The members of a better-sqlite3 connection that we use, typed by structure so that hosts need no types of the driver.
 */
export interface SqliteConnection {
  /** The file name that was opened */
  readonly name: string
  readonly memory: boolean
  readonly inTransaction: boolean
  readonly open: boolean
  prepare(sql: string): SqliteStatement
  pragma(source: string, options?: { simple?: boolean }): unknown
  close(): unknown
}

export interface SqliteStatement {
  /** Whether it returns rows */
  readonly reader: boolean
  /** Whether it only reads */
  readonly readonly: boolean
  /** Returns numbers as bigints: better-sqlite3 has it, substitutes may not */
  safeIntegers?(isOn: boolean): unknown
  all(...parameters: unknown[]): unknown[]
  run(...parameters: unknown[]): unknown
}
