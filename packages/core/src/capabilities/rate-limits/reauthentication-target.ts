/** The target that wrong passwords and codes of a user who is signed in count for. */
export function toReauthenticationTarget(userId: string): string {
  return `reauthentication of ${userId}`
}
