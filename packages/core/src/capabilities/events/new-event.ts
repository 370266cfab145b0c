import { z } from 'zod'
import type { Actor, Origin } from '../../base/call/call.ts'
import { toWireData } from '../../base/input/wire-data.ts'
import type { StoredUser } from '../../user-model/stored-user.ts'
import { definitionOf, type EventData, type EventType, type EventTypes } from './event-types.ts'

/** An event that is not written yet: the write that it tells of brings it along. */
export interface NewEvent<Type extends EventType = EventType> {
  /** UUIDv7 */
  id: string
  type: Type
  accountId: string
  /** Milliseconds since the epoch */
  createdAt: number
  actor: Actor
  requestId: string
  subject: { type: EventTypes[Type]['subject']; id: string | null }
  data: EventData<Type>
  /** What is personal; undefined: nothing, or the user as the write leaves it */
  person?: EventPerson | undefined
  /** Shows who links events that a process with the key has written it; undefined: this process makes no chain */
  seal?: string | undefined
}

/** What of a person an event tells. */
export interface EventPerson {
  user?: StoredUser
  /** An address that somebody typed */
  email?: string
  /** Who the user is at an issuer */
  identity?: { issuer: string; subject: string }
}

/** What is personal, as it is kept. An erasure looks for an address by this very text. */
export function renderPerson(person: EventPerson): string {
  return JSON.stringify(person)
}

/** What makes events. */
export interface EventMaker {
  newId: () => string
  /** Milliseconds since the epoch */
  clock: () => number
  /** Undefined: there is no chain */
  sealEvent: ((event: NewEvent) => string) | undefined
}

/** Makes an event of what a call is about to do. */
export function newEvent<Type extends EventType>(
  { newId, clock, sealEvent }: EventMaker,
  { accountId, actor, requestId }: Origin,
  type: Type,
  subjectId: string | null,
  data: EventData<Type>,
  person?: EventPerson,
): NewEvent<Type> {
  const { subject } = definitionOf(type)
  const event: NewEvent<Type> = {
    id: newId(),
    type,
    accountId,
    createdAt: clock(),
    actor,
    requestId,
    subject: { type: subject as EventTypes[Type]['subject'], id: subjectId }, // as the table says
    data,
    person,
  }
  if (sealEvent !== undefined) event.seal = sealEvent(event)
  return event
}

const shapes = new Map<EventType, z.ZodObject>()

/** The schema of a type's data, as it is named in process. */
export function dataSchemaOf(type: EventType): z.ZodObject {
  const schema = shapes.get(type) ?? z.object(definitionOf(type).data)
  shapes.set(type, schema)
  return schema
}

/** An event's data as it is kept: JSON, named as on the wire. */
export function renderData({ type, data }: Pick<NewEvent, 'type' | 'data'>): string {
  const names = Object.keys(data)
  return names.length === 0 ? '{}' : JSON.stringify(toWireData(dataSchemaOf(type), data))
}
