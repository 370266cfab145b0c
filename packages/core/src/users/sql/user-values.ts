import { type Expression, type RawBuilder, sql } from 'kysely'
import type { UserRow } from '../../sql/database.ts'
import { returnedUserColumns, type VisibleUserRow } from '../../sql/rows.ts'
import { searchWordsOf, toSearchKey } from '../search-key.ts'
import type { UserKey } from './user-look-ups.ts'

/** What is stored of a user's profile, as statements take it. */
export interface UserValues extends UserKey {
  email: string
  name: string
  nameKey: string
  words: string
  roles: string
  metadata: string
}

interface Profile {
  name: string
  email: string
  roles: string[]
  metadata: object
}

/** The parts of a profile that are stored as texts made of them. */
export function textsOf(user: Profile): Omit<UserValues, keyof UserKey | 'email' | 'name'> {
  return {
    nameKey: toSearchKey(user.name),
    words: JSON.stringify(searchWordsOf(user)),
    roles: JSON.stringify(user.roles),
    metadata: JSON.stringify(user.metadata),
  }
}

/** What a write of a user answers with. */
export const writtenUserColumns = ['account_id', ...returnedUserColumns] as const

export type WrittenUserRow = VisibleUserRow & Pick<UserRow, 'account_id'>

/** Whether a user has the expected version; null: whatever it has. */
export function hasVersion(expected: Expression<number | null>): RawBuilder<boolean> {
  return sql<boolean>`version = coalesce(cast(${expected} as bigint), version)`
}
