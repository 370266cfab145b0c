import { reach } from './reach.ts'
import type { ValidatorSettings } from './validator-options.ts'

/** The API key is not valid, or belongs to another account. */
export class KeyRefusal extends TypeError {}

/**
 * Checks that the API key belongs to the issuer's account. With a key of another account, the feed would be that
 * account's, and the validator would see no logout. Introspection (RFC 7662) takes the account's id beside the key; the
 * token does not matter.
 *
 * @throws KeyRefusal when it does not; Error when the check failed
 */
export async function assertOwnKey(
  { baseUrl, apiKey, accountId }: ValidatorSettings,
  signal: AbortSignal,
): Promise<void> {
  const response = await reach(`${baseUrl}/client/user/auth/introspect`, {
    method: 'POST',
    headers: { authorization: `Basic ${btoa(`${accountId}:${encodeURIComponent(apiKey)}`)}` },
    body: new URLSearchParams({ token: 'none' }),
    signal,
    redirect: 'error',
  })
  await response.body?.cancel()
  if (response.status === 200) return
  if (response.status === 401)
    throw new KeyRefusal(`apiKey is not valid, or not a key of the account ${accountId}.`)
  throw new Error(
    `Clientele answered the check of the API key, for the account ${accountId}, with ${response.status}.`,
  )
}
