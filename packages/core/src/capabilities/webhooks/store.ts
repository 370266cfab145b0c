import type { NewEvent } from '../events/new-event.ts'
import type { NewReply } from '../idempotency/store.ts'
import type { DisabledReason, WebhookFailure } from './webhook.ts'

// Times are milliseconds since the epoch.

/** The signing secrets, encrypted; the previous one until it expires */
export interface EncryptedSecrets {
  encryptedSecret: string
  previousEncryptedSecret: string | null
}

/** A stored endpoint. */
export interface WebhookRecord extends EncryptedSecrets {
  id: string
  url: string
  types: string[]
  description: string
  isActive: boolean
  disabledReason: DisabledReason | null
  previousExpiresAt: number | null
  createdAt: number
  updatedAt: number
}

/** A message that is delivered apart from the feed: a failed event or a test. */
export interface PendingDelivery {
  eventId: string
  /** Its position in the feed; 0 for a test */
  position: number
  /** The message, if it is not an event of the feed */
  payload: string | null
  /** The number of attempts so far */
  attempts: number
  nextAttemptAt: number
}

export interface AttemptRecord {
  id: string
  eventId: string
  type: string
  attempt: number
  status: number | null
  reason: WebhookFailure | null
  attemptedAt: number
  durationMs: number
}

/** An endpoint that one deliverer has leased, until the lease expires or is released. */
export interface LeasedWebhook extends WebhookRecord {
  accountId: string
  /** Every event up to this position was delivered, became a pending delivery, or has an unwanted type */
  position: number
  /** The first failure since the last success */
  failingSince: number | null
  /** The total number of attempts */
  attemptCount: number
}

export interface Lease {
  holder: string
  now: number
  /** The end of the lease */
  until: number
}

/** What there still is of an event that is about to be sent. */
export interface SendableEvent {
  /** Whether the endpoint is switched on */
  isActive: boolean
  /** False: it was deleted, or the message is not an event of the feed */
  exists: boolean
  /** False: there never was one, or it was erased */
  hasPerson: boolean
}

/** The progress of a deliverer with an endpoint since its last report. */
export interface Settlement extends Lease {
  position: number
  failingSince: number | null
  attemptCount: number
  /** The messages that wait for their next attempt */
  pending: PendingDelivery[]
  /** The ids of messages that no longer wait */
  ended: string[]
  /** The attempts; the last ones of an endpoint are stored */
  attempts: AttemptRecord[]
}

export interface WebhookStore {
  create(
    accountId: string,
    webhook: WebhookRecord,
    options: { maximum: number; position: number },
    event: NewEvent<'webhook.created'>,
  ): Promise<'created' | 'webhook_limit_reached' | 'account_not_found'>
  list(accountId: string): Promise<WebhookRecord[]>
  find(accountId: string, webhookId: string): Promise<WebhookRecord | undefined>
  /**
   * Replaces all members except the id and the time of creation, unless it has changed since that time. If a
   * position is given, the endpoint continues from there.
   */
  update(
    accountId: string,
    webhook: WebhookRecord,
    options: { unchangedSince: number; position?: number | undefined },
    event: NewEvent<'webhook.updated' | 'webhook.secret_rotated'>,
  ): Promise<boolean>
  /** Switches an endpoint off; false when it is off already, or was changed since then. */
  disable(
    accountId: string,
    webhookId: string,
    change: { reason: DisabledReason; at: number; unchangedSince: number },
    event: NewEvent<'webhook.disabled'>,
  ): Promise<boolean>
  delete(accountId: string, webhookId: string, event: NewEvent<'webhook.deleted'>): Promise<boolean>
  /** Resends every event after a position, and stores the reply; false when the endpoint is off or absent. */
  replay(
    accountId: string,
    webhookId: string,
    position: number,
    event: NewEvent<'webhook.replayed'>,
    reply?: NewReply,
  ): Promise<boolean>
  /** Adds a message that is not an event, and stores the reply; false when there is no such endpoint. */
  addPending(
    accountId: string,
    webhookId: string,
    delivery: PendingDelivery,
    reply?: NewReply,
  ): Promise<boolean>
  /** The last attempts, latest first. */
  listAttempts(accountId: string, webhookId: string, limit: number): Promise<AttemptRecord[]>

  /**
   * Assigns positions to new events, in these accounts or in all accounts with endpoints. If it fails for an account,
   * it throws after the others are done.
   */
  placeNews(accountIds: readonly string[] | undefined): Promise<void>
  /**
   * Moves endpoints without a lease to the end of their feeds if they want none of the later events, in these accounts or
   * in all. So an endpoint's position shows how far behind it is.
   */
  passOver(now: number, accountIds?: readonly string[] | undefined): Promise<void>
  /** Whether all accounts together have more endpoints. */
  hasMoreThan(count: number): Promise<boolean>
  /** The next accounts with endpoints, by their ids. */
  listAccounts(afterAccountId: string, limit: number): Promise<readonly string[]>
  /**
   * The accounts with endpoints that have events behind this end of all events, in the order of insertion, or deliveries
   * that became due within the last minute; and the end now. Undefined: the events before are not looked at.
   */
  findNews(
    after: number | undefined,
    now: number,
  ): Promise<{ accountIds: readonly string[]; end: number }>
  /**
   * Endpoints without a lease that have due deliveries, those that have waited longest first: of these accounts, or of
   * all. Disabled accounts wait.
   */
  findDue(
    now: number,
    options: { isFailing: boolean; limit: number; accountIds?: readonly string[] | undefined },
  ): Promise<{ accountId: string; id: string }[]>
  /**
   * Since when the most overdue delivery has been due, over all active endpoints of enabled accounts; null: none is
   * due.
   */
  findDueSince(now: number): Promise<number | null>
  /** How many active endpoints of all accounts have not succeeded since they failed, and since when the first has not. */
  countFailing(): Promise<{ count: number; since: number | null }>
  /** Leases an endpoint, unless another process has leased it. */
  lease(accountId: string, webhookId: string, lease: Lease): Promise<LeasedWebhook | undefined>
  /**
   * The messages that were set aside and whose next attempt is between two times, oldest first; an inactive endpoint
   * gets only tests.
   */
  listPending(
    accountId: string,
    webhookId: string,
    due: { after: number; until: number },
    limit: number,
  ): Promise<PendingDelivery[]>
  /**
   * What may be told of an event by a request that begins now; undefined: nothing is sent, as the account is disabled or
   * gone, or the endpoint is gone or at another URL. It sees each change that was committed before the call.
   */
  findSendable(
    accountId: string,
    eventId: string,
    webhook: Pick<WebhookRecord, 'id' | 'url'>,
  ): Promise<SendableEvent | undefined>
  /**
   * Records the progress and extends the lease to its new end. Returns when the endpoint was last changed; undefined,
   * without recording, when the holder has lost the lease.
   */
  settle(
    accountId: string,
    webhookId: string,
    settlement: Settlement,
  ): Promise<{ updatedAt: number } | undefined>
}
