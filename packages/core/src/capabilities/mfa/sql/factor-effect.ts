import type { Effect } from '../../../sql/effects.ts'
import type { UserKey } from '../../users/store.ts'

/** The columns that a change of second factors returns. Its effects read them from `changed`. */
export const factorKey = ['account_id', 'user_id'] as const
export const factorColumns = { account_id: 'id', user_id: 'id' } as const

/** A statement that follows from a change of a user's second factors */
export type FactorEffect<Input> = Effect<UserKey & Input, { account_id: string; user_id: string }>
