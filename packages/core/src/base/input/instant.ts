import { z } from 'zod'
import { boundedText } from './bounded-text.ts'

/** Enough for more digits of a second than any clock has */
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
  const milliseconds = Number(time)
  if (milliseconds === latest.milliseconds) return latest.text
  const isPlain = Number.isInteger(milliseconds) && Math.abs(milliseconds) <= maxTime
  const text = isPlain ? writeTime(milliseconds) : new Date(milliseconds).toISOString()
  latest = { milliseconds, text }
  return text
}

/** The last time that a Date can hold */
const maxTime = 8.64e15
const dayMs = 86_400_000

/** A fast path: `updatedAt` of most users equals `createdAt`. */
let latest = { milliseconds: Number.NaN, text: '' }
/** A list has the times of many users: a Date for each took a tenth of the request. */
let latestDay = { day: Number.NaN, text: '' }

const twoDigits = Array.from({ length: 100 }, (_, number) => String(number).padStart(2, '0'))

/** Writes a whole number of milliseconds that a Date can hold. */
function writeTime(milliseconds: number): string {
  const day = Math.floor(milliseconds / dayMs)
  if (day !== latestDay.day) {
    const text = new Date(day * dayMs).toISOString().slice(0, -'00:00:00.000Z'.length)
    latestDay = { day, text }
  }
  const rest = milliseconds - day * dayMs
  const seconds = Math.floor(rest / 1000)
  const thousandths = rest % 1000
  const hour = twoDigits[Math.floor(seconds / 3600)]
  const minute = twoDigits[Math.floor(seconds / 60) % 60]
  const clock = `${hour}:${minute}:${twoDigits[seconds % 60]}`
  return `${latestDay.text}${clock}.${twoDigits[Math.floor(thousandths / 10)]}${thousandths % 10}Z`
}

/** Whether a time, in milliseconds since the epoch, has a year of four digits. */
export function isWritable(milliseconds: number): boolean {
  return !Number.isNaN(milliseconds) && /^\d/.test(toIsoText(milliseconds))
}
