/** The target that failed sign-ins with passkeys count for: a user's id, or the target of an unknown e-mail. */
export function toPasskeyTarget(userIdOrUnknown: string): string {
  return `passkey of ${userIdOrUnknown}`
}

/** The target of those that name no e-mail: what the passkey is called, whether anybody has it or not. */
export function toPasskeyIdTarget(credentialId: string): string {
  return `passkey id ${credentialId}`
}

/** The target of a user's enrolments of passkeys that others have. */
export function toTakenPasskeysTarget(userId: string): string {
  return `taken passkeys of ${userId}`
}
