import { dayMs } from './day.ts'
import type { ConsoleServices } from './services.ts'
import type { DayRange, SignInsOfDay } from './store.ts'

/** An event may be committed up to this long after it happened. */
const lateMs = 3_600_000
/** The maximum number of remembered accounts. */
const maxAccounts = 1_000

/** This many days or more are counted in two parts. */
const manyDays = 10

/** The maximum number of days that a caller can request. */
const maxDays = 90

interface Known {
  /** The first day, and the day after the last */
  from: number
  until: number
  byDay: ReadonlyMap<number, SignInsOfDay>
}

/**
 * Counts sign-ins by day. Counting walks through the events, and the events of a past day do not change: each is read
 * once.
 */
export class SignInHistory {
  readonly #known = new Map<string, Known>()

  /** The days with sign-ins, from the first day on. */
  async read(
    { repository, clock }: Pick<ConsoleServices, 'repository' | 'clock'>,
    accountId: string,
    firstDay: number,
  ): Promise<ReadonlyMap<number, SignInsOfDay>> {
    const over = Math.floor((clock() - lateMs) / dayMs)
    const known = this.#known.get(accountId)
    // Days that are not over yet were counted while the clock was ahead.
    const isPast = known !== undefined && known.until <= over
    const isOfUse = isPast && known.from <= firstDay && known.until > firstDay
    const since = isOfUse ? known.until : firstDay
    const today = Math.floor(clock() / dayMs)
    const parts = divide(since, today)
    const read = await Promise.all(
      parts.map((days) => repository.console.countSignIns(accountId, days)),
    )
    const byDay = new Map(isOfUse ? known.byDay : [])
    for (const each of read.flat()) byDay.set(each.day, each)
    if (this.#known.size >= maxAccounts) this.#known.clear()
    const from = isOfUse ? Math.max(known.from, over - maxDays) : firstDay
    const kept = [...byDay].filter(([day]) => day >= from && day < over)
    this.#known.set(accountId, { from, until: over, byDay: new Map(kept) })
    return byDay
  }
}

/** Many days are counted in two parts, which a database may process in parallel. */
function divide(first: number, last: number): DayRange[] {
  if (last - first < manyDays) return [{ first, last }]
  const middle = Math.floor((first + last) / 2)
  return [
    { first, last: middle },
    { first: middle + 1, last },
  ]
}
