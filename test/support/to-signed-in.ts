import type { SignedIn } from '@clientele/core'

/** The session that a sign-in has opened; an error if it asks for more. */
export function toSignedIn(result: SignedIn | object): SignedIn {
  if (!('token' in result)) throw new Error(`No session: ${Object.keys(result).join(', ')}`)
  return result
}
