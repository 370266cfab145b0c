import type { Database } from '../../../sql/database.ts'

/**
 * What a column says of a person: nothing; whom it is about, by an id that alone tells nobody who that is; something
 * personal; or a secret, which is in no export either.
 */
type ColumnRule = 'nothing' | 'id' | 'personal' | 'secret'

/** Rows that go when a person is erased. */
interface Erased<Table extends keyof Database> {
  /** `with the user`: by the foreign key to the user's row. `by name`: the erasure deletes them itself. */
  erasure: 'with the user' | 'by name'
  columns: Record<keyof Database[Table], ColumnRule>
  /** What of such rows may stay, and why */
  retained?: string
}

/** Rows that stay, though they are about a person: `emptied` is what the erasure sets to null. */
interface Kept<Table extends keyof Database> {
  erasure: 'kept'
  columns: Record<keyof Database[Table], 'nothing' | 'id' | 'emptied'>
  retained: string
}

/** Rows that are about no user. */
export interface Untouched<Table extends keyof Database> {
  erasure: 'none'
  columns: Record<keyof Database[Table], 'nothing'>
}

export type TableRule<Table extends keyof Database> = Erased<Table> | Kept<Table> | Untouched<Table>
