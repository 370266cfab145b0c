/**
 * Before the hash of a password that has to be changed. It is part of the stored text, which every sign-in compares until
 * its session opens: none passes that began before the password expired.
 */
export const expiredMark = 'expired:'

/** The stored text of a password that has to be changed. */
export function expireHash(stored: string): string {
  return isExpiredHash(stored) ? stored : expiredMark + stored
}

/** Whether a password has to be changed. */
export function isExpiredHash(stored: string): boolean {
  return stored.startsWith(expiredMark)
}

/** Whether a sign-in has to choose another password before its session opens. */
export function mustChangePassword(amr: readonly string[], stored: string | null): boolean {
  return stored !== null && amr.includes('pwd') && isExpiredHash(stored)
}

/** The hash itself, in the format that it was stored or imported in. */
export function bareHash(stored: string): string {
  return isExpiredHash(stored) ? stored.slice(expiredMark.length) : stored
}
