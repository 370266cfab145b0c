import { z } from 'zod'
import type { Account } from '../accounts/account.ts'
import type { Scope } from '../api-keys/api-key.ts'
import type { Actor } from '../call.ts'
import { aFunction } from '../input/configuration.ts'
import { parseArgument } from '../input/input.ts'
import type { Logger } from '../runtime/logger.ts'
import type { KeyRotation } from '../signing-keys/key-ring.ts'
import type { ClientUser } from '../users/client-user.ts'
import { type StoredUser, toClientUser } from '../users/stored-user.ts'

/** Who did it, and for which request: log lines have the same `requestId`. */
interface Caused {
  actor: Actor
  requestId: string
}

interface CausedInAccount extends Caused {
  accountId: string
}

interface UserEvent extends CausedInAccount {
  user: ClientUser
}

interface SessionEvent extends CausedInAccount {
  userId: string
  sessionId: string
}

interface ApiKeyEvent extends CausedInAccount {
  apiKeyId: string
}

interface IssuerEvent extends CausedInAccount {
  issuerId: string
  /** `iss` of its tokens */
  issuer: string
}

interface AccountEvent extends CausedInAccount {
  account: Account
}

/** Every event with what its listeners receive. */
export interface ClienteleEvents {
  'user.created': UserEvent
  'user.updated': UserEvent & {
    /** Whether a new password has ended the user's sessions, but for the one that was kept */
    passwordChanged: boolean
  }
  'user.deleted': UserEvent
  'user.activated': UserEvent
  'user.deactivated': UserEvent
  'user.logged_in': UserEvent & {
    sessionId: string
    /** Authentication methods (RFC 8176) */
    amr: string[]
  }
  'user.logged_out': UserEvent & { sessionId: string }
  'session.refreshed': SessionEvent
  'session.revoked': SessionEvent
  /** A refresh token was used again after its time: it has been stolen, and the session has ended. */
  'session.reuse_detected': SessionEvent
  'user.password_reset': UserEvent
  'user.email_verified': UserEvent
  'two_factor.enrolled': UserEvent & { method: 'totp' | 'email' }
  'two_factor.recovery_codes_renewed': UserEvent
  'two_factor.removed': UserEvent
  'account.updated': AccountEvent
  'account.disabled': AccountEvent
  'account.enabled': AccountEvent
  'api_key.created': ApiKeyEvent & { name: string; scopes: Scope[] }
  'api_key.rotated': ApiKeyEvent & {
    name: string
    scopes: Scope[]
    replacedKeyId: string
    /** Until when the replaced key is accepted */
    replacedKeyExpiresAt: Date
  }
  'api_key.revoked': ApiKeyEvent
  'signing_key.rotated': Caused & KeyRotation
  'signing_key.retired': Caused & { keyId: string }
  'signing_key.removed': Caused & { keyId: string }
  'issuer.created': IssuerEvent
  'issuer.updated': IssuerEvent
  'issuer.deleted': IssuerEvent
}

/** An event as actions hand it over: what listeners receive of a user is made where there are listeners. */
type Emitted<Event> = {
  [Name in keyof Event]: Event[Name] extends ClientUser ? StoredUser : Event[Name]
}

export type EventName = keyof ClienteleEvents
export type EventListener<Name extends EventName> = (event: ClienteleEvents[Name]) => unknown

const eventNames: Record<EventName, true> = {
  'user.created': true,
  'user.updated': true,
  'user.deleted': true,
  'user.activated': true,
  'user.deactivated': true,
  'user.logged_in': true,
  'user.logged_out': true,
  'session.refreshed': true,
  'session.revoked': true,
  'session.reuse_detected': true,
  'user.password_reset': true,
  'user.email_verified': true,
  'two_factor.enrolled': true,
  'two_factor.recovery_codes_renewed': true,
  'two_factor.removed': true,
  'account.updated': true,
  'account.disabled': true,
  'account.enabled': true,
  'api_key.created': true,
  'api_key.rotated': true,
  'api_key.revoked': true,
  'signing_key.rotated': true,
  'signing_key.retired': true,
  'signing_key.removed': true,
  'issuer.created': true,
  'issuer.updated': true,
  'issuer.deleted': true,
}
const eventNameSchema = z.literal(Object.keys(eventNames))

/** Hands events to listeners in the same process, after what they tell of has been committed. */
export class Events {
  readonly #listeners = new Map<EventName, Set<EventListener<never>>>()
  readonly #logger: Logger

  constructor(logger: Logger) {
    this.#logger = logger
  }

  /**
   * Listens from now on. What a listener throws, or its promise rejects with, is logged and changes nothing.
   *
   * @returns a function that ends the listening
   *
   * @throws ClienteleError `validation_failed` for a name that no event has
   *
   * @example
   * clientele.events.on('user.created', ({ accountId, user }) => sendWelcome(accountId, user.email))
   */
  on<Name extends EventName>(name: Name, listener: EventListener<Name>): () => void {
    parseArgument('name', eventNameSchema, name)
    parseArgument('listener', aFunction(), listener)
    const listeners = this.#listeners.get(name) ?? new Set()
    this.#listeners.set(name, listeners)
    listeners.add(listener)
    return () => {
      listeners.delete(listener)
    }
  }

  /** @internal */
  emit<Name extends EventName>(
    name: Name,
    event: Emitted<ClienteleEvents[Name]> & { requestId: string },
  ): void {
    for (const listener of this.#listeners.get(name) ?? [])
      void this.#deliver(name, listener, event)
  }

  async #deliver(
    name: EventName,
    listener: EventListener<never>,
    event: { requestId: string; user?: StoredUser },
  ) {
    const { user } = event
    const told = user === undefined ? event : { ...event, user: toClientUser(user) }
    try {
      await listener(told as never) // `on` put the listener under the name of its event
    } catch (error) {
      this.#logger.error({ event: name, requestId: event.requestId, error }, 'A listener failed.')
    }
  }
}
