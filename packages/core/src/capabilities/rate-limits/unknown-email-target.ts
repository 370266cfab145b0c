/**
 * The target that failed sign-ins with an e-mail count for that nobody has. Callers type it, so it must not have the form of
 * another target: a stranger could use up the limit of a user whose id is known.
 */
export function toUnknownEmailTarget(email: string): string {
  return `e-mail ${email}`
}
