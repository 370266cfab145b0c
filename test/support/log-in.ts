import type { Clientele, SignedIn } from '@clientele/core'

/** Signs in a user who has no second factor. */
export async function logIn(
  clientele: Clientele,
  accountId: string,
  credentials: { email: string; password: string },
): Promise<SignedIn> {
  const result = await clientele.auth.logIn(accountId, credentials)
  if ('challenge' in result) throw new Error('A second factor was asked for.')
  return result
}
