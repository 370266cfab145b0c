import type { WebhooksServices } from '../services.ts'
import type { AttemptRecord, LeasedWebhook, PendingDelivery } from '../store.ts'

/** For how long nobody else works for an endpoint, unless its holder says so again. */
export const leaseMs = 30_000
/** A request takes less than what is left of the lease then. */
const renewAfterMs = 10_000
/** So often at most it is noted what was done: what a killed process has not noted is sent again. */
const settleMs = 500

/** What a turn has done for an endpoint, and how much of it is noted in the database. */
export class TurnProgress {
  failingSince: number | null
  readonly #services: WebhooksServices
  readonly #webhook: LeasedWebhook
  readonly #holder: string
  /** The places of events that are not passed yet, in ascending order */
  #open: number[] = []
  /** Where the line is when none is open */
  #end: number
  #attemptCount: number
  #postponed: PendingDelivery[] = []
  #ended: string[] = []
  #attempts: AttemptRecord[] = []
  #settledAt = performance.now()
  #settling: Promise<void> = Promise.resolve()
  #isAnothers = false
  #isChanged = false

  constructor(services: WebhooksServices, webhook: LeasedWebhook, holder: string) {
    this.#services = services
    this.#webhook = webhook
    this.#holder = holder
    this.#end = webhook.position
    this.#attemptCount = webhook.attemptCount
    this.failingSince = webhook.failingSince
  }

  /** Whether the endpoint is another's now, or not what it was. */
  get isLost(): boolean {
    return this.#isAnothers || this.#isChanged
  }

  begin(positions: number[], end: number): void {
    this.#open = positions
    this.#end = end
  }

  /** Notes that an event was delivered, or has left the line. */
  pass(position: number): void {
    this.#open = this.#open.filter((open) => open !== position)
  }

  postpone(delivery: PendingDelivery): void {
    this.#postponed.push(delivery)
  }

  end(eventId: string): void {
    this.#ended.push(eventId)
  }

  attempt(record: AttemptRecord): void {
    this.#attempts.push(record)
    this.#attemptCount++
  }

  /** Holds on to the endpoint before something that takes time. */
  async renew(): Promise<void> {
    if (performance.now() - this.#settledAt >= renewAfterMs) await this.#write(leaseMs)
  }

  /** Writes down what was done; the last time it gives the endpoint back. */
  async settle({ isLast = false } = {}): Promise<void> {
    const isDue = performance.now() - this.#settledAt >= settleMs
    if (isLast) await this.#write(0)
    else if (isDue || this.#postponed.length > 0) await this.#write(leaseMs)
  }

  /** One after the other, so that no older place follows a newer one. */
  #write(holdMs: number): Promise<void> {
    this.#settling = this.#settling.then(() => this.#writeOnce(holdMs))
    return this.#settling
  }

  async #writeOnce(holdMs: number): Promise<void> {
    if (this.#isAnothers) return
    const { accountId, id, updatedAt } = this.#webhook
    const now = this.#services.clock()
    const [firstOpen] = this.#open
    const done = {
      pending: this.#postponed,
      ended: this.#ended,
      attempts: this.#attempts,
    }
    this.#postponed = []
    this.#ended = []
    this.#attempts = []
    this.#settledAt = performance.now()
    const settled = await this.#services.repository.webhooks.settle(accountId, id, {
      holder: this.#holder,
      now,
      until: now + holdMs,
      position: firstOpen === undefined ? this.#end : firstOpen - 1,
      failingSince: this.failingSince,
      attemptCount: this.#attemptCount,
      ...done,
    })
    if (settled === undefined) this.#isAnothers = true
    else if (settled.updatedAt !== updatedAt) this.#isChanged = true
  }
}
