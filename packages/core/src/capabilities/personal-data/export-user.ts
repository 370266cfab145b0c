import { z } from 'zod'
import type { Call } from '../../base/call/call.ts'
import { codePoints } from '../../base/input/input.ts'
import type { ClientUser } from '../../user-model/client-user.ts'
import { type StoredUser, toClientUser } from '../../user-model/stored-user.ts'
import type { EmailTokenPurpose } from '../email-tokens/store.ts'
import { readCursor, writeCursor } from '../events/cursor.ts'
import { newEvent } from '../events/new-event.ts'
import { type ClienteleEvent, toClienteleEvent } from '../events/render-event.ts'
import type { StoredEvent } from '../events/store.ts'
import { type Identity, toIdentity } from '../identities/identity.ts'
import { type MfaState, readMfaState } from '../mfa/read-mfa-state.ts'
import { type Passkey, toPasskey } from '../passkeys/passkey.ts'
import { type Session, toSession } from '../sessions/list-sessions.ts'
import { findUser } from '../users/find-user.ts'
import type { PersonalDataServices } from './services.ts'

/** So many events are in one answer at most: what one takes of memory does not grow with a person's history. */
export const maxExportedEvents = 500

export const exportRequestSchema = z.strictObject({
  after: codePoints(z.string(), 1, 200).optional(),
  limit: z.int().min(1).max(maxExportedEvents).default(maxExportedEvents),
})

/** Which part of a long history is read. */
export interface ExportDataInput {
  /** `nextCursor` of the answer before. @default the oldest event */
  after?: string | undefined
  /** How many events at most, 1 to 500. @default 500 */
  limit?: number | undefined
}

interface KeptData {
  /** With those that have expired and are not cleared away yet */
  sessions: Session[]
  /** Second factors, without their secrets */
  mfa: MfaState
  /** Without their keys */
  passkeys: Passkey[]
  /** Who the user is at other issuers */
  identities: Identity[]
  /** The user's address where it was verified. Null: it was not */
  verifiedEmail: { email: string; verifiedAt: Date } | null
  /** The addresses that the user had before, in alphabetical order */
  formerEmails: string[]
  /** Where tokens were mailed that are not used up */
  emailTokens: { purpose: EmailTokenPurpose; email: string; expiresAt: Date }[]
  /** `after` of the next call */
  nextCursor: string
  /** Whether there are more events */
  hasMore: boolean
}

/** All that is kept about a person. */
export interface PersonalData extends KeptData {
  user: ClientUser
  /** What is about the person, oldest first */
  events: ClienteleEvent[]
}

export interface StoredPersonalData extends KeptData {
  user: StoredUser
  events: StoredEvent[]
}

/**
 * Reads all that is kept about a person; of the events a page. That it was read is an event, too.
 *
 * @throws ClienteleError `user_not_found`; `validation_failed` for a cursor of another feed
 */
export async function exportUser(
  services: PersonalDataServices,
  call: Call,
  userId: string,
  { after, limit }: z.output<typeof exportRequestSchema>,
): Promise<StoredPersonalData> {
  const { repository, events } = services
  const { accountId } = call
  const position = after === undefined ? 0 : readCursor(accountId, after)
  const { user } = await findUser(services, call, userId)
  const sessions = await repository.sessions.list(accountId, userId, 0)
  const mfa = await readMfaState(services, call, userId)
  const passkeys = await repository.passkeys.list(accountId, userId)
  const identities = await repository.identities.list(accountId, userId)
  const { verified, former, mailed } = await repository.personalData.findEmails(accountId, userId)
  const request = { after: position, limit }
  const page = await repository.personalData.readEvents(accountId, userId, request)
  const event = newEvent(services, call, 'user.exported', userId, {})
  await repository.events.append(accountId, event)
  events.emit(event)
  return {
    user,
    sessions: sessions.map(toSession),
    mfa,
    passkeys: passkeys.map(toPasskey),
    identities: identities.map(toIdentity),
    verifiedEmail: verified && {
      email: verified.email,
      verifiedAt: new Date(verified.verifiedAt),
    },
    formerEmails: former,
    emailTokens: mailed.map((token) => ({ ...token, expiresAt: new Date(token.expiresAt) })),
    events: page.events,
    nextCursor: writeCursor(accountId, page.position),
    hasMore: page.hasMore,
  }
}

/** The same as callers in process see it. */
export function toPersonalData(data: StoredPersonalData): PersonalData {
  return { ...data, user: toClientUser(data.user), events: data.events.map(toClienteleEvent) }
}
