import type { ValidatorSettings } from './validator-options.ts'

/**
 * Makes sure that the API key is one of the issuer's account: with another's, the feed would be another account's, and no
 * logout would ever be seen. Introspection (RFC 7662) takes the account's id beside the key; the token does not matter.
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
  throw new Error(
    response.status === 401
      ? `The API key is not valid, or not one of the account ${accountId}.`
      : `Whether the API key is one of the account ${accountId} is answered with ${response.status}.`,
  )
}
