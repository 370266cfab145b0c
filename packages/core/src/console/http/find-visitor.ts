import pTimeout from 'p-timeout'
import { ClienteleError } from '../../base/errors.ts'
import { labelSchema } from '../../base/input/bounded-text.ts'
import type { HttpRequest } from '../../http/message.ts'
import { type ConsoleSession, isAlive, unsealSession } from '../console-session.ts'
import type { ConsoleServices } from '../services.ts'
import type { ConsoleOptions } from './console-options.ts'
import { readSealedSessions } from './session-cookie.ts'
import type { Visitor } from './visitor.ts'

/** The database is asked for each. */
const maxSessions = 4
/** How long the host may take to say who somebody is */
const patienceMs = 5_000

/**
 * Does something for whoever a cookie says, or else for whom the host vouches for. A session that has ended, an account's
 * whose key is not good any more for instance, shuts out none of the others.
 *
 * @throws ClienteleError `console_session_missing`, and whatever `act` throws besides
 */
export async function withVisitor<T>(
  services: ConsoleServices,
  options: ConsoleOptions,
  request: HttpRequest,
  act: (visitor: Visitor) => Promise<T>,
): Promise<T> {
  for (const session of listSessions(services, request)) {
    if (!(await isAlive(services, session))) continue
    try {
      return await act(session)
    } catch (error) {
      const isOver = error instanceof ClienteleError && error.code === 'console_session_missing'
      if (!isOver) throw error
    }
  }
  return act(await askHost(options, request))
}

/** The sessions that we have sealed, the nearest path first. */
export function listSessions(services: ConsoleServices, request: HttpRequest): ConsoleSession[] {
  const found = readSealedSessions(request).flatMap(
    (sealed) => unsealSession(services, sealed) ?? [],
  )
  return found.slice(0, maxSessions)
}

/**
 * The operator whom the host vouches for.
 *
 * @throws ClienteleError `console_session_missing`; what is logged and told to nobody, where the host's function fails
 */
export async function askHost(
  { authorize }: ConsoleOptions,
  { method, url, mountPath, headers, clientAddress }: HttpRequest,
): Promise<Visitor> {
  if (authorize === undefined) throw new ClienteleError('console_session_missing')
  let operator: unknown
  try {
    const asked = authorize({ method, url: mountPath + url, headers, clientAddress })
    operator = await pTimeout(Promise.resolve(asked), { milliseconds: patienceMs })
  } catch (cause) {
    // What the host's own Clientele says of its database is said on; of anything else the caller reads nothing.
    if (cause instanceof ClienteleError && cause.code === 'storage_unavailable') {
      throw new ClienteleError('storage_unavailable', undefined, { cause, retryAfterSeconds: 1 })
    }
    throw new Error('authorize, an option of the console, has failed.', { cause })
  }
  if (operator === undefined || operator === null || operator === false)
    throw new ClienteleError('console_session_missing')
  const name = typeof operator === 'object' && 'name' in operator ? operator.name : undefined
  const { success, data } = labelSchema.safeParse(name)
  if (success) return { kind: 'operator', name: data }
  throw new Error('authorize, an option of the console, must answer with { name } or undefined.')
}
