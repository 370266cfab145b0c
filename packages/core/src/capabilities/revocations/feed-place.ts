import { readCursor, writeCursor } from '../events/cursor.ts'

/** The position of a reader of revocations. */
export interface FeedPlace {
  /** The position of the last event that was read completely */
  position: number
  /** How many entries of the next event have been read: one event may end many sessions */
  entry: number
}

/** Writes a position as a cursor, opaque to the reader. */
export function writePlace(accountId: string, { position, entry }: FeedPlace): string {
  const cursor = writeCursor(accountId, position)
  return entry === 0 ? cursor : `${cursor}.${entry}`
}

/**
 * Reads a cursor.
 *
 * @throws ClienteleError `validation_failed` when the text is not a cursor of this account's feed
 */
export function readPlace(accountId: string, text: string): FeedPlace {
  const found = /^(.*?)(?:\.([1-9]\d{0,8}))?$/s.exec(text)
  return { position: readCursor(accountId, found?.[1] ?? ''), entry: Number(found?.[2] ?? 0) }
}
