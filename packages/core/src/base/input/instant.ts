import { z } from 'zod'
import { boundedText } from './bounded-text.ts'

/** Room for more digits of a second than a clock has */
const maxLength = 64

const dateTime = z.iso.datetime({ offset: true })
/** A plus sign in a query arrives as a blank unless it was written as `%2B`. */
const lostPlus = / (?=\d\d:\d\d$)/
const finerThanMilliseconds = /\.\d{3}\d*[1-9]/

/** Parses a date and time with offset into milliseconds since the epoch, rounded down or up to a whole millisecond. */
export function instantSchema(rounding: 'down' | 'up') {
  return boundedText((text) => text.replace(lostPlus, '+'), 1, maxLength)
    .refine((text) => dateTime.safeParse(text).success, {
      params: { code: 'format' },
      message: 'must be a date and time with its offset (RFC 3339)',
      abort: true,
    })
    .transform((text) => {
      const isBetween = rounding === 'up' && finerThanMilliseconds.test(text)
      return Date.parse(text) + (isBetween ? 1 : 0)
    })
    .meta({ minLength: 1, maxLength, format: 'date-time', examples: ['2026-05-05T23:41:45.619Z'] })
}

/**
 * Parses a date and time in the years 0000 to 9999, which ISO 8601 writes with four digits, into milliseconds since the
 * epoch.
 */
export const dateSchema = z
  .date()
  .refine((date) => isWritable(date.getTime()), {
    params: { code: 'value' },
    message: 'must be in the years 0000 to 9999, UTC',
  })
  .transform((date) => date.getTime())

/** Writes a time as ISO 8601, in UTC with milliseconds */
export function toIsoText(time: number | Date): string {
  if (time === latest.time) return latest.text
  const text = new Date(time).toISOString()
  if (typeof time === 'number') latest = { time, text }
  return text
}

/** A fast path: `updatedAt` of most users equals `createdAt`. */
let latest = { time: Number.NaN, text: '' }

/** Whether a time, in milliseconds since the epoch, has a year of four digits. */
export function isWritable(milliseconds: number): boolean {
  return !Number.isNaN(milliseconds) && /^\d/.test(toIsoText(milliseconds))
}
