/** How long a change can be confirmed, in seconds */
export const confirmLifeSeconds = 24 * 3600

/** For how long after the request a change can be cancelled or taken back, in seconds */
export const undoLifeSeconds = 72 * 3600

/** The rate limit key of a user's requests. */
export function toEmailChangeTarget(userId: string): string {
  return `email change of ${userId}`
}

/** The rate limit key of mails that ask an address for its confirmation. */
export function toNewEmailTarget(email: string): string {
  return `email_change ${email}`
}
