import type { ValidatorSettings } from './validator-options.ts'

/** The API key is not valid, or another account's. */
export class KeyRefusal extends TypeError {}

/**
 * Makes sure that the API key is one of the issuer's account: with another's, the feed would be another account's, and no
 * logout would ever be seen. Introspection (RFC 7662) takes the account's id beside the key; the token does not matter.
 *
 * @throws KeyRefusal when it is not; Error when that could not be learned
 */
export async function assertOwnKey(
  { baseUrl, apiKey, accountId }: ValidatorSettings,
  signal: AbortSignal,
): Promise<void> {
  const response = await fetch(`${baseUrl}/client/user/auth/introspect`, {
    method: 'POST',
    headers: { authorization: `Basic ${btoa(`${accountId}:${encodeURIComponent(apiKey)}`)}` },
    body: new URLSearchParams({ token: 'none' }),
    signal,
    redirect: 'error',
  })
  await response.body?.cancel()
  if (response.status === 200) return
  if (response.status === 401)
    throw new KeyRefusal(`apiKey is not valid, or not one of the account ${accountId}.`)
  throw new Error(
    `Whether the API key is one of the account ${accountId} is answered with ${response.status}.`,
  )
}
