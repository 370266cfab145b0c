import type { WebhookFailure } from '../capabilities/webhooks/webhook.ts'

// Times are milliseconds since the epoch. A day is the number of whole days since then, UTC.

export interface UserTotals {
  total: number
  active: number
}

/** Both ends are meant. */
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

/** How an endpoint is doing. */
export interface WebhookHealth {
  id: string
  url: string
  isActive: boolean
  /** The first failure since the last success; null: none */
  failingSince: number | null
  /** How many events it has still to get */
  pending: number
  lastAttemptAt: number | null
  /** Null too where the last attempt had no answer */
  lastStatus: number | null
  /** Why the last attempt had no answer; null where it had one, and where there was none */
  lastReason: WebhookFailure | null
}

/** What is kept of a session of the console: two hashes, in base64url. */
export interface ConsoleSessionName {
  /** Of the API key; of operators all the same */
  holder: string
  /** Of its id */
  hash: string
}

export interface ConsoleStore {
  /** Keeps a link's hash until it expires. */
  addLink(hash: string, expiresAt: number): Promise<void>
  /** Takes a link that has not expired. Of any number of processes that try at once, one gets `true`. */
  takeLink(hash: string, now: number): Promise<boolean>
  /**
   * Keeps a session until it ends. Where its holder may have only so many, the oldest of the others end.
   */
  addSession(
    session: ConsoleSessionName,
    expiresAt: number,
    most: number | undefined,
  ): Promise<void>
  hasSession(session: ConsoleSessionName, now: number): Promise<boolean>
  endSession(session: ConsoleSessionName): Promise<void>
  countUsers(accountId: string): Promise<UserTotals>
  /**
   * Of the users that there are, how many were created on each of these days; those whose time is still to come are of the
   * day behind the last. Days on which none was are left out.
   */
  countCreated(accountId: string, days: DayRange): Promise<CreatedOfDay[]>
  /** Days without any are left out. */
  countSignIns(accountId: string, days: DayRange): Promise<SignInsOfDay[]>
  /** How many sessions have not expired. */
  countSessions(accountId: string, now: number): Promise<number>
  listWebhookHealth(accountId: string): Promise<WebhookHealth[]>
}
