import { z } from 'zod'
import type { Call } from '../../base/call/call.ts'
import { whileAdmitted } from '../../base/call/while-admitted.ts'
import { ClienteleError } from '../../base/errors.ts'
import { codePoints } from '../../base/input/input.ts'
import type { ClientUser } from '../../user-model/client-user.ts'
import { type StoredUser, toClientUser } from '../../user-model/stored-user.ts'
import { type Device, toDevice } from '../devices/device.ts'
import { appendEvent } from '../events/append-event.ts'
import { readCursor, writeCursor } from '../events/cursor.ts'
import { newEvent } from '../events/new-event.ts'
import { type ClienteleEvent, toClienteleEvent } from '../events/render-event.ts'
import type { StoredEvent } from '../events/store.ts'
import { type Identity, toIdentity } from '../identities/identity.ts'
import { type MfaState, readMfaState } from '../mfa/read-mfa-state.ts'
import { type Passkey, toPasskey } from '../passkeys/passkey.ts'
import { type ScimNames, toScimNames } from '../scim/scim-user.ts'
import { type Session, toSession } from '../sessions/list-sessions.ts'
import { toUserToken, type UserToken } from '../user-tokens/user-token.ts'
import { findUser } from '../users/find-user.ts'
import type { PersonalDataServices } from './services.ts'
import type { MailedPurpose, PersonEventsRequest } from './store.ts'

/** The maximum number of events in one response: its memory does not grow with a person's history. */
export const maxExportedEvents = 500

export const exportRequestSchema = z.strictObject({
  after: codePoints(z.string(), 1, 200).optional(),
  limit: z.int().min(1).max(maxExportedEvents).default(maxExportedEvents),
})

/** The page of a long history. */
export interface ExportDataInput {
  /** `nextCursor` of the previous result. @default the oldest event */
  after?: string | undefined
  /** The maximum number of events, 1 to 500. @default 500 */
  limit?: number | undefined
}

interface KeptData {
  /** Including those that have expired and are not deleted yet */
  sessions: Session[]
  /** Second factors, without secrets */
  mfa: MfaState
  /** Without public keys */
  passkeys: Passkey[]
  /** Remembered devices, without their tokens */
  devices: Device[]
  /** The user's own tokens, without their texts; `revokedAt` null: not revoked */
  userTokens: (UserToken & { revokedAt: Date | null })[]
  /** The user's identities at other issuers */
  identities: Identity[]
  /** The names that an identity provider has given through SCIM; null: none */
  scim: ScimNames | null
  /** When the user's address was verified; null: it is not verified */
  verifiedEmail: { email: string; verifiedAt: Date } | null
  /** The user's former addresses, in alphabetical order; the first thousand */
  formerEmails: string[]
  /** Whether there are more former addresses */
  hasMoreFormerEmails: boolean
  /** The addresses of e-mail tokens and sign-in codes that are not used up */
  emailTokens: { purpose: MailedPurpose; email: string; expiresAt: Date }[]
  /** `after` of the next call */
  nextCursor: string
  /** Whether there are more events */
  hasMore: boolean
}

/** All stored data about a person. */
export interface PersonalData extends KeptData {
  user: ClientUser
  /** The events about the person, oldest first */
  events: ClienteleEvent[]
}

export interface StoredPersonalData extends KeptData {
  user: StoredUser
  events: StoredEvent[]
}

/**
 * Reads all stored data about a person, with a page of events. The access itself writes an event.
 *
 * @throws ClienteleError `user_not_found`; `validation_failed` for a cursor of another feed
 */
export async function exportUser(
  services: PersonalDataServices,
  call: Call,
  userId: string,
  { after, limit }: z.output<typeof exportRequestSchema>,
): Promise<StoredPersonalData> {
  const { accountId } = call
  const position = after === undefined ? 0 : readCursor(accountId, after)
  const read = () => readPerson(services, call, userId, { after: position, limit })
  return services.personExports.run(accountId, whileAdmitted(call, read))
}

async function readPerson(
  services: PersonalDataServices,
  call: Call,
  userId: string,
  request: PersonEventsRequest,
): Promise<StoredPersonalData> {
  const { repository } = services
  const { accountId } = call
  const rows = await services.personTurns.run(accountId, () => readRows(services, call, userId))
  const { user, sessions, mfa, passkeys, devices, userTokens, identities, names } = rows
  const { verified, former, hasMoreFormer, mailed } = await repository.personalData.findEmails(
    accountId,
    userId,
  )
  const page = await repository.personalData.readEvents(accountId, userId, request)
  const event = newEvent(services, call, 'user.exported', userId, {})
  // Nobody gets the data without an event that says so.
  if (!(await appendEvent(services, event))) throw new ClienteleError('user_not_found')
  return {
    user,
    sessions: sessions.map(toSession),
    mfa,
    passkeys: passkeys.map(toPasskey),
    devices: devices.map(toDevice),
    userTokens: userTokens.map((token) => ({
      ...toUserToken(token),
      revokedAt: token.revokedAt === null ? null : new Date(token.revokedAt),
    })),
    identities: identities.map(toIdentity),
    scim: names === undefined ? null : toScimNames(names),
    verifiedEmail: verified && {
      email: verified.email,
      verifiedAt: new Date(verified.verifiedAt),
    },
    formerEmails: former,
    hasMoreFormerEmails: hasMoreFormer,
    emailTokens: mailed.map((token) => ({ ...token, expiresAt: new Date(token.expiresAt) })),
    events: page.events,
    nextCursor: writeCursor(accountId, page.position),
    hasMore: page.hasMore,
  }
}

/** The rows of a person, each kind by an index */
async function readRows(services: PersonalDataServices, call: Call, userId: string) {
  const { repository } = services
  const { accountId } = call
  const { user } = await findUser(services, call, userId)
  return {
    user,
    sessions: await repository.sessions.list(accountId, userId, 0),
    mfa: await readMfaState(services, call, userId),
    passkeys: await repository.passkeys.list(accountId, userId),
    devices: await repository.devices.list(accountId, userId, 0),
    userTokens: await repository.userTokens.listStored(accountId, userId),
    identities: await repository.identities.list(accountId, userId),
    names: (await repository.scim.findNames(accountId, [userId])).get(userId),
  }
}

/** The same in the form for callers in process. */
export function toPersonalData(data: StoredPersonalData): PersonalData {
  return { ...data, user: toClientUser(data.user), events: data.events.map(toClienteleEvent) }
}
