import { z } from 'zod'
import { createOpaqueToken, hashOpaqueToken } from '../base/crypto/opaque-token.ts'
import { ClienteleError } from '../base/errors.ts'
import type { ConsoleServices } from './services.ts'
import type { ConsoleSessionName } from './store.ts'

const purpose = 'console session'
const hourMs = 3_600_000
/** How long a session lives unused */
const lifeMs = hourMs
/** How long use can keep it alive */
const maxLifeMs = 12 * hourMs
/** It is not renewed more often than that. */
const renewEveryMs = 60_000
/** So many sessions has one API key; one more ends the oldest. */
const mostOfKey = 20
/** Browsers keep no longer cookie. */
const maxSealedLength = 4_096

const common = { id: z.string(), startedAt: z.number(), expiresAt: z.number() }
const sessionSchema = z.discriminatedUnion('kind', [
  z.strictObject({ kind: z.literal('account'), apiKey: z.string(), ...common }),
  z.strictObject({ kind: z.literal('operator'), name: z.string(), ...common }),
])

/**
 * A session of the console: an account's, which is worth what its API key is worth, or an operator's. It is kept in a
 * cookie; the database has a hash of its id, until it ends. Times are milliseconds since the epoch.
 */
export type ConsoleSession = z.infer<typeof sessionSchema>
type Holder = { kind: 'account'; apiKey: string } | { kind: 'operator'; name: string }

export async function startSession(
  { repository, clock }: ConsoleServices,
  holder: Holder,
): Promise<ConsoleSession> {
  const now = clock()
  const id = createOpaqueToken()
  const session = { ...holder, id, startedAt: now, expiresAt: now + lifeMs }
  const most = holder.kind === 'account' ? mostOfKey : undefined
  await repository.console.addSession(nameOf(session), now + maxLifeMs, most)
  return session
}

/** Whether it has not been ended, and is one of this database. */
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

/** The same session with a later end; undefined where that would change little. */
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

/** Undefined for what we have not sealed, or for something else, and for a session that has ended. */
export function unsealSession(
  { encryptor, clock }: ConsoleServices,
  sealed: string,
): ConsoleSession | undefined {
  if (sealed.length > maxSealedLength) return undefined
  let text: string
  try {
    text = encryptor.decrypt(sealed, purpose)
  } catch (error) {
    // Anybody can send anything; under which secrets we are is no fault of ours here.
    if (error instanceof ClienteleError && error.code === 'secret_wrong') return undefined
    throw error
  }
  const { success, data } = sessionSchema.safeParse(JSON.parse(text))
  return success && data.expiresAt > clock() ? data : undefined
}
