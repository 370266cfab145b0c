import { z } from 'zod'
import { createOpaqueToken, hashOpaqueToken } from '../base/crypto/opaque-token.ts'
import { ClienteleError } from '../base/errors.ts'
import { latestEnd } from '../base/runtime/latest-end.ts'
import { lifeMs, maxLifeMs } from './lives.ts'
import type { ConsoleServices } from './services.ts'
import type { ConsoleSessionName } from './store.ts'

const purpose = 'console session'
/** The minimum time between two renewals. */
const renewEveryMs = 60_000
/** The maximum number of sessions of an API key; a new one ends the oldest. */
const maxPerKey = 20
/** The longest cookie that browsers store. */
const maxSealedLength = 4_096

const common = { id: z.string(), startedAt: z.number(), expiresAt: z.number() }
const sessionSchema = z.discriminatedUnion('kind', [
  z.strictObject({ kind: z.literal('account'), apiKey: z.string(), ...common }),
  z.strictObject({ kind: z.literal('operator'), name: z.string(), ...common }),
])

/**
 * A session of the console: an account's, which has its API key's rights, or an operator's. The browser has it in a
 * cookie; the database has a hash of its id until it ends. Times are milliseconds since the epoch.
 */
export type ConsoleSession = z.infer<typeof sessionSchema>
type Holder = { kind: 'account'; apiKey: string } | { kind: 'operator'; name: string }

/** @param accountId the account of the API key; undefined: an operator's session */
export async function startSession(
  { repository, clock }: ConsoleServices,
  holder: Holder,
  accountId?: string,
): Promise<ConsoleSession> {
  const now = clock()
  const id = createOpaqueToken()
  const session = { ...holder, id, startedAt: now, expiresAt: now + lifeMs }
  const limit = accountId === undefined ? undefined : { accountId, most: maxPerKey }
  await repository.console.addSession(nameOf(session), now + maxLifeMs, limit)
  return session
}

/** Whether the session is in this database and has not been ended. */
export function isAlive(
  { repository, clock }: ConsoleServices,
  session: ConsoleSession,
): Promise<boolean> {
  return repository.console.hasSession(nameOf(session), clock())
}

export function endSession(
  { repository }: ConsoleServices,
  session: ConsoleSession,
): Promise<void> {
  return repository.console.endSession(nameOf(session))
}

function nameOf(session: ConsoleSession): ConsoleSessionName {
  const holder = session.kind === 'account' ? hashOpaqueToken(session.apiKey) : 'operator'
  return { holder, hash: hashOpaqueToken(session.id) }
}

/** The same session with a later expiry; undefined when it was renewed less than a minute ago. */
export function renewSession(
  { clock }: ConsoleServices,
  session: ConsoleSession,
): ConsoleSession | undefined {
  const expiresAt = Math.min(clock() + lifeMs, session.startedAt + maxLifeMs)
  return expiresAt - session.expiresAt < renewEveryMs ? undefined : { ...session, expiresAt }
}

export function sealSession({ encryptor }: ConsoleServices, session: ConsoleSession): string {
  return encryptor.encrypt(JSON.stringify(session), purpose)
}

/** Undefined when the cookie is not ours, or its session has ended. */
export function unsealSession(
  { encryptor, clock }: ConsoleServices,
  sealed: string,
): ConsoleSession | undefined {
  if (sealed.length > maxSealedLength) return undefined
  let text: string
  try {
    text = encryptor.decrypt(sealed, purpose)
  } catch (error) {
    // Any caller can send any cookie: an unknown secret is no fault here.
    if (error instanceof ClienteleError && error.code === 'secret_wrong') return undefined
    throw error
  }
  const { success, data } = sessionSchema.safeParse(JSON.parse(text))
  if (!success) return undefined
  const now = clock()
  return data.expiresAt > now && data.expiresAt <= latestEnd(now, lifeMs) ? data : undefined
}
