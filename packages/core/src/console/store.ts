import type { WebhookFailure } from '../capabilities/webhooks/webhook.ts'

// Times are milliseconds since the epoch. A day is the number of whole days since then, UTC.

export interface UserTotals {
  total: number
  active: number
}

/** Both ends are inclusive. */
export interface DayRange {
  first: number
  last: number
}

export interface CreatedOfDay {
  day: number
  created: number
}

export interface SignInsOfDay {
  day: number
  succeeded: number
  failed: number
}

/** The state of a webhook endpoint. */
export interface WebhookHealth {
  id: string
  url: string
  isActive: boolean
  /** The first failure since the last success; null: none */
  failingSince: number | null
  /** How many events are still to be delivered */
  pending: number
  lastAttemptAt: number | null
  /** Also null when the last attempt had no response */
  lastStatus: number | null
  /** Why the last attempt had no response; null if it had one, or if there was no attempt */
  lastReason: WebhookFailure | null
}

/** A stored session of the console: two hashes, in base64url. */
export interface ConsoleSessionName {
  /** The hash of the API key; the same for all operators */
  holder: string
  /** The hash of the session's id */
  hash: string
}

export interface ConsoleStore {
  /** Stores a link's hash until it expires. */
  addLink(hash: string, expiresAt: number): Promise<void>
  /** Uses up a link that has not expired. If several processes try at once, one gets `true`. */
  takeLink(hash: string, now: number): Promise<boolean>
  /**
   * Stores a session until it ends. If its holder may have a limited number, the oldest ones end, and those of an account are
   * stored one after the other.
   */
  addSession(
    session: ConsoleSessionName,
    expiresAt: number,
    limit: { accountId: string; most: number } | undefined,
  ): Promise<void>
  hasSession(session: ConsoleSessionName, now: number): Promise<boolean>
  endSession(session: ConsoleSessionName): Promise<void>
  countUsers(accountId: string): Promise<UserTotals>
  /**
   * How many of the present users were created on each of these days. Users with a creation time in the future count on
   * the day after the last. Days without users are left out.
   */
  countCreated(accountId: string, days: DayRange): Promise<CreatedOfDay[]>
  /** Days without sign-ins are left out. */
  countSignIns(accountId: string, days: DayRange): Promise<SignInsOfDay[]>
  /** The number of sessions that have not expired. */
  countSessions(accountId: string, now: number): Promise<number>
  listWebhookHealth(accountId: string): Promise<WebhookHealth[]>
}
