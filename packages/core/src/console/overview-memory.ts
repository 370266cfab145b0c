import type { Call } from '../base/call/call.ts'
import { type Overview, readOverview } from './read-overview.ts'
import type { ConsoleServices } from './services.ts'
import { SignInHistory } from './sign-in-history.ts'

/** An overview for which more rows than this were counted is remembered. */
const manyRows = 20_000
/** How long an overview is remembered, in milliseconds */
const rememberedMs = 10_000
/** The maximum number of remembered accounts */
const maxAccounts = 1_000

/** Returns the overview of an account. That of a large account is counted at most every ten seconds. */
export class OverviewMemory {
  readonly #history = new SignInHistory()
  /** By account and number of days */
  readonly #known = new Map<string, { overview: Overview; until: number }>()

  async read(
    services: ConsoleServices,
    { accountId }: Pick<Call, 'accountId'>,
    dayCount: number,
  ): Promise<Overview> {
    const key = `${accountId} ${dayCount}`
    const now = services.clock()
    const known = this.#known.get(key)
    const leftMs = (known?.until ?? 0) - now
    // More is left only if the clock was set back.
    if (known !== undefined && leftMs > 0 && leftMs <= rememberedMs) return known.overview
    this.#known.delete(key)
    const overview = await readOverview(services, { accountId }, dayCount, this.#history)
    if (countedRows(overview) > manyRows) {
      if (this.#known.size >= maxAccounts) this.#known.clear()
      this.#known.set(key, { overview, until: now + rememberedMs })
    }
    return overview
  }
}

/** About how many rows were counted one by one */
function countedRows({ users, signIns, sessions }: Overview): number {
  let rows = users.total - users.active + sessions.alive
  for (const { created } of users.byDay) rows += created
  for (const { succeeded, failed } of signIns.byDay) rows += succeeded + failed
  return rows
}
