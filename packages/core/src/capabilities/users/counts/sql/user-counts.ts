import { sql } from 'kysely'
import { lowestId } from '../../../../base/input/id.ts'
import type { Db } from '../../../../sql/db.ts'
import { run, type Transaction } from '../../../../sql/statement.ts'
import { createRebuild } from './count-anew.ts'
import { createAddDeltas } from './fold-deltas.ts'
import { lastAtMost } from './last-at-most.ts'
import { createStoreCounts } from './store-counts.ts'
import { maxGroupSize } from './to-groups.ts'
import { createSelectRangesFrom, createTakeDeltas, totalColumns } from './user-count-statements.ts'

/** Up to this offset, reading from the start is as fast. */
export const nearOffset = 128
/** The number of deltas from which a reader that adds them up also folds them. */
const manyPending = 256
/** How many deltas lists have to add up in total before folding is worth its cost */
const addedUpOften = 8_192
/**
 * A page is searched this many users earlier than pending deltas require: other processes may write between two
 * statements.
 */
const slack = 16
/** How often the search for a page is repeated when the counts are folded meanwhile. */
const maxAttempts = 3
/** How many accounts, and groups of an account, are cached. */
const maxRemembered = 100
/** After this many writes of an account they are folded: one turn of the event loop folds all. */
const maxWritten = 1_024

/** Ranges of ids in ascending order, as far as they are loaded. */
interface Ranges {
  version: number
  lowerIds: string[]
  /** The number of users before each of them, from the first on */
  before: number[]
}

/** The groups of an account, with the loaded ranges of some of them */
interface Groups extends Ranges {
  rangesOf: Map<number, Ranges>
}

export interface CountedUsers {
  total: number
  /** The version of the folded counts; 0 when nothing has been folded */
  version: number
  /** The number of deltas that are not folded yet */
  pending: number
}

export interface PageStart {
  version: number
  lowerId: string
  /**
   * How many users to skip from `lowerId` on, by the folded counts; pending deltas below it still have to be
   * subtracted.
   */
  skip: number
}

/** Maintains exact totals and finds far pages, at a cost that does not grow with the account: see ../README.md. */
export class UserCounts {
  readonly #db: Db
  readonly #selectTotal: ReturnType<typeof createSelectTotal>
  readonly #selectGroups: ReturnType<typeof createSelectGroups>
  readonly #selectRangesFrom: ReturnType<typeof createSelectRangesFrom>
  readonly #takeDeltas: ReturnType<typeof createTakeDeltas>
  readonly #addDeltas: ReturnType<typeof createAddDeltas>
  readonly #rebuild: ReturnType<typeof createRebuild>
  readonly #foldsBeside: boolean
  /** Cached groups by account; each use checks the version in the database. */
  readonly #groups = new Map<string, Groups>()
  /** The writes of each account since it was last folded */
  readonly #written = new Map<string, number>()
  readonly #folding = new Map<string, Promise<void>>()
  /** How many deltas the lists of an account have added up since the last fold */
  readonly #addedUp = new Map<string, number>()

  /** @param options `foldsBeside`: whether counts may be folded outside of a request */
  constructor(db: Db, { foldsBeside = true }: { foldsBeside?: boolean } = {}) {
    this.#db = db
    this.#foldsBeside = foldsBeside
    this.#selectTotal = createSelectTotal(db)
    this.#selectGroups = createSelectGroups(db)
    this.#selectRangesFrom = createSelectRangesFrom(db)
    this.#takeDeltas = createTakeDeltas(db)
    const store = createStoreCounts(db)
    this.#addDeltas = createAddDeltas(db, store)
    this.#rebuild = createRebuild(db, store)
  }

  /** The exact number of users, and the state of its count. */
  async total(accountId: string): Promise<CountedUsers> {
    const row = await this.#db.queryOne(this.#selectTotal, { accountId })
    const pending = row?.pending ?? 0
    this.notePending(accountId, pending)
    return { total: row?.total ?? 0, version: row?.version ?? 0, pending }
  }

  /**
   * Starts a fold of the deltas that were added up with a page, if there are many, or if few were added up repeatedly.
   */
  notePending(accountId: string, pending: number): void {
    if (pending === 0) return
    const addedUp = (this.#addedUp.get(accountId) ?? 0) + pending
    if (pending < manyPending && addedUp < addedUpOften) {
      if (this.#addedUp.size >= maxRemembered) this.#addedUp.clear()
      this.#addedUp.set(accountId, addedUp)
      return
    }
    this.#addedUp.delete(accountId)
    this.#foldBeside(accountId)
  }

  /**
   * Where to start reading for the user at `offset`, counted from 0; undefined when reading from the start is as fast.
   */
  async findPageStart(
    accountId: string,
    counted: CountedUsers,
    offset: number,
  ): Promise<PageStart | undefined> {
    if (counted.version === 0 || offset <= nearOffset) return undefined
    let { version } = counted
    const place = offset - counted.pending - slack
    for (let attempt = 1; attempt <= maxAttempts; attempt++) {
      const groups = await this.#groupsOf(accountId, version)
      if (groups === undefined) return undefined
      const index = Math.max(0, lastAtMost(groups.before, place))
      const start = groups.before[index] ?? 0
      const ranges = await this.#rangesOf(accountId, groups, index)
      if (ranges.version === groups.version) {
        const range = Math.max(0, lastAtMost(ranges.before, place - start))
        const lowerId = ranges.lowerIds[range] ?? lowestId
        const skip = offset - start - (ranges.before[range] ?? 0)
        return { version: groups.version, lowerId, skip }
      }
      version = ranges.version
    }
    return undefined
  }

  /**
   * Folds accounts that are never read: once in 1,024 writes of this process, and on average once in 4,096 of several that end
   * before they have written so many, decided by the random end of the written user's id. Readers fold earlier.
   */
  foldSometimes(accountId: string, userId: string): void {
    const written = (this.#written.get(accountId) ?? 0) + 1
    const isDue = written >= maxWritten || userId.endsWith('000')
    if (this.#written.size >= maxRemembered) this.#written.clear()
    if (isDue) this.#written.delete(accountId)
    else this.#written.set(accountId, written)
    if (isDue) this.#foldBeside(accountId)
  }

  /** Folds the deltas of a write of many users. */
  foldSoon(accountId: string): void {
    this.#foldBeside(accountId)
  }

  /** Outside of the request. If it fails, the deltas stay, the counts remain exact, and a later fold succeeds. */
  #foldBeside(accountId: string): void {
    if (!this.#foldsBeside || this.#folding.has(accountId)) return
    const folding = this.fold(accountId)
      .catch(() => {})
      .finally(() => this.#folding.delete(accountId))
    this.#folding.set(accountId, folding)
  }

  /** Waits for running folds. */
  async settle(): Promise<void> {
    await Promise.all(this.#folding.values())
  }

  /** Moves all deltas into the counts. */
  async fold(accountId: string): Promise<void> {
    // Users and deltas must be read from one snapshot, otherwise a split would count users whose deltas are still to
    // come.
    await this.#db.transact(() => this.add(accountId, []), { snapshot: true })
  }

  /**
   * Counts many users that the transaction has stored or deleted, without a delta for each, and folds the existing
   * deltas. The transaction must see one snapshot.
   */
  *add(accountId: string, userIds: readonly string[], each: 1 | -1 = 1): Transaction<void> {
    const deltas = yield* run(this.#takeDeltas, { accountId })
    for (const user_id of userIds) deltas.push({ user_id, delta: each })
    yield* this.#addDeltas(accountId, deltas)
  }

  /** Recounts from the users themselves; returns the total. */
  async rebuild(accountId: string): Promise<number> {
    return this.#db.transact(() => this.#rebuild(accountId), { snapshot: true })
  }

  async #groupsOf(accountId: string, version: number): Promise<Groups | undefined> {
    const known = this.#groups.get(accountId)
    if (known?.version === version) return known
    const rows = await this.#db.query(this.#selectGroups, { accountId })
    const [first] = rows
    if (first === undefined) return undefined
    const groups = { ...toRanges(first.version, rows), rangesOf: new Map<number, Ranges>() }
    if (this.#groups.size >= maxRemembered) this.#groups.clear()
    this.#groups.set(accountId, groups)
    return groups
  }

  async #rangesOf(accountId: string, groups: Groups, index: number): Promise<Ranges> {
    const known = groups.rangesOf.get(index)
    if (known !== undefined) return known
    const lowerId = groups.lowerIds[index] ?? lowestId
    const end = groups.lowerIds[index + 1]
    const input = { accountId, lowerId, limit: maxGroupSize }
    const rows = await this.#db.query(this.#selectRangesFrom, input)
    const own = rows.filter(({ lower_id }) => end === undefined || lower_id < end)
    const ranges = toRanges(own[0]?.version ?? 0, own)
    if (groups.rangesOf.size >= maxRemembered) groups.rangesOf.clear()
    if (ranges.version === groups.version) groups.rangesOf.set(index, ranges)
    return ranges
  }
}

function toRanges(version: number, rows: readonly { lower_id: string; folded: number }[]): Ranges {
  const before: number[] = []
  let sum = 0
  for (const { folded } of rows) {
    before.push(sum)
    sum += folded
  }
  return { version, lowerIds: rows.map((row) => row.lower_id), before }
}

function createSelectTotal(db: Db) {
  return db.statement<{ accountId: string }>()((queries, value) =>
    queries.selectNoFrom((of) => [
      ...totalColumns(queries, value),
      sql<number>`coalesce(${of
        .selectFrom('clientele_user_counts')
        .where('account_id', '=', value('accountId'))
        .select('version')}, 0)`.as('version'),
    ]),
  )
}

function createSelectGroups(db: Db) {
  return db.statement<{ accountId: string }>()((queries, value) =>
    queries
      .selectFrom('clientele_user_count_groups as g')
      .innerJoin('clientele_user_counts as c', 'c.account_id', 'g.account_id')
      .select(['g.lower_id', 'g.folded', 'c.version'])
      .where('g.account_id', '=', value('accountId'))
      .orderBy('g.lower_id'),
  )
}
