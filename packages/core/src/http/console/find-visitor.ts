import { unsealSession } from '../../console/console-session.ts'
import { ClienteleError } from '../../errors.ts'
import { labelSchema } from '../../input/bounded-text.ts'
import type { Services } from '../../services.ts'
import type { HttpRequest } from '../message.ts'
import type { ConsoleOptions } from './console-options.ts'
import { readSealedSessions } from './session-cookie.ts'
import type { Visitor } from './visitor.ts'

/** Whose cookie it is; without one, the host is asked. */
export async function findVisitor(
  services: Services,
  options: ConsoleOptions,
  request: HttpRequest,
): Promise<Visitor | undefined> {
  for (const sealed of readSealedSessions(request)) {
    const session = unsealSession(services, sealed)
    if (session !== undefined) return session
  }
  return askHost(options, request)
}

/** @throws what is logged and told to nobody, where the host's function fails */
async function askHost(
  { authorize }: ConsoleOptions,
  { method, url, mountPath, headers, clientAddress }: HttpRequest,
): Promise<Visitor | undefined> {
  if (authorize === undefined) return undefined
  let operator: unknown
  try {
    operator = await authorize({ method, url: mountPath + url, headers, clientAddress })
  } catch (cause) {
    // What the host's own Clientele says of its database is said on; of anything else the caller reads nothing.
    if (cause instanceof ClienteleError && cause.code === 'storage_unavailable') {
      throw new ClienteleError('storage_unavailable', undefined, { cause, retryAfterSeconds: 1 })
    }
    throw new Error('authorize, an option of the console, has failed.', { cause })
  }
  if (operator === undefined || operator === null || operator === false) return undefined
  const name = typeof operator === 'object' && 'name' in operator ? operator.name : undefined
  const { success, data } = labelSchema.safeParse(name)
  if (success) return { kind: 'operator', name: data }
  throw new Error('authorize, an option of the console, must answer with { name } or undefined.')
}
