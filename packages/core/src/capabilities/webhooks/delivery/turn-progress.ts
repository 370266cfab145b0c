import { leaseMs } from '../delivery-times.ts'
import type { WebhooksServices } from '../services.ts'
import type { AttemptRecord, LeasedWebhook, PendingDelivery } from '../store.ts'

/** A lease is renewed when less than this is left: a request takes less. */
const renewAfterMs = 10_000
/** The minimum time between two records of progress: a killed process's unrecorded deliveries are sent again. */
const settleMs = 500

/** The progress of a turn, and how much of it is recorded in the database. */
export class TurnProgress {
  failingSince: number | null
  readonly #services: WebhooksServices
  readonly #webhook: LeasedWebhook
  readonly #holder: string
  /** The positions of unfinished events, in ascending order */
  #open: number[] = []
  /** The position in the feed when no event is unfinished */
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

  /** Whether another process has the endpoint now, or the endpoint was changed. */
  get isLost(): boolean {
    return this.#isAnothers || this.#isChanged
  }

  begin(positions: number[], end: number): void {
    this.#open = positions
    this.#end = end
  }

  /** Records that an event was delivered or set aside. */
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

  /** Renews the lease before slow work. */
  async renew(): Promise<void> {
    if (performance.now() - this.#settledAt >= renewAfterMs) await this.#write(leaseMs)
  }

  /** Writes the progress; with `isLast` also releases the endpoint. */
  async settle({ isLast = false } = {}): Promise<void> {
    const isDue = performance.now() - this.#settledAt >= settleMs
    if (isLast) await this.#write(0)
    else if (isDue || this.#postponed.length > 0) await this.#write(leaseMs)
  }

  /** One after the other, so that an older position never overwrites a newer one. */
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
