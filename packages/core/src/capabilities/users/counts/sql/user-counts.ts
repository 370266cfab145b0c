import { lowestId } from '../../../../base/input/id.ts'
import { type Db, run, type Transaction } from '../../../../sql/db.ts'
import { addDeltas, countAnew, maxGroupSize } from './fold-deltas.ts'
import { lastAtMost } from './last-at-most.ts'
import { createUserCountStatements, type UserCountStatements } from './user-count-statements.ts'

/** Up to this offset walking from the start is as quick. */
export const nearOffset = 128
/** From so many deltas on, whoever adds them up has them folded. */
const manyPending = 256
/** How many deltas lists add up, one after the other, for what it costs to fold them */
const addedUpOften = 8_192
/** Pages are looked for so many users earlier than pending deltas demand: others write between two statements. */
const slack = 16
/** So often a page is looked for again when the counts are folded meanwhile. */
const maxAttempts = 3
/** So many accounts, and groups of an account, are remembered at once. */
const maxRemembered = 100

/** Ranges of ids in ascending order, as far as they are folded. */
interface Ranges {
  version: number
  lowerIds: string[]
  /** How many users stand before each of them, from the first on */
  before: number[]
}

/** The groups of an account, with the ranges of some of them */
interface Groups extends Ranges {
  rangesOf: Map<number, Ranges>
}

export interface CountedUsers {
  total: number
  /** Of the folded counts; 0 when nothing has been folded */
  version: number
  /** How many deltas are still to be folded */
  pending: number
}

export interface PageStart {
  version: number
  lowerId: string
  /** How many users to skip from `lowerId` on, by the folded counts: pending deltas below it are still to be taken off. */
  skip: number
}

/** Keeps exact totals, and finds far pages, at a cost that does not grow with the account: see the README beside. */
export class UserCounts {
  readonly #db: Db
  readonly #statements: UserCountStatements
  readonly #foldsBeside: boolean
  /** Known groups by account; each use is checked against the version in the database. */
  readonly #groups = new Map<string, Groups>()
  readonly #folding = new Map<string, Promise<void>>()
  /** How many deltas lists of an account have added up since they were folded last */
  readonly #addedUp = new Map<string, number>()

  /** @param options `foldsBeside`: whether what counts may be written off the path of a request */
  constructor(db: Db, { foldsBeside = true }: { foldsBeside?: boolean } = {}) {
    this.#db = db
    this.#foldsBeside = foldsBeside
    this.#statements = createUserCountStatements(db)
  }

  /** The exact number of users, and how it is counted. */
  async total(accountId: string): Promise<CountedUsers> {
    const row = await this.#db.queryOne(this.#statements.selectTotal, { accountId })
    const pending = row?.pending ?? 0
    this.notePending(accountId, pending)
    return { total: row?.total ?? 0, version: row?.version ?? 0, pending }
  }

  /** Has deltas folded that were counted with a page, where there are many, or where few are counted again and again. */
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

  /** Where to begin to read for the user at `offset`, counted from 0; undefined where walking from the start is as well. */
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
    if (!this.#foldsBeside || this.#folding.has(accountId)) return
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
    const deltas = yield* run(this.#statements.takeDeltas, { accountId })
    for (const user_id of userIds) deltas.push({ user_id, delta: each })
    yield* addDeltas(this.#statements, accountId, deltas)
  }

  /** Counts anew from the users themselves; answers with the total. */
  async rebuild(accountId: string): Promise<number> {
    const statements = this.#statements
    return this.#db.transact(
      function* (): Transaction<number> {
        yield* run(statements.takeDeltas, { accountId })
        const total = yield* countAnew(statements, accountId)
        yield* run(statements.addToTotal, { accountId, sum: 0 })
        yield* run(statements.setTotal, { accountId, total })
        return total
      },
      { snapshot: true },
    )
  }

  async #groupsOf(accountId: string, version: number): Promise<Groups | undefined> {
    const known = this.#groups.get(accountId)
    if (known?.version === version) return known
    const rows = await this.#db.query(this.#statements.selectGroups, { accountId })
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
    const rows = await this.#db.query(this.#statements.selectRangesFrom, input)
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
