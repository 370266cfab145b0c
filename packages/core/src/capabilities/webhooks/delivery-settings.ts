/** The host's settings of deliveries. */
export interface WebhookDelivery {
  /** Allows http, private and loopback addresses */
  allowPrivateAddresses: boolean
  timeoutMs: number
}
