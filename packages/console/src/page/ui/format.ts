const numbers = new Intl.NumberFormat('en')
const dates = new Intl.DateTimeFormat('en', { dateStyle: 'medium', timeStyle: 'short' })
const days = new Intl.DateTimeFormat('en', { month: 'short', day: 'numeric', timeZone: 'UTC' })
const relative = new Intl.RelativeTimeFormat('en', { numeric: 'auto' })

const steps: readonly [Intl.RelativeTimeFormatUnit, number][] = [
  ['year', 365 * 86_400],
  ['month', 30 * 86_400],
  ['day', 86_400],
  ['hour', 3_600],
  ['minute', 60],
]

export function formatNumber(value: number): string {
  return numbers.format(value)
}

/** `Nov 22, 2026, 11:24 AM`, in the time zone of the browser. */
export function formatTime(iso: string): string {
  return dates.format(new Date(iso))
}

/** `Nov 22`, of a day in UTC: `2026-11-22`. */
export function formatDay(day: string): string {
  return days.format(new Date(`${day}T00:00:00Z`))
}

/** `3 hours ago`, `in 2 days`. */
export function formatAgo(iso: string, now: number = Date.now()): string {
  const seconds = Math.round((Date.parse(iso) - now) / 1000)
  for (const [unit, length] of steps) {
    if (Math.abs(seconds) >= length) return relative.format(Math.trunc(seconds / length), unit)
  }
  return relative.format(Math.abs(seconds) < 10 ? 0 : seconds, 'second')
}
