import { InvalidArgumentError } from 'commander'
import { parseTime } from './parse-expiry.ts'

/** Reads a past time: `90d` or `12h` ago, a date (midnight, UTC), or ISO 8601 with an offset. */
export function parseSince(text: string): Date {
  const time = parseTime(text, -1)
  if (Number.isNaN(time)) {
    throw new InvalidArgumentError('Write 90d, 12h, 2026-01-31 or 2026-01-31T12:00:00Z.')
  }
  return new Date(time)
}
