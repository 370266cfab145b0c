import { type Db, run, type Transaction } from '../../../sql/db.ts'
import { createUserCountStatements, type UserCountStatements } from './user-count-statements.ts'

/** A range is split when it counts more users than this … */
const maxRangeSize = 1024
/** … into ranges of this size. */
const splitSize = 512
/** From so many deltas on, whoever adds them up has them folded. */
const manyPending = 256
/** Pages are looked for this many users before the place where the folded counts put them. */
const slack = 256
const lowestId = '00000000-0000-0000-0000-000000000000'

/** Ranges of ids in ascending order, as far as they are folded. */
interface Ranges {
  version: number
  lowerIds: string[]
  /** How many users stand before each range */
  before: number[]
}

export interface PageStart {
  version: number
  lowerId: string
  /** How many users to skip from `lowerId` on, by the folded counts: pending deltas below it are still to be taken off. */
  skip: number
}

/**
 * Keeps the number of users of an account, and of ranges of their ids, so that neither the total nor a far page is
 * found by walking the account.
 *
 * Each create and delete appends one row (+1 or -1) to the deltas, in the statement that makes it: no two of them ever
 * wait for each other. Now and then the deltas are folded into the counts. At every moment, in every snapshot of the
 * database, folded counts + deltas = users; so a total is exact, however many processes write.
 */
export class UserCounts {
  readonly #db: Db
  readonly #statements: UserCountStatements
  /** Known ranges by account; each use is checked against the version in the database. */
  readonly #ranges = new Map<string, Ranges>()
  readonly #folding = new Map<string, Promise<void>>()

  constructor(db: Db) {
    this.#db = db
    this.#statements = createUserCountStatements(db)
  }

  /** The exact number of users, and the version of the folded counts. */
  async total(accountId: string): Promise<{ total: number; version: number }> {
    const row = await this.#db.queryOne(this.#statements.selectTotal, { accountId })
    if (row === undefined) return { total: 0, version: 0 }
    if ((row.pending ?? 0) >= manyPending) this.#foldBeside(accountId)
    return row
  }

  /** Where to begin to read for the user at `offset`, counted from 0; undefined where walking from the start is as well. */
  async findPageStart(
    accountId: string,
    version: number,
    offset: number,
  ): Promise<PageStart | undefined> {
    if (version === 0 || offset <= maxRangeSize) return undefined
    let ranges = this.#ranges.get(accountId)
    if (ranges?.version !== version) {
      ranges = await this.#loadRanges(accountId)
      if (ranges === undefined) return undefined
    }
    const index = Math.max(0, lastAtMost(ranges.before, offset - slack))
    const lowerId = ranges.lowerIds[index] ?? lowestId
    return { version: ranges.version, lowerId, skip: offset - (ranges.before[index] ?? 0) }
  }

  /**
   * Folds where nobody reads: on average once in 4,096 writes, decided by the random end of the written user's id. Whoever
   * reads folds sooner.
   */
  foldSometimes(accountId: string, userId: string): void {
    if (userId.endsWith('000')) this.#foldBeside(accountId)
  }

  /** Folds what a write of many users has left behind it. */
  foldSoon(accountId: string): void {
    this.#foldBeside(accountId)
  }

  /** Off the path of the request. When it fails, the deltas stay, the counts are as exact, and a later fold succeeds. */
  #foldBeside(accountId: string): void {
    if (this.#folding.has(accountId)) return
    const folding = this.fold(accountId)
      .catch(() => {})
      .finally(() => this.#folding.delete(accountId))
    this.#folding.set(accountId, folding)
  }

  /** Waits for folds under way. */
  async settle(): Promise<void> {
    await Promise.all(this.#folding.values())
  }

  /** Moves all deltas into the counts. */
  async fold(accountId: string): Promise<void> {
    // Users and deltas must be seen as of one moment, or a split would count users whose deltas are still to come.
    await this.#db.transact(() => this.add(accountId, []), { snapshot: true })
  }

  /**
   * Counts many users that the transaction, which has to see one snapshot, has stored or deleted: without a delta for each, and
   * with the deltas that there are.
   */
  *add(accountId: string, userIds: readonly string[], each: 1 | -1 = 1): Transaction<void> {
    const statements = this.#statements
    const deltas = yield* run(statements.takeDeltas, { accountId })
    for (const user_id of userIds) deltas.push({ user_id, delta: each })
    const [first] = deltas
    if (first === undefined) return
    let lowest = first.user_id
    for (const { user_id } of deltas) if (user_id < lowest) lowest = user_id
    const rows = yield* run(statements.selectRangesFrom, { accountId, id: lowest })
    const lowerIds = rows.length > 0 ? rows.map((row) => row.lower_id) : [lowestId]
    const folded = rows.length > 0 ? rows.map((row) => row.folded) : [0]
    const changed = new Set<number>()
    let sum = 0
    for (const { user_id, delta } of deltas) {
      const index = Math.max(0, lastAtMost(lowerIds, user_id))
      folded[index] = (folded[index] ?? 0) + delta
      changed.add(index)
      sum += delta
    }
    for (const index of changed) {
      yield* storeRange(statements, accountId, lowerIds[index] ?? lowestId, folded[index] ?? 0)
    }
    yield* run(statements.addToTotal, { accountId, sum })
  }

  /** Counts anew from the users themselves; answers with the total. */
  async rebuild(accountId: string): Promise<number> {
    const statements = this.#statements
    return this.#db.transact(
      function* (): Transaction<number> {
        yield* run(statements.takeDeltas, { accountId })
        yield* run(statements.dropRanges, { accountId })
        const [counted] = yield* run(statements.countUsers, { accountId })
        const total = counted?.total ?? 0
        yield* storeRange(statements, accountId, lowestId, total)
        yield* run(statements.addToTotal, { accountId, sum: 0 })
        yield* run(statements.setTotal, { accountId, total })
        return total
      },
      { snapshot: true },
    )
  }

  async #loadRanges(accountId: string): Promise<Ranges | undefined> {
    const rows = await this.#db.query(this.#statements.selectRanges, { accountId })
    const [first] = rows
    if (first === undefined) return undefined
    const before: number[] = []
    let sum = 0
    for (const { folded } of rows) {
      before.push(sum)
      sum += folded
    }
    const ranges = { version: first.version, lowerIds: rows.map((row) => row.lower_id), before }
    if (this.#ranges.size >= 100) this.#ranges.clear()
    this.#ranges.set(accountId, ranges)
    return ranges
  }
}

/** Stores the count of a range, in several ranges when it has grown too large, or in none when it is empty. */
function* storeRange(
  statements: UserCountStatements,
  accountId: string,
  lowerId: string,
  count: number,
): Transaction<void> {
  if (count === 0 && lowerId !== lowestId) {
    yield* run(statements.dropRange, { accountId, lowerId })
    return
  }
  let start = lowerId
  let left = count
  while (left > maxRangeSize) {
    const [next] = yield* run(statements.userBehind, {
      accountId,
      lowerId: start,
      distance: splitSize,
    })
    if (next === undefined) break
    yield* run(statements.setRange, { accountId, lowerId: start, folded: splitSize })
    start = next.id
    left -= splitSize
  }
  yield* run(statements.setRange, { accountId, lowerId: start, folded: left })
}

/** The index of the last item that is at most `limit` in a list in ascending order; -1 when there is none. */
function lastAtMost<T extends string | number>(sorted: readonly T[], limit: T): number {
  let low = 0
  let high = sorted.length
  while (low < high) {
    const middle = (low + high) >>> 1
    const item = sorted[middle]
    if (item !== undefined && item <= limit) low = middle + 1
    else high = middle
  }
  return low - 1
}
