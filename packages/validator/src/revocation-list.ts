import type { TokenClaims } from './verify-token.ts'

/** An entry of Clientele's feed of revocations. */
export type Revocation =
  | { type: 'session'; session_id: string; at: string }
  | {
      type: 'user'
      user_id: string
      not_before: string
      except_session_id?: string
      own_tokens_not_before?: string
    }
  | { type: 'signing_key'; kid: string; at: string }

/** A revocation of the future was written while a clock was ahead, unless the clocks differ by this. In milliseconds */
const maxAheadMs = 3_600_000

interface UserEntry {
  notBefore: number
  /** The same for JWTs for which the user's own tokens were exchanged */
  ownTokensNotBefore: number
  /** On the clock of `performance` */
  heardAt: number
  exceptSessionId: string | undefined
}

/**
 * The revocations of one token lifetime: older tokens have expired. Those of keys stay: a stolen key signs new tokens, and
 * its set may not have been read since. Entries are dropped by the time since they were heard of, which no correction of
 * the clock changes.
 */
export class RevocationList {
  readonly #keepMs: number
  readonly #sessions = new Map<string, number>()
  readonly #keys = new Set<string>()
  /** By user, and then by what tells entries apart: the others of a user are merged. */
  readonly #users = new Map<string, Map<string, UserEntry>>()
  #sweptAt = 0

  /** @param keepMs for how long an entry is kept */
  constructor(keepMs: number) {
    this.#keepMs = keepMs
  }

  get size(): number {
    return this.#sessions.size + this.#keys.size + this.#users.size
  }

  add(entry: Revocation): void {
    if (entry.type === 'session') this.#sessions.set(entry.session_id, performance.now())
    else if (entry.type === 'signing_key') this.#keys.add(entry.kid)
    else if (entry.type === 'user') {
      const entries = this.#users.get(entry.user_id) ?? new Map<string, UserEntry>()
      this.#users.set(entry.user_id, entries)
      const notBefore = Date.parse(entry.not_before)
      const exceptSessionId = entry.except_session_id
      const ownTokensNotBefore = Date.parse(entry.own_tokens_not_before ?? entry.not_before)
      // A later one stands for an earlier one, unless it keeps another session, or its time is that of a wrong clock.
      const name = `${notBefore > Date.now() + maxAheadMs} ${exceptSessionId}`
      const known = entries.get(name)
      entries.set(name, {
        // As it counts now: the clock may have been corrected since the earlier one was heard of.
        notBefore: Math.max(notBefore, known === undefined ? 0 : endOf(known, false)),
        ownTokensNotBefore: Math.max(
          ownTokensNotBefore,
          known === undefined ? 0 : endOf(known, true),
        ),
        heardAt: performance.now(),
        exceptSessionId,
      })
    }
  }

  /** Whether a token with a valid signature and valid claims is revoked. */
  has({ sid, sub, iat, jti, user_token_id }: TokenClaims, kid: string): boolean {
    if (this.#sessions.has(sid) || this.#keys.has(kid)) return true
    const entries = this.#users.get(sub)
    if (entries === undefined) return false
    // Revoking a user ends the open sessions: a concurrent refresh does not make a session newer. A user's own token may
    // live on, and be exchanged again.
    const isOfOwnToken = user_token_id !== undefined
    const opened = isOfOwnToken ? undefined : readIdTime(sid)
    const since = Math.min(readTime(jti, iat), opened ?? Number.POSITIVE_INFINITY)
    for (const each of entries.values())
      if (since <= endOf(each, isOfOwnToken) && each.exceptSessionId !== sid) return true
    return false
  }

  /** Drops expired entries. */
  sweep(): void {
    const now = performance.now()
    if (now - this.#sweptAt < this.#keepMs / 10) return
    this.#sweptAt = now
    const oldest = now - this.#keepMs
    for (const [id, heardAt] of this.#sessions) if (heardAt < oldest) this.#sessions.delete(id)
    for (const [userId, entries] of this.#users) {
      for (const [name, { heardAt }] of entries) if (heardAt < oldest) entries.delete(name)
      if (entries.size === 0) this.#users.delete(userId)
    }
  }
}

/**
 * Tokens that were issued up to then are revoked. A time in the future was written by a wrong clock: tokens that a user got
 * after it was heard of are good.
 */
function endOf(
  { notBefore, ownTokensNotBefore, heardAt }: UserEntry,
  isOfOwnToken: boolean,
): number {
  // By today's clock: it may have been corrected since.
  const heardTime = Date.now() - (performance.now() - heardAt)
  const end = isOfOwnToken ? ownTokensNotBefore : notBefore
  return end > heardTime + maxAheadMs ? heardTime : end
}

/**
 * When a token was issued. `iat` has whole seconds. The id of Clientele's tokens is a UUIDv7, which has milliseconds:
 * so a sign-in in the same second as a new password is accepted.
 */
function readTime(jti: string, iat: number): number {
  const time = readIdTime(jti)
  return time !== undefined && Math.floor(time / 1000) === iat ? time : iat * 1000
}

/** The time in a UUIDv7; undefined for another text */
function readIdTime(id: string): number | undefined {
  const digits = /^([0-9a-f]{8})-([0-9a-f]{4})-7/.exec(id)
  return digits === null ? undefined : Number.parseInt(`${digits[1]}${digits[2]}`, 16)
}
