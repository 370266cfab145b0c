import type { Clientele, SignedIn } from '@clientele/core'

/** Signs in a user who has no MFA factor. */
export async function logIn(
  clientele: Clientele,
  accountId: string,
  { email, password }: { email: string; password: string },
): Promise<SignedIn> {
  const result = await clientele.auth.logIn(accountId, { email, password })
  if ('challenge' in result) throw new Error('An MFA factor was asked for.')
  return result
}

/** What of a session refreshes it, or ends it. */
export function toRefresh({ refreshToken }: Pick<SignedIn, 'refreshToken'>) {
  return { refreshToken }
}
