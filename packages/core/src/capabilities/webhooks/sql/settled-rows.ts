/** Whose a row is; an endpoint may have had another holder a moment ago. */
export const settledKinds = { account_id: 'id', webhook_id: 'id', holder: 'text' } as const

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
