/** What the host allows. */
export interface WebhookDelivery {
  /** Allows http, private and loopback addresses */
  allowPrivateAddresses: boolean
  timeoutMs: number
}
