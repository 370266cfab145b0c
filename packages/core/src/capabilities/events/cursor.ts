import { ClienteleError, invalidInput } from '../../base/errors.ts'
import type { FeedEnds } from './store.ts'

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
  throw notOfThisFeed()
}

/**
 * Looks whether a reader can go on at a place. A place behind the end was never handed out: the database may have been
 * restored from a backup, and the reader would wait for events that others stand in for.
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
