/** A cursor of an account's feed at its last event, by the number of events. */
export function feedCursor(accountId: string, position: number): string {
  return Buffer.from(`${accountId} ${position}`).toString('base64url')
}
