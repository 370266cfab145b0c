import { setImmediate as endOfTurn } from 'node:timers/promises'
import { lowestId } from '../../base/input/id.ts'
import type { Account, AccountSummary } from './account.ts'
import type { AccountsServices } from './services.ts'

const readAtOnce = 500
const pageSize = 50
const searchedAtOnce = 1_000
/** Of one search: the next page continues it */
const maxSearched = 10_000

/** Reads every account, a part at a time, so that other work is not held up. */
export async function listAccounts({
  repository,
}: Pick<AccountsServices, 'repository'>): Promise<Account[]> {
  const accounts: Account[] = []
  for (;;) {
    const found = await repository.accounts.list(accounts.at(-1)?.id ?? lowestId, readAtOnce)
    accounts.push(...found)
    if (found.length < readAtOnce) return accounts
    await endOfTurn()
  }
}

export interface AccountSearch {
  /** A part of the name, the slug or the external id, in any case, or the whole id; empty: all accounts */
  q: string
  /** The id after which the page begins */
  after: string
}

export interface AccountPage {
  accounts: AccountSummary[]
  /** Where the next page begins; null: this is the last one */
  next: string | null
}

/** Reads a page of accounts. One of a search may have fewer accounts, or none, although it is not the last one. */
export async function searchAccounts(
  { repository }: Pick<AccountsServices, 'repository'>,
  { q, after }: AccountSearch,
): Promise<AccountPage> {
  const wanted = q.trim().toLowerCase()
  // One more than the page says whether there are others.
  const limit = wanted === '' ? pageSize + 1 : searchedAtOnce
  const accounts: AccountSummary[] = []
  let last = after
  for (let searched = 0; searched < maxSearched; searched += limit) {
    const rows = await repository.accounts.listSummaries(last, limit)
    accounts.push(...rows.filter((account) => isMatch(account, wanted)))
    if (accounts.length > pageSize) {
      const page = accounts.slice(0, pageSize)
      return { accounts: page, next: page.at(-1)?.id ?? null }
    }
    if (rows.length < limit) return { accounts, next: null }
    last = rows.at(-1)?.id ?? last
    await endOfTurn()
  }
  return { accounts, next: last }
}

function isMatch({ id, name, slug, externalId }: AccountSummary, wanted: string): boolean {
  const texts = [name, slug, externalId]
  return id === wanted || texts.some((text) => text?.toLowerCase().includes(wanted))
}
