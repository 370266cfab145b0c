import { z } from 'zod'
import type { Actor } from '../../base/call/call.ts'
import { aFunction } from '../../base/input/configuration.ts'
import { parseArgument } from '../../base/input/input.ts'
import type { Logger } from '../../base/runtime/logger.ts'
import type { ClientUser } from '../../user-model/client-user.ts'
import { type StoredUser, toClientUser } from '../../user-model/stored-user.ts'
import {
  type EventData,
  type EventType,
  type EventTypes,
  eventTypeNames,
  type SubjectType,
} from './event-types.ts'
import type { NewEvent } from './new-event.ts'

/** The actor and the request: log lines have the same `requestId`. */
interface Caused {
  /** UUIDv7, the same as in the feed */
  id: string
  createdAt: Date
  actor: Actor
  requestId: string
}

/** The subject of an event as listeners receive it; a user is complete if the event includes it. */
const subjectMembers = {
  user: 'userId',
  account: 'accountId',
  api_key: 'apiKeyId',
  signing_key: 'keyId',
  issuer: 'issuerId',
  webhook: 'webhookId',
} as const satisfies Record<SubjectType, string>

type SubjectOf<Type extends EventType> = EventTypes[Type] extends {
  person: 'user' | 'identity' | 'reason'
}
  ? { user: ClientUser }
  : {
      [Member in (typeof subjectMembers)[EventTypes[Type]['subject']]]: Member extends 'userId'
        ? EventTypes[Type] extends { person: 'email' }
          ? string | null
          : string
        : string
    }
type PersonOf<Type extends EventType> = EventTypes[Type] extends { person: 'email' }
  ? { email: string }
  : EventTypes[Type] extends { person: 'identity' }
    ? { issuer: string; subject: string }
    : EventTypes[Type] extends { person: 'reason' }
      ? { reason: string }
      : EventTypes[Type] extends { person: 'scopes' }
        ? { scopes: readonly string[] }
        : unknown

type Recorded = {
  [Type in EventType]: Caused & { accountId: string } & SubjectOf<Type> &
    PersonOf<Type> &
    EventData<Type>
}

/** Every event with the data that its listeners receive. */
export interface ClienteleEvents extends Recorded {
  /** In process only: it is not in the feed. */
  'session.refreshed': Omit<Caused, 'id' | 'createdAt'> & {
    accountId: string
    userId: string
    sessionId: string
  }
}

export type EventName = keyof ClienteleEvents
export type EventListener<Name extends EventName> = (event: ClienteleEvents[Name]) => unknown

const eventNameSchema = z.literal([...eventTypeNames, 'session.refreshed'])

/** Passes events to listeners in the same process, after they have been committed. */
export class Events {
  readonly #listeners = new Map<EventName, Set<EventListener<never>>>()
  readonly #logger: Logger
  readonly #onCommitted: (accountId: string) => void

  /** @param onCommitted called for each account whose feed has grown */
  constructor(logger: Logger, onCommitted: (accountId: string) => void) {
    this.#logger = logger
    this.#onCommitted = onCommitted
  }

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

  /**
   * Publishes a committed event.
   *
   * @param user the user after the change, if the event does not include it
   */
  emit(event: NewEvent, user: StoredUser | undefined = event.person?.user): void {
    this.#onCommitted(event.accountId)
    const listeners = this.#listeners.get(event.type)
    if (listeners === undefined || listeners.size === 0) return
    const { id, type, accountId, createdAt, actor, requestId, subject, data, person } = event
    this.#deliver(type, requestId, {
      id,
      createdAt: new Date(createdAt),
      accountId,
      actor,
      requestId,
      ...(user === undefined
        ? { [subjectMembers[subject.type]]: subject.id }
        : { user: toClientUser(user) }),
      ...(person?.email !== undefined && { email: person.email }),
      ...person?.identity,
      ...(person?.reason !== undefined && { reason: person.reason }),
      ...(person?.scopes !== undefined && { scopes: person.scopes }),
      ...data,
    })
  }

  /** Publishes an event that is not in the feed. */
  emitUnrecorded(event: ClienteleEvents['session.refreshed']): void {
    this.#deliver('session.refreshed', event.requestId, event)
  }

  #deliver(name: EventName, requestId: string, told: object): void {
    for (const listener of this.#listeners.get(name) ?? [])
      void this.#call(listener, told).catch((error: unknown) =>
        this.#logger.error({ event: name, requestId, error }, 'A listener failed.'),
      )
  }

  async #call(listener: EventListener<never>, told: object): Promise<void> {
    await listener(told as never) // `on` stored the listener by the name of its event
  }
}
