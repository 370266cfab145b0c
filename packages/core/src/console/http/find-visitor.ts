import pTimeout from 'p-timeout'
import { ClienteleError } from '../../base/errors.ts'
import { labelSchema } from '../../base/input/bounded-text.ts'
import { isCallerGone } from '../../http/is-caller-gone.ts'
import type { HttpRequest } from '../../http/message.ts'
import { type ConsoleSession, isAlive, unsealSession } from '../console-session.ts'
import type { ConsoleServices } from '../services.ts'
import type { ConsoleOptions } from './console-options.ts'
import { readSealedSessions } from './session-cookie.ts'
import type { Visitor } from './visitor.ts'

/** The maximum number of cookies that are checked: each needs a database query. */
const maxSessions = 4
/** The weight of a request with more of them */
const manySessions = 16
/** The timeout of the host's `authorize` */
const patienceMs = 5_000

/**
 * Runs `act` for the visitor of one of the request's cookies, or else for the operator that the host recognises. A
 * cookie of an ended session, for instance of a revoked API key, does not block the others.
 *
 * @throws ClienteleError `console_session_missing`, and any other error of `act`
 */
export async function withVisitor<T>(
  services: ConsoleServices,
  options: ConsoleOptions,
  request: HttpRequest,
  act: (visitor: Visitor) => Promise<T>,
): Promise<T> {
  for (const session of await listSessions(services, request)) {
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

/** The valid sessions in the cookies, the nearest path first. */
export async function listSessions(
  services: ConsoleServices,
  request: HttpRequest,
): Promise<ConsoleSession[]> {
  const sealed = readSealedSessions(request).filter((each) => services.encryptor.namesKey(each))
  const unseal = async () =>
    sealed.flatMap((each) => unsealSession(services, each) ?? []).slice(0, maxSessions)
  if (sealed.length <= maxSessions) return unseal()
  // To decrypt many takes a millisecond, and nobody is authenticated yet: those who send them share one account's time.
  const isGone = () => isCallerGone(request)
  return services.loopTurns.run({ accountId: '', weight: manySessions, isGone }, unseal)
}

/**
 * The operator that the host's `authorize` recognises.
 *
 * @throws ClienteleError `console_session_missing`; an internal error, which is logged and not shown, when `authorize`
 *   fails
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
    // A `storage_unavailable` of the host's own Clientele is passed on; other errors stay hidden from the caller.
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
