import { readCursor, writeCursor } from '../events/cursor.ts'

/** Where a reader of revocations stands. */
export interface FeedPlace {
  /** Of the last event that was read whole */
  position: number
  /** So many entries of the event behind it have been read: one event may end many sessions */
  entry: number
}

/** Writes a place as a cursor, opaque to the reader. */
export function writePlace(accountId: string, { position, entry }: FeedPlace): string {
  const cursor = writeCursor(accountId, position)
  return entry === 0 ? cursor : `${cursor}.${entry}`
}

/**
 * Reads a cursor.
 *
 * @throws ClienteleError `validation_failed` for a text that is no cursor of this account's feed
 */
export function readPlace(accountId: string, text: string): FeedPlace {
  const found = /^(.*?)(?:\.([1-9]\d{0,8}))?$/s.exec(text)
  return { position: readCursor(accountId, found?.[1] ?? ''), entry: Number(found?.[2] ?? 0) }
}
