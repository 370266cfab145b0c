import { z } from 'zod'
import type { Actor, Origin } from '../../base/call/call.ts'
import { toWireData } from '../../base/input/wire-data.ts'
import { readEmailAddress } from '../../user-model/email-address.ts'
import type { StoredUser } from '../../user-model/stored-user.ts'
import { definitionOf, type EventData, type EventType, type EventTypes } from './event-types.ts'

/** An event that is not written yet: the write that causes it stores it. */
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
  /** Personal data; undefined: none, or the user as the write leaves it */
  person?: EventPerson | undefined
  /** Proves to the chain that a process with the key has written the event; undefined: this process has no chain */
  seal?: string | undefined
}

/** The personal part of an event. */
export interface EventPerson {
  user?: StoredUser
  /** An address as it was typed; empty if no user has it and it is no address: people type passwords there */
  email?: string
  /** The user's identity at an issuer */
  identity?: { issuer: string; subject: string }
  /** Why the user was impersonated, in the words of the caller */
  reason?: string
  /** Those of a token of the user's own, in the words of the caller */
  scopes?: readonly string[]
}

/** The personal data as stored. An erasure searches for an address by this exact text. */
export function renderPerson(person: EventPerson): string {
  return JSON.stringify(person)
}

/** Creates events. */
export interface EventMaker {
  newId: () => string
  /** Milliseconds since the epoch */
  clock: () => number
  /** Undefined: no chain */
  sealEvent: ((event: NewEvent) => string) | undefined
}

/** Creates the event of a call, before the call writes. */
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
    subject: { type: subject as EventTypes[Type]['subject'], id: subjectId }, // by the table of event types
    data,
    person: subjectId === null ? keepAddress(person) : person,
  }
  if (sealEvent !== undefined) event.seal = sealEvent(event)
  return event
}

function keepAddress(person: EventPerson | undefined): EventPerson | undefined {
  if (person?.email === undefined) return person
  return { ...person, email: readEmailAddress(person.email) ?? '' }
}

const shapes = new Map<EventType, z.ZodObject>()

/** The schema of a type's data, named as in process. */
export function dataSchemaOf(type: EventType): z.ZodObject {
  const schema = shapes.get(type) ?? z.object(definitionOf(type).data)
  shapes.set(type, schema)
  return schema
}

/** An event's data as stored: JSON, named as on the wire. */
export function renderData({ type, data }: Pick<NewEvent, 'type' | 'data'>): string {
  const names = Object.keys(data)
  return names.length === 0 ? '{}' : JSON.stringify(toWireData(dataSchemaOf(type), data))
}
