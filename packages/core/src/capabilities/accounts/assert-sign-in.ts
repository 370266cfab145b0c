import { ClienteleError } from '../../base/errors.ts'
import type { AccountPolicy } from './account-policy.ts'
import { type SignInMethod, signInMethodOf } from './sign-in-methods.ts'

/** What a sign-in is refused with by the account's policy, which may change while it is under way */
export const policyErrors = ['sign_in_method_disabled', 'email_not_verified'] as const

/** Whether the account allows a way in. */
export function isMethodAllowed({ signIn }: AccountPolicy, method: SignInMethod): boolean {
  return signIn.includes(method)
}

/**
 * Refuses a way in that the account does not allow. It is called before anything is looked up about the user: the
 * refusal is the same for whoever asks.
 *
 * @throws ClienteleError `sign_in_method_disabled`
 */
export function assertMethodAllowed(policy: AccountPolicy, method: SignInMethod): void {
  if (!isMethodAllowed(policy, method)) throw new ClienteleError('sign_in_method_disabled')
}

/**
 * Refuses a proven sign-in that the account's policy does not allow.
 *
 * @throws ClienteleError `sign_in_method_disabled`, `email_not_verified`
 */
export function assertSignInAllowed(
  policy: AccountPolicy,
  amr: readonly string[],
  isEmailVerified: boolean,
): void {
  const method = signInMethodOf(amr)
  assertMethodAllowed(policy, method)
  if (method === 'password' && policy.verifiedEmail === 'required' && !isEmailVerified)
    throw new ClienteleError('email_not_verified')
}

/** The second factor of a sign-in on a remembered device (RFC 8176) */
export const deviceAmr = 'swk'

/** Whether a second factor was shown, or a remembered device stands for the one that was proved on it. */
function isSecondFactorProved(amr: readonly string[]): boolean {
  return amr.includes('mfa') || amr.includes(deviceAmr)
}

/**
 * Whether a sign-in still needs a second factor. A passkey that signs in alone has verified its user: it is both.
 */
export function needsSecondFactor(
  { secondFactor }: AccountPolicy,
  amr: readonly string[],
): boolean {
  return (
    secondFactor === 'required' && signInMethodOf(amr) !== 'passkey' && !isSecondFactorProved(amr)
  )
}
