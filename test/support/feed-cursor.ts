/** A cursor of an account's feed, at the place of its last event of so many. */
export function feedCursor(accountId: string, position: number): string {
  return Buffer.from(`${accountId} ${position}`).toString('base64url')
}
