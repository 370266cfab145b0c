import { InvalidArgumentError } from 'commander'

const unitMs: Record<string, number> = { h: 3_600_000, d: 24 * 3_600_000 }

/** Reads a time: a duration from now (before now if `direction` is -1), or a date or time. NaN for any other text. */
export function parseTime(text: string, direction: 1 | -1): number {
  const [, count, unit = ''] = /^([1-9][0-9]{0,4})([hd])$/.exec(text) ?? []
  if (count !== undefined) return Date.now() + direction * Number(count) * (unitMs[unit] ?? 0)
  const isTime = /^\d{4}-\d{2}-\d{2}(T[0-9:.]+(Z|[+-]\d{2}:\d{2}))?$/.test(text)
  return isTime ? Date.parse(text) : Number.NaN
}

/** Reads a future time: `90d` or `12h` from now, a date (midnight, UTC), or ISO 8601 with an offset. */
export function parseExpiry(text: string): Date {
  const time = parseTime(text, 1)
  if (Number.isNaN(time)) {
    throw new InvalidArgumentError('Write 90d, 12h, 2030-01-31 or 2030-01-31T12:00:00Z.')
  }
  if (time <= Date.now()) throw new InvalidArgumentError('That is in the past.')
  return new Date(time)
}
