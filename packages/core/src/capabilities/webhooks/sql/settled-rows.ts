import { sql } from 'kysely'

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

/** Each JSON */
export interface SettlementValues {
  settlements: string
  pending: string
  ended: string
  attempts: string
}
