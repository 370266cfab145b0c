import type { Scope } from '../api-keys/api-key.ts'
import { hashApiKeySecret, isApiKeySecret } from '../api-keys/api-key-secret.ts'
import type { ApiKeyMatch } from '../api-keys/store.ts'
import { ClienteleError } from '../errors.ts'
import type { Services } from '../services.ts'
import type { TokenSubject } from '../users/store.ts'
import type { HttpRequest } from './message.ts'

const noteUseEveryMs = 60_000

/**
 * Reads the only Authorization header.
 *
 * @throws ClienteleError `header_repeated`: Node keeps the first and a proxy may have checked the other
 */
export function readAuthorization({
  headers,
  rawHeaders,
}: Pick<HttpRequest, 'headers' | 'rawHeaders'>): string | undefined {
  let count = 0
  for (let index = 0; index < rawHeaders.length; index += 2) {
    if (rawHeaders[index]?.toLowerCase() === 'authorization') count++
  }
  if (count > 1) throw new ClienteleError('header_repeated')
  return headers.authorization
}

/**
 * Finds the account of the request's API key, and in the same round trip the subject that the request names.
 *
 * @throws ClienteleError `header_repeated`, `api_key_missing`, `api_key_invalid`, `scope_insufficient`
 */
export async function authenticate(
  services: Services,
  request: HttpRequest,
  scope: Scope,
  subject?: TokenSubject,
): Promise<ApiKeyMatch> {
  const header = readAuthorization(request)
  if (header === undefined) throw new ClienteleError('api_key_missing')
  const secret = /^bearer +([^ ]+)$/i.exec(header)?.[1]
  if (secret === undefined || !isApiKeySecret(secret)) throw new ClienteleError('api_key_invalid')
  const now = services.clock()
  const match = await services.repository.apiKeys.findByHash(hashApiKeySecret(secret), now, subject)
  if (match === undefined || match.isAccountDisabled) throw new ClienteleError('api_key_invalid')
  const { key, account } = match
  if (key.revokedAt !== null || (key.expiresAt !== null && key.expiresAt <= now)) {
    throw new ClienteleError('api_key_invalid')
  }
  if (key.lastUsedAt === null || now - key.lastUsedAt >= noteUseEveryMs) {
    noteUse(services, account.id, key.id, now)
  }
  if (!key.scopes.includes(scope)) throw new ClienteleError('scope_insufficient')
  return match
}

const beingNoted = new Set<string>()

/** Notes the use beside the request, not on its path. */
function noteUse(
  { repository, logger }: Services,
  accountId: string,
  keyId: string,
  now: number,
): void {
  if (beingNoted.has(keyId)) return
  beingNoted.add(keyId)
  setImmediate(() => {
    repository.apiKeys
      .noteUse(accountId, keyId, now)
      .catch((error: unknown) =>
        logger.warn({ error, keyId }, "An API key's last use could not be noted."),
      )
      .finally(() => beingNoted.delete(keyId))
  })
}
