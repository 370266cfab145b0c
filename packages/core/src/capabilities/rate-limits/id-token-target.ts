/** What ID tokens of a user that were refused count for. */
export function toIdTokenTarget(userId: string): string {
  return `id-token of ${userId}`
}
