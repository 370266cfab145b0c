import type { Scope } from '../base/call/scope.ts'
import type { TokenSubject } from '../base/call/token-subject.ts'
import { ClienteleError } from '../base/errors.ts'
import { type BasicCredentials, readBasic } from '../base/input/basic.ts'
import { isBearerEmpty, readBearer } from '../base/input/bearer.ts'
import {
  type AuthenticatedCall,
  authenticateApiKey,
} from '../capabilities/api-keys/authenticate-api-key.ts'
import { assertNotRepeated, type HttpRequest, readHeader } from '../http/message.ts'
import type { MountServices } from './services.ts'

/**
 * Reads the Authorization header, which must not be repeated.
 *
 * @throws ClienteleError `header_repeated`
 */
export function readAuthorization(
  request: Pick<HttpRequest, 'headers' | 'rawHeaders'>,
): string | undefined {
  assertNotRepeated(request, 'authorization')
  return readHeader(request, 'authorization')
}

interface AboutRoute {
  requestId: string
  scope: Scope
  /** The subject that the request names: read in the same round trip */
  subject?: TokenSubject | undefined
  /** Whether HTTP Basic is accepted, too */
  acceptsBasic?: boolean | undefined
}

/**
 * Authenticates the API key of a request and, in the same round trip, reads the subject that the request names.
 *
 * @throws ClienteleError `header_repeated`, `api_key_missing`, `api_key_invalid`, `scope_insufficient`
 */
export async function authenticate(
  services: MountServices,
  request: HttpRequest,
  { requestId, scope, subject, acceptsBasic = false }: AboutRoute,
): Promise<AuthenticatedCall> {
  const header = readAuthorization(request)
  if (header === undefined || isBearerEmpty(header)) throw new ClienteleError('api_key_missing')
  const given = { requestId, scope, subject, clientAddress: request.clientAddress }
  const basic = acceptsBasic ? readBasic(header) : undefined
  if (basic !== undefined) return authenticateBasic(services, basic, given)
  const secret = readBearer(header)
  if (secret === undefined) throw new ClienteleError('api_key_invalid', explain(header))
  if (isJwt(secret) || secret.startsWith('cut_'))
    throw new ClienteleError('api_key_invalid', 'This is a token of a user: send an API key, cu_….')
  return authenticateApiKey(services, secret, given)
}

/** The likeliest mistake is an API key without a scheme. */
function explain(header: string): string | undefined {
  return header.startsWith('cu_') ? 'Send the API key as Authorization: Bearer cu_….' : undefined
}

/** API keys have no dots. */
function isJwt(secret: string): boolean {
  return secret.startsWith('eyJ') && secret.includes('.')
}

/** Authenticates an account id and API key that came as user name and password. */
async function authenticateBasic(
  services: MountServices,
  { name, password }: BasicCredentials,
  about: Parameters<typeof authenticateApiKey>[2],
): Promise<AuthenticatedCall> {
  try {
    const found = await authenticateApiKey(services, password, about)
    if (found.call.accountId === name.toLowerCase()) return found
  } catch (error) {
    if (!(error instanceof ClienteleError) || error.code !== 'api_key_invalid') throw error
  }
  // The challenge names the scheme that the caller used (RFC 6749, section 5.2).
  const headers = { 'www-authenticate': 'Basic realm="clientele"' }
  throw new ClienteleError('api_key_invalid', undefined, { headers })
}
