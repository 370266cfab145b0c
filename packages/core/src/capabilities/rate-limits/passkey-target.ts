/** What failed sign-ins with passkeys count for, of a user or of an e-mail that nobody has. */
export function toPasskeyTarget(userIdOrEmail: string): string {
  return `passkey of ${userIdOrEmail}`
}
