/** The target that refused ID tokens of a user count for. */
export function toIdTokenTarget(userId: string): string {
  return `id-token of ${userId}`
}
