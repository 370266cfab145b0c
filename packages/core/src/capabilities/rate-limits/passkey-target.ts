/** The target that failed sign-ins with passkeys count for: a user or an unknown e-mail. */
export function toPasskeyTarget(userIdOrEmail: string): string {
  return `passkey of ${userIdOrEmail}`
}
