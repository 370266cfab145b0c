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

/** Who did it, and for which request: log lines have the same `requestId`. */
interface Caused {
  /** UUIDv7: the event of the feed has the same */
  id: string
  createdAt: Date
  actor: Actor
  requestId: string
}

/** How a listener is told what the event is about; a user stands there whole, where the event has it. */
const subjectMembers = {
  user: 'userId',
  account: 'accountId',
  api_key: 'apiKeyId',
  signing_key: 'keyId',
  issuer: 'issuerId',
  webhook: 'webhookId',
} as const satisfies Record<SubjectType, string>

type SubjectOf<Type extends EventType> = EventTypes[Type] extends { person: 'user' | 'identity' }
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
    : unknown

type Recorded = {
  [Type in EventType]: Caused & { accountId: string } & SubjectOf<Type> &
    PersonOf<Type> &
    EventData<Type>
}

/** Every event with what its listeners receive. */
export interface ClienteleEvents extends Recorded {
  /** In process only: the feed does not have it. */
  'session.refreshed': Omit<Caused, 'id' | 'createdAt'> & {
    accountId: string
    userId: string
    sessionId: string
  }
}

export type EventName = keyof ClienteleEvents
export type EventListener<Name extends EventName> = (event: ClienteleEvents[Name]) => unknown

const eventNameSchema = z.literal([...eventTypeNames, 'session.refreshed'])

/** Hands events to listeners in the same process, after what they tell of has been committed. */
export class Events {
  readonly #listeners = new Map<EventName, Set<EventListener<never>>>()
  readonly #logger: Logger
  readonly #onCommitted: (accountId: string) => void

  /** @param onCommitted told of each account whose feed has grown */
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
   * Tells of an event that has been committed.
   *
   * @param user as the change left it, where the event did not bring it along
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
      ...data,
    })
  }

  /** Tells of what the feed does not have. */
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
    await listener(told as never) // `on` put the listener under the name of its event
  }
}
