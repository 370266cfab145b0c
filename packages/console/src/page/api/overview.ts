/** The server's overview of an account. Days are UTC, oldest first, without gaps. */
export interface Overview {
  users: {
    total: number
    active: number
    by_day: readonly { day: string; created: number; total: number }[]
  }
  sign_ins: { by_day: readonly { day: string; succeeded: number; failed: number }[] }
  sessions: { alive: number }
  webhooks: readonly WebhookHealth[]
}

export interface WebhookHealth {
  id: string
  url: string
  is_active: boolean
  /** The first failure since the last success */
  failing_since: string | null
  /** The number of events that are still to be delivered */
  pending: number
  last_attempt_at: string | null
  last_status: number | null
  last_reason: 'no_answer' | 'error' | null
}
