/** The target that failed sign-ins with passkeys count for: a user's id, or the target of an unknown e-mail. */
export function toPasskeyTarget(userIdOrUnknown: string): string {
  return `passkey of ${userIdOrUnknown}`
}
