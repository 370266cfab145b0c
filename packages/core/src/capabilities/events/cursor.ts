import { ClienteleError, invalidInput } from '../../base/errors.ts'
import type { FeedEnds } from './store.ts'

/** Writes the position of a reader in an account's feed; opaque to the reader. */
export function writeCursor(accountId: string, position: number): string {
  return Buffer.from(`${accountId} ${position}`).toString('base64url')
}

/**
 * Reads a cursor, which contains the account and a position in its feed.
 *
 * @throws ClienteleError `validation_failed` when the text is not a cursor of this account's feed
 */
export function readCursor(accountId: string, cursor: string): number {
  const [, place = ''] = Buffer.from(cursor, 'base64url').toString('utf8').split(' ')
  // Decoding ignores invalid characters.
  if (/^\d{1,15}$/.test(place) && writeCursor(accountId, Number(place)) === cursor)
    return Number(place)
  throw notOfThisFeed()
}

/**
 * Checks whether a reader can continue at a position. A position past the end was never issued: the database may have
 * been restored from a backup, and the reader would miss the events that now get its positions.
 *
 * @throws ClienteleError `cursor_expired`, `validation_failed`
 */
export function assertInFeed(position: number, { purgedPosition, lastPosition }: FeedEnds): void {
  if (position < purgedPosition) throw new ClienteleError('cursor_expired')
  if (position > lastPosition) throw notOfThisFeed()
}

function notOfThisFeed(): ClienteleError {
  return invalidInput([
    { pointer: '/after', code: 'cursor', message: 'is not a cursor of this feed' },
  ])
}
