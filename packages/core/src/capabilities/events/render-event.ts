import type { Actor } from '../../base/call/call.ts'
import { fromWireData, toWireData } from '../../base/input/wire-data.ts'
import { toWire } from '../../base/input/wire-names.ts'
import type { ClientUser } from '../../user-model/client-user.ts'
import { renderUser } from '../../user-model/render-user.ts'
import { toClientUser } from '../../user-model/stored-user.ts'
import type { EventType, SubjectType } from './event-types.ts'
import { dataSchemaOf, type EventPerson } from './new-event.ts'
import type { StoredEvent } from './store.ts'

/** An event of the feed. */
export interface ClienteleEvent {
  /** UUIDv7; the `webhook-id` of its webhooks */
  id: string
  type: EventType
  createdAt: Date
  actor: Actor
  /** The request's id, as in its log lines and its response */
  requestId: string
  subject: { type: SubjectType; id: string | null }
  /** The data of the type, with the user if the event is about one; without the user after an erasure */
  data: Readonly<Record<string, unknown>> & { user?: ClientUser; email?: string }
}

/** Writes an event in the form of the feed, webhooks and exports. */
export function renderEvent(event: StoredEvent): string {
  const { id, type, createdAt, actor, requestId, subject } = event
  const head = JSON.stringify({
    id,
    type,
    created_at: new Date(createdAt).toISOString(),
    actor,
    request_id: requestId,
    subject,
  })
  return `${head.slice(0, -1)},"data":${withPerson(event)}}`
}

/**
 * Converts an event to the form of the HTTP API and webhooks: names in snake_case, times in ISO 8601. Keys in a user's
 * metadata stay as they are.
 *
 * @example
 * import { toWireEvent } from '@clientele/core'
 *
 * const { data } = await clientele.events.read(accountId)
 * for (const event of data) console.log(JSON.stringify(toWireEvent(event)))
 */
export function toWireEvent(event: ClienteleEvent): object {
  const { user, email, ...data } = event.data
  const { id, type, createdAt, actor, requestId, subject } = event
  return {
    ...toWire({ id, type, createdAt, actor, requestId, subject }),
    data: {
      ...(user !== undefined && { user: toWire(user) }),
      ...(email !== undefined && { email }),
      ...(toWireData(dataSchemaOf(type), data) as object), // the data of an object is an object
    },
  }
}

/** The event as callers in process see it. */
export function toClienteleEvent(event: StoredEvent): ClienteleEvent {
  const { id, type, createdAt, actor, requestId, subject } = event
  const { user, email, identity, reason, scopes } = readPerson(event)
  const data = fromWireData(dataSchemaOf(type), JSON.parse(event.data)) as object // written by us
  return {
    id,
    type,
    createdAt: new Date(createdAt),
    actor,
    requestId,
    subject,
    data: {
      ...(user !== undefined && { user: toClientUser(user) }),
      ...(email !== undefined && { email }),
      ...identity,
      ...(reason !== undefined && { reason }),
      ...(scopes !== undefined && { scopes }),
      ...data,
    },
  }
}

function withPerson(event: StoredEvent): string {
  const { user, email, identity, reason, scopes } = readPerson(event)
  const members = []
  if (user !== undefined) members.push(`"user":${renderUser(user)}`)
  if (email !== undefined) members.push(`"email":${JSON.stringify(email)}`)
  if (identity !== undefined) members.push(JSON.stringify(identity).slice(1, -1))
  if (reason !== undefined) members.push(`"reason":${JSON.stringify(reason)}`)
  if (scopes !== undefined) members.push(`"scopes":${JSON.stringify(scopes)}`)
  if (event.data !== '{}') members.push(event.data.slice(1, -1))
  return `{${members.join(',')}}`
}

function readPerson({ person }: StoredEvent): EventPerson {
  if (person === null) return {}
  const read = JSON.parse(person) as EventPerson // written by us
  // SQLite writes flags as 0 and 1.
  return read.user === undefined
    ? read
    : { ...read, user: { ...read.user, isActive: Boolean(read.user.isActive) } }
}
