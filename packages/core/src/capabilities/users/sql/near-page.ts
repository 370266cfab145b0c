import { BatchLoader } from '../../../sql/batch-loader.ts'
import type { Db } from '../../../sql/db.ts'
import { readAccount } from '../../../sql/read-account.ts'
import { whileUnchanged } from '../../../sql/while-unchanged.ts'
import { totalColumns } from '../counts/sql/user-count-statements.ts'
import type { UserCounts } from '../counts/sql/user-counts.ts'
import type { PageRequest } from '../page.ts'
import type { UserPage } from '../store.ts'
import { type PageReading, toVersionedUser } from './user-rows.ts'

/** This many pages are written as JSON in a few milliseconds. */
const maxSharedPages = 8
/** How many users of pages are kept while nothing in the database changes; each takes several KiB at most */
const maxKnownUsers = 500

/** The pages that were read. When it is full, no more are kept until the database changes. */
class KnownPages {
  readonly pages = new Map<string, UserPage>()
  #users = 0

  keep(name: string, page: UserPage): void {
    if (this.#users + page.users.length > maxKnownUsers) return
    this.#users += page.users.length
    this.pages.set(name, page)
  }
}

/** Makes the function that reads a page near the beginning; undefined when the page is empty. */
export function createFindNearPage(db: Db, counts: UserCounts, reading: PageReading) {
  // With a literal limit and few users in the table, PostgreSQL would read and sort the whole account.
  const nearPage = db.statement<{ accountId: string; limit: number; offset: number }>()(
    (queries, value) =>
      queries
        .selectFrom('clientele_users as u')
        .select(reading.columns)
        // A scalar subquery, evaluated once and not per user
        .select(totalColumns(queries, value))
        .where('u.account_id', '=', value('accountId'))
        .orderBy('u.id')
        .limit(value('limit'))
        .offset(value('offset')),
  )

  const readKnown = whileUnchanged(db, () => new KnownPages())

  /** Reads a page near the beginning and the total in one statement. */
  async function readNearPage(
    accountId: string,
    { limit, page }: PageRequest,
  ): Promise<UserPage | undefined> {
    const offset = (page - 1) * limit
    // Taken before the rows are read: what is kept is never older than the mark.
    const known = db.features.isInProcess ? readKnown() : undefined
    const name = `${accountId} ${limit} ${offset}`
    const kept = known?.pages.get(name)
    if (kept !== undefined) return kept
    const values = { accountId, limit, offset }
    const rows = await (reading.isBeside
      ? db.scan(nearPage, values)
      : readAccount(db, nearPage, values))
    const [first] = rows
    if (first === undefined) return undefined
    counts.notePending(accountId, first.pending)
    const { total } = first
    const found = {
      users: rows.map(toVersionedUser),
      total,
      hasMore: offset + rows.length < total,
      rendered: {},
    }
    known?.keep(name, found)
    return found
  }

  /** Simultaneous requests for the same page share a round trip. */
  const loader = new BatchLoader<PageRequest, UserPage | undefined>(async (name, requests) => {
    const [accountId = ''] = name.split(' ')
    const page = requests[0] && (await readNearPage(accountId, requests[0]))
    return requests.map(() => page)
  }, maxSharedPages)
  return function findNearPage(
    accountId: string,
    request: PageRequest,
  ): Promise<UserPage | undefined> {
    if (db.features.isInProcess) return readNearPage(accountId, request)
    return loader.load(`${accountId} ${request.limit} ${request.page}`, request)
  }
}
