/** The server's report on a webhook endpoint. */
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
