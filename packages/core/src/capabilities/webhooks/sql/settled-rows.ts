import { type RawBuilder, sql } from 'kysely'
import type { Db, ParameterOf } from '../../../sql/db.ts'

/** The endpoint of a row and its holder; it may have had another holder a moment ago. */
export const settledKinds = { account_id: 'id', webhook_id: 'id', holder: 'text' } as const

/** Whether a row `r` of the progress belongs to a changed endpoint */
export const isOfChanged = sql<boolean>`r.account_id = changed.account_id
  and r.webhook_id = changed.id and r.holder = changed.lease_holder`

/** A row of `changed` */
export interface SettledRow {
  account_id: string
  id: string
  lease_holder: string | null
}

/** All are JSON, except for the account: that of all calls; '' if the calls are of several */
export interface SettlementValues {
  accountId: string
  settlements: string
  pending: string
  ended: string
  attempts: string
}

/** The account of rows that follow from changed endpoints: a parameter if all are of one account */
export function settledAccount(db: Db, value: ParameterOf<SettlementValues>, isOfOne: boolean) {
  const account: RawBuilder<string> = isOfOne
    ? db.typed(value('accountId'), 'id')
    : sql.ref<string>('changed.account_id')
  return account.as('account_id')
}
