import type { NewEvent } from '../events/new-event.ts'
import type { NewReply } from '../idempotency/store.ts'
import type { DisabledReason, WebhookFailure } from './webhook.ts'

// Times are milliseconds since the epoch.

/** The secrets that sign, encrypted; the previous one until its time ends */
export interface EncryptedSecrets {
  encryptedSecret: string
  previousEncryptedSecret: string | null
}

/** An endpoint as it is kept. */
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

/** An event that has left the line: it failed, or it is a test. */
export interface PendingDelivery {
  eventId: string
  /** Where it stands in the feed; 0: nowhere, it is a test */
  position: number
  /** What to send where it is no event of the feed */
  payload: string | null
  /** How many have been made */
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

/** An endpoint that one deliverer works for, until its time ends or it gives the endpoint back. */
export interface LeasedWebhook extends WebhookRecord {
  accountId: string
  /** Up to here every event of the feed was delivered, has left the line, or is of another type */
  position: number
  /** The first failure since the last success */
  failingSince: number | null
  /** How many attempts were ever made */
  attemptCount: number
}

export interface Lease {
  holder: string
  now: number
  /** Until when nobody else works for the endpoint */
  until: number
}

/** What a deliverer has done for an endpoint since it last said so. */
export interface Settlement extends Lease {
  position: number
  failingSince: number | null
  attemptCount: number
  /** What waits for its next attempt */
  pending: PendingDelivery[]
  /** The ids of events that no longer wait */
  ended: string[]
  /** The attempts that were made; the last ones of an endpoint are kept */
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
   * Replaces all but the id and the time of creation, if it has not changed since that time. With a position the endpoint
   * begins there anew.
   */
  update(
    accountId: string,
    webhook: WebhookRecord,
    options: { unchangedSince: number; position?: number | undefined },
    event: NewEvent<'webhook.updated' | 'webhook.secret_rotated'>,
  ): Promise<boolean>
  /** Switches an endpoint off; false where it is off, or was changed since then. */
  disable(
    accountId: string,
    webhookId: string,
    change: { reason: DisabledReason; at: number; unchangedSince: number },
    event: NewEvent<'webhook.disabled'>,
  ): Promise<boolean>
  delete(accountId: string, webhookId: string, event: NewEvent<'webhook.deleted'>): Promise<boolean>
  /** Sends everything behind a position again, and keeps the reply; false where the endpoint is off or absent. */
  replay(accountId: string, webhookId: string, position: number, reply?: NewReply): Promise<boolean>
  /** Adds what is sent besides the events, and keeps the reply; false where there is no such endpoint. */
  addPending(
    accountId: string,
    webhookId: string,
    delivery: PendingDelivery,
    reply?: NewReply,
  ): Promise<boolean>
  /** The last attempts, latest first. */
  listAttempts(accountId: string, webhookId: string, limit: number): Promise<AttemptRecord[]>

  /**
   * Gives new events their places, in these accounts or in every one that has endpoints. Throws where that failed for one
   * account, when it is done for the others.
   */
  placeNews(accountIds: readonly string[] | undefined): Promise<void>
  /**
   * Moves endpoints that are not leased to the end of their feeds, where nothing behind their places is for them. How far
   * each is behind is told by its place.
   */
  passOver(now: number): Promise<void>
  /**
   * Endpoints that are not leased and that something with a place is to be sent to, those that have waited longest first: of
   * these accounts, or of every account. Those of disabled accounts wait.
   */
  findDue(
    now: number,
    options: { isFailing: boolean; limit: number; accountIds?: readonly string[] | undefined },
  ): Promise<{ accountId: string; id: string }[]>
  /**
   * Since when what is longest due to an endpoint that is on has been due, of all accounts that are not disabled; null where
   * nothing is.
   */
  findDueSince(now: number): Promise<number | null>
  /** Takes an endpoint, unless somebody has it. */
  lease(accountId: string, webhookId: string, lease: Lease): Promise<LeasedWebhook | undefined>
  /** What has left the line and is due, oldest first; of an endpoint that is off only tests. */
  listPending(
    accountId: string,
    webhookId: string,
    now: number,
    limit: number,
  ): Promise<PendingDelivery[]>
  /**
   * Notes what was done, and goes on until the lease's new end. Answers with when the endpoint was changed; undefined
   * where it is no longer the holder's, and then nothing is noted.
   */
  settle(
    accountId: string,
    webhookId: string,
    settlement: Settlement,
  ): Promise<{ updatedAt: number } | undefined>
}
