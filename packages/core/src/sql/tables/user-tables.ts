import type { SnakeCase } from '../../base/input/wire-names.ts'
import {
  columnOf,
  type UserFieldName,
  type UserFields,
  userFieldNames,
  userFields,
} from '../../user-model/fields.ts'
import { type Column, counter, id, nullable, sortedText, type Table, text, time } from './column.ts'

type FieldColumns = {
  [Name in UserFieldName as SnakeCase<Name>]: Column<UserFields[Name]['kind'], false, 'personal'>
}

// Every field of a user is personal data.
const fieldColumns = Object.fromEntries(
  userFieldNames.map((name) => [
    columnOf(name),
    { kind: userFields[name].kind, isNullable: false, about: 'personal' },
  ]),
) as FieldColumns // one member per field

const retainedCounts =
  "Totals of users are kept by ranges of ids, and an id may be a range's border."

/** Users, their identities elsewhere, and their counts. */
export const userTables = {
  clientele_users: {
    erasure: 'by name',
    columns: {
      ...fieldColumns,
      account_id: id(),
      id: id('pseudonym'),
      /** The name as it is searched and sorted */
      name_key: sortedText('personal'),
      password_hash: nullable(text('secret')),
      version: counter(),
      tokens_not_before: time(),
    },
  },
  /** Further words to search, besides names and e-mails: see `searchWordsOf`. */
  clientele_user_words: {
    erasure: 'with the user',
    columns: { account_id: id(), word: sortedText('personal'), user_id: id('pseudonym') },
  },
  clientele_user_roles: {
    erasure: 'with the user',
    columns: { account_id: id(), role: sortedText('personal'), user_id: id('pseudonym') },
  },
  /** The identities of users at other issuers */
  clientele_identities: {
    erasure: 'with the user',
    columns: {
      account_id: id(),
      id: id('pseudonym'),
      user_id: id('pseudonym'),
      issuer: sortedText('personal'),
      subject: sortedText('personal'),
      created_at: time('personal'),
      /** When it was last used to sign in */
      last_used_at: nullable(time('personal')),
    },
  },
  /** The verified address: it does not count for a later address of the user. */
  clientele_verified_emails: {
    erasure: 'with the user',
    columns: {
      account_id: id(),
      user_id: id('pseudonym'),
      email: text('personal'),
      verified_at: time('personal'),
    },
  },
  /** The previous addresses of a user */
  clientele_former_emails: {
    erasure: 'with the user',
    columns: { account_id: id(), user_id: id('pseudonym'), email: sortedText('personal') },
  },
  clientele_user_counts: {
    erasure: 'none',
    columns: { account_id: id(), version: counter(), folded: counter() },
  },
  /** Counts of consecutive id ranges */
  clientele_user_count_groups: {
    erasure: 'kept',
    retained: retainedCounts,
    columns: { account_id: id(), lower_id: id('pseudonym'), folded: counter() },
  },
  clientele_user_count_ranges: {
    erasure: 'kept',
    retained: retainedCounts,
    columns: { account_id: id(), lower_id: id('pseudonym'), folded: counter() },
  },
  clientele_user_count_deltas: {
    erasure: 'kept',
    retained: retainedCounts,
    columns: { account_id: id(), user_id: id('pseudonym'), delta: counter() },
  },
} as const satisfies Record<string, Table>
