import type { SecretKind } from '../../base/crypto/stored-secrets.ts'
import type { ColumnKind } from '../dialect-features.ts'

/**
 * What a column reveals about a person: `nothing`; a `pseudonym`, an id that alone does not identify them; `personal`
 * data; or a `secret`, which exports leave out. `emptied` is personal data in a row that stays: an erasure sets it to
 * null.
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
  /** Whether records hold the parsed JSON instead of its text */
  holdsJson?: true
  /** The kind of secret that is encrypted in it and re-encrypted under a new secret */
  encrypts?: SecretKind
}

type Columns<What extends About = About> = Record<string, Column<ColumnKind, boolean, What>>

interface Described {
  /** The column that identifies a row, together with `account_id` if the table has it */
  key?: string
  /** A column that identifies a row together with these */
  within?: string
  /**
   * When the sweeper deletes a row: the column with that time, or a column plus seconds, which are a number or in a
   * column. Events are deleted with their feed.
   */
  expires?: string | { after: string; seconds: string | number }
  /** The column that names the secret a row is encrypted under */
  encryptedUnder?: string
  /** Whether a user's rows are deleted when the password changes; sign-in codes lose their user instead */
  endsWithPassword?: true
}

/** Rows that an erasure deletes. */
interface Erased extends Described {
  /** `with the user`: by the foreign key to the user's row. `by name`: the erasure deletes them explicitly. */
  erasure: 'with the user' | 'by name'
  columns: Columns<Exclude<About, 'emptied'>>
  /** Which rows may stay, and why */
  retained?: string
}

/** Rows that stay, although they are about a person. */
interface Kept extends Described {
  erasure: 'kept'
  columns: Columns<'nothing' | 'pseudonym' | 'emptied'>
  retained: string
}

/** Rows that are not about users. */
interface Untouched extends Described {
  erasure: 'none'
  columns: Columns<'nothing'>
  retained?: undefined
}

/**
 * The one description of a table, from which row types, row normalisation, the register of personal data and expiry are
 * made.
 */
export type Table = Erased | Kept | Untouched

/** The type of a kind in a row: SQLite has 0 and 1 for booleans, and JSON is text to keep its order. */
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
/** Text that is a key or is sorted */
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

/** Encrypted text, re-encrypted under a new secret. */
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
