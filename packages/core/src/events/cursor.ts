import { invalidInput } from '../errors.ts'

/** Writes where a reader of an account's feed stands; opaque to the reader. */
export function writeCursor(accountId: string, position: number): string {
  return Buffer.from(`${accountId} ${position}`).toString('base64url')
}

/**
 * Reads a cursor, which names the account and a place in its feed.
 *
 * @throws ClienteleError `validation_failed` for a text that is no cursor of this account's feed
 */
export function readCursor(accountId: string, cursor: string): number {
  const [, place = ''] = Buffer.from(cursor, 'base64url').toString('utf8').split(' ')
  // Decoding passes over what does not belong there.
  if (/^\d{1,15}$/.test(place) && writeCursor(accountId, Number(place)) === cursor)
    return Number(place)
  throw invalidInput([
    { pointer: '/after', code: 'cursor', message: 'is not a cursor of this feed' },
  ])
}
