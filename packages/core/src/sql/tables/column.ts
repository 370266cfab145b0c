import type { SecretKind } from '../../base/crypto/stored-secrets.ts'
import type { ColumnKind } from '../dialect-features.ts'

/**
 * What a column says of a person: `nothing`; whom it is about, by an id that alone does not tell who that is (`pseudonym`);
 * something `personal`; or a `secret`, which is in no export either. `emptied` is personal in a row that stays: an erasure
 * sets it to null.
 */
export type About = 'nothing' | 'pseudonym' | 'personal' | 'secret' | 'emptied'

export interface Column<
  Kind extends ColumnKind = ColumnKind,
  IsNullable extends boolean = boolean,
  What extends About = About,
> {
  kind: Kind
  isNullable: IsNullable
  about: What
  /** Whether records have what its text says, instead of the text */
  holdsJson?: true
  /** What is encrypted in it, and encrypted again under a new secret */
  encrypts?: SecretKind
}

type Columns<What extends About = About> = Record<string, Column<ColumnKind, boolean, What>>

interface Described {
  /** The column that names a row, in an account where the table has `account_id` */
  key?: string
  /**
   * When a row is worth nothing, and the sweeper deletes it: the column with that time, or seconds after it. Events are
   * deleted with their feed.
   */
  expires?: string | { after: string; seconds: string }
  /** The column that says under which secret a row is encrypted */
  encryptedUnder?: string
  /** Whether a user's rows end with the user's password */
  endsWithPassword?: true
}

/** Rows that go when a person is erased. */
interface Erased extends Described {
  /** `with the user`: by the foreign key to the user's row. `by name`: the erasure deletes them itself. */
  erasure: 'with the user' | 'by name'
  columns: Columns<Exclude<About, 'emptied'>>
  /** What of such rows may stay, and why */
  retained?: string
}

/** Rows that stay, though they are about a person. */
interface Kept extends Described {
  erasure: 'kept'
  columns: Columns<'nothing' | 'pseudonym' | 'emptied'>
  retained: string
}

/** Rows that are about no user. */
interface Untouched extends Described {
  erasure: 'none'
  columns: Columns<'nothing'>
  retained?: undefined
}

/** A table, once: row types, the normalisation of rows, the register of personal data and what expires are made from it. */
export type Table = Erased | Kept | Untouched

/** What a kind is in a row: SQLite has 0 and 1 for flags, and JSON is text, so that nothing reorders it. */
interface RowValues {
  id: string
  text: string
  sortedText: string
  json: string
  flag: boolean | number
  /** Milliseconds since the epoch */
  time: number
  counter: number
}

export type RowOf<Described extends Columns> = {
  [Name in keyof Described]:
    | RowValues[Described[Name]['kind']]
    | (Described[Name]['isNullable'] extends true ? null : never)
}

export const id = describe('id')
export const text = describe('text')
/** Text that is a key, or is sorted */
export const sortedText = describe('sortedText')
export const flag = describe('flag')
export const time = describe('time')
export const counter = describe('counter')

function describe<Kind extends ColumnKind>(kind: Kind) {
  function column(): Column<Kind, false, 'nothing'>
  function column<What extends About>(about: What): Column<Kind, false, What>
  function column(about: About = 'nothing') {
    return { kind, isNullable: false, about } as const
  }
  return column
}

export function json<What extends About = 'nothing'>(
  about?: What,
): Column<'json', false, What> & { holdsJson: true }
export function json(about: About = 'nothing') {
  return { kind: 'json', isNullable: false, about, holdsJson: true }
}

/** Text that is encrypted, and is encrypted again under a new secret. */
export function encrypted<What extends About>(
  encrypts: SecretKind,
  about: What,
): Column<'text', false, What> {
  return { ...text(about), encrypts }
}

export function nullable<Described extends Column>(
  column: Described,
): Omit<Described, 'isNullable'> & { isNullable: true } {
  return { ...column, isNullable: true }
}
