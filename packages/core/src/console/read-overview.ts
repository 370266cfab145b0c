import type { Call } from '../base/call/call.ts'
import { dayMs } from './day.ts'
import type { ConsoleServices } from './services.ts'
import type { SignInHistory } from './sign-in-history.ts'
import type { UserTotals } from './store.ts'

export interface Overview {
  users: UserTotals & { byDay: { day: string; created: number; total: number }[] }
  signIns: { byDay: { day: string; succeeded: number; failed: number }[] }
  sessions: { alive: number }
}

/** Reads an account's overview: its current figures, and those of the last days including today, in UTC. */
export async function readOverview(
  services: ConsoleServices,
  { accountId }: Pick<Call, 'accountId'>,
  dayCount: number,
  history: SignInHistory,
): Promise<Overview> {
  const { repository, clock } = services
  const now = clock()
  const today = Math.floor(now / dayMs)
  const first = today - dayCount + 1
  const store = repository.console
  // Sign-ins take longest and are counted in parallel to the other figures, which run one after the other: one caller
  // must not take all connections.
  const reading = history.read(services, accountId, first)
  // A rejection is handled when the promise is awaited.
  reading.catch(() => {})
  const totals = await store.countUsers(accountId)
  const created = new Map(
    (await store.countCreated(accountId, { first, last: today })).map((each) => [
      each.day,
      each.created,
    ]),
  )
  const alive = await store.countSessions(accountId, now)
  const signIns = await reading
  const days = Array.from({ length: dayCount }, (_, index) => first + index)
  // The total before the first day: today's total without the users created since.
  let total = [...created.values()].reduce((rest, count) => rest - count, totals.total)
  const usersByDay = days.map((day) => {
    const count = created.get(day) ?? 0
    // Users with a creation time in the future count today, as they do in the total.
    total = day === today ? totals.total : total + count
    return { day: nameDay(day), created: count, total }
  })
  const signInsByDay = days.map((day) => {
    const { succeeded = 0, failed = 0 } = signIns.get(day) ?? {}
    return { day: nameDay(day), succeeded, failed }
  })
  return {
    users: { ...totals, byDay: usersByDay },
    signIns: { byDay: signInsByDay },
    sessions: { alive },
  }
}

/** As ISO 8601 has it: `2026-11-22` */
function nameDay(day: number): string {
  return new Date(day * dayMs).toISOString().slice(0, 10)
}
