import { dayMs } from './day.ts'
import type { ConsoleServices } from './services.ts'
import type { DayRange, SignInsOfDay } from './store.ts'

/** An event may be committed so much later than it has happened. */
const lateMs = 3_600_000
/** Of so many accounts, and no more, it is remembered. */
const maxAccounts = 1_000

/** From so many on days are counted in two parts. */
const manyDays = 10

/** Nobody asks for more days. */
const maxDays = 90

interface Known {
  /** The first day, and the one behind the last */
  from: number
  until: number
  byDay: ReadonlyMap<number, SignInsOfDay>
}

/**
 * Counts sign-ins by day. To count them is to walk through the events, and those of a day that is over stay as they are:
 * each of them is walked through once.
 */
export class SignInHistory {
  readonly #known = new Map<string, Known>()

  /** The days from the first one on on which there were any. */
  async read(
    { repository, clock }: Pick<ConsoleServices, 'repository' | 'clock'>,
    accountId: string,
    firstDay: number,
  ): Promise<ReadonlyMap<number, SignInsOfDay>> {
    const over = Math.floor((clock() - lateMs) / dayMs)
    const known = this.#known.get(accountId)
    const isOfUse = known !== undefined && known.from <= firstDay && known.until > firstDay
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

/** Two parts where it is much: a database may count them at the same time. */
function divide(first: number, last: number): DayRange[] {
  if (last - first < manyDays) return [{ first, last }]
  const middle = Math.floor((first + last) / 2)
  return [
    { first, last: middle },
    { first: middle + 1, last },
  ]
}
