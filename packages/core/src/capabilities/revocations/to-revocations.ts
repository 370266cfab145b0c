import { fromWireData } from '../../base/input/wire-data.ts'
import { latestEnd } from '../../base/runtime/latest-end.ts'
import type { EventData, EventType } from '../events/event-types.ts'
import { dataSchemaOf } from '../events/new-event.ts'
import type { StoredEvent } from '../events/store.ts'

/** A revocation: why tokens become invalid before they expire. */
export type Revocation = SessionRevocation | UserRevocation | SigningKeyRevocation

/** The tokens of a session are revoked. */
export interface SessionRevocation {
  type: 'session'
  sessionId: string
  at: Date
}

/** The tokens of a user that were issued up to then are revoked. */
export interface UserRevocation {
  type: 'user'
  userId: string
  notBefore: Date
  /** The session that survived the new password; its tokens stay valid */
  exceptSessionId?: string
  /** JWTs for which the user's own tokens were exchanged up to then are revoked; absent: the user's own tokens live on */
  ownTokensNotBefore?: Date
}

/** The tokens that this key has signed are revoked. */
export interface SigningKeyRevocation {
  type: 'signing_key'
  kid: string
  at: Date
}

/**
 * An exchange that has read a token just before it ends may issue its JWT after the time of the event, and writes nothing
 * that could be revoked. In milliseconds: longer than a write and an exchange take, and clocks differ.
 */
const exchangeMarginMs = 10_000

type Read<Type extends EventType> = (event: StoredEvent, data: EventData<Type>) => Revocation[]

/** Every event that revokes tokens, and how. */
const revoking: { [Type in EventType]?: Read<Type> } = {
  'user.logged_out': (event, { sessionId }) => [endSession(event, sessionId)],
  'session.reuse_detected': (event, { sessionId }) => [endSession(event, sessionId)],
  'session.revoked': (event, { sessionIds }) => sessionIds.map((id) => endSession(event, id)),
  // As sessions: `sid` of the JWTs that they were exchanged for is the token's id.
  'user_token.revoked': (event, { tokenIds }) => tokenIds.map((id) => endSession(event, id)),
  'user.updated': (event, { changed, keptSessionId, revokedTokens }) => {
    const isSwitched = changed.includes('isActive')
    if (!isSwitched && !changed.includes('password')) return []
    const ended = endUser(event, keptSessionId)
    return isSwitched || revokedTokens === true ? withOwnTokens(ended) : ended
  },
  // Tokens of other issuers that were issued while the user was inactive
  'user.activated': (event) => endUser(event),
  'user.deactivated': (event) => withOwnTokens(endUser(event)),
  'user.password_reset': (event) => endUser(event),
  'user.email_verified': (event, { revokedCredentials, keptSessionId }) =>
    revokedCredentials === true ? endUser(event, keptSessionId) : [],
  'identity.linked': (event, { revokedCredentials, keptSessionId }) =>
    revokedCredentials === true ? endUser(event, keptSessionId) : [],
  'user.deleted': (event) => withOwnTokens(endUser(event)),
  'user.erased': (event) => withOwnTokens(endUser(event)),
  'signing_key.removed': ({ subject, createdAt }) =>
    subject.id === null ? [] : [{ type: 'signing_key', kid: subject.id, at: new Date(createdAt) }],
}

export const revokingTypes = Object.keys(revoking) as EventType[] // its own keys

/**
 * The revocations in an event of the feed. An event of the future was written while the clock was ahead: a user's tokens
 * would be refused until then.
 */
export function toRevocations(written: StoredEvent, now: number): Revocation[] {
  const isOfWrongClock = written.createdAt > latestEnd(now, 0)
  const event = isOfWrongClock ? { ...written, createdAt: now } : written
  const read = revoking[event.type] as Read<EventType> | undefined // it reads the data of its own type
  const data = fromWireData(dataSchemaOf(event.type), JSON.parse(event.data))
  return read?.(event, data as EventData<EventType>) ?? [] // written by us from this type
}

function endSession({ createdAt }: StoredEvent, sessionId: string): Revocation {
  return { type: 'session', sessionId, at: new Date(createdAt) }
}

function endUser({ subject, createdAt }: StoredEvent, exceptSessionId?: string): UserRevocation[] {
  if (subject.id === null) return []
  const except = exceptSessionId === undefined ? {} : { exceptSessionId }
  return [{ type: 'user', userId: subject.id, notBefore: new Date(createdAt), ...except }]
}

function withOwnTokens(entries: readonly UserRevocation[]): UserRevocation[] {
  return entries.map((entry) => ({
    ...entry,
    ownTokensNotBefore: new Date(entry.notBefore.getTime() + exchangeMarginMs),
  }))
}
