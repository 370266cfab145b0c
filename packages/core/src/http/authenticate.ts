import type { Scope } from '../api-keys/api-key.ts'
import { type AuthenticatedCall, authenticateApiKey } from '../api-keys/authenticate-api-key.ts'
import { ClienteleError } from '../errors.ts'
import { isBearerEmpty, readBearer } from '../input/bearer.ts'
import type { Services } from '../services.ts'
import type { TokenSubject } from '../users/store.ts'
import { assertNotRepeated, type HttpRequest, readHeader } from './message.ts'

/**
 * Reads the only Authorization header.
 *
 * @throws ClienteleError `header_repeated`
 */
export function readAuthorization(
  request: Pick<HttpRequest, 'headers' | 'rawHeaders'>,
): string | undefined {
  assertNotRepeated(request, 'authorization')
  return readHeader(request, 'authorization')
}

/**
 * Authenticates the request's API key, and in the same round trip reads the subject that the request names.
 *
 * @throws ClienteleError `header_repeated`, `api_key_missing`, `api_key_invalid`, `scope_insufficient`
 */
export async function authenticate(
  services: Services,
  request: HttpRequest,
  requestId: string,
  scope: Scope,
  subject?: TokenSubject,
): Promise<AuthenticatedCall> {
  const header = readAuthorization(request)
  if (header === undefined || isBearerEmpty(header)) throw new ClienteleError('api_key_missing')
  const secret = readBearer(header)
  if (secret === undefined) throw new ClienteleError('api_key_invalid')
  const { clientAddress } = request
  return authenticateApiKey(services, secret, { requestId, clientAddress, scope, subject })
}
