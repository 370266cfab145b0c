import { isDeepStrictEqual } from 'node:util'
import type { Db } from '../../../sql/db.ts'
import { run, type Transaction } from '../../../sql/statement.ts'
import { createAppendEvent, eventValues } from '../../events/sql/record-event.ts'
import type { Account, AccountChanges } from '../account.ts'
import { type AccountPolicy, defaultPolicy, type PolicyChanges } from '../account-policy.ts'
import type { AccountStore } from '../store.ts'
import { createAccountNames } from './account-names.ts'
import { toAccount } from './account-rows.ts'
import { createLockAccount } from './lock-account.ts'

type Outcome = Awaited<ReturnType<AccountStore['update']>>

export function createUpdateAccount(db: Db): AccountStore['update'] {
  const lockAccount = createLockAccount(db)
  const names = createAccountNames(db)
  const update = db.statement<{
    accountId: string
    name: string
    slug: string | null
    externalId: string | null
    metadata: string
    policy: string | null
  }>()((queries, value) =>
    queries
      .updateTable('clientele_accounts')
      .set({
        name: value('name'),
        slug: value('slug'),
        external_id: value('externalId'),
        metadata: value('metadata'),
        policy: value('policy'),
      })
      .where('id', '=', value('accountId')),
  )
  const appendEvent = createAppendEvent(db)

  return (accountId, changes, eventOf) =>
    names.transact(function* (): Transaction<Outcome> {
      const [row] = yield* run(lockAccount, { accountId })
      if (row === undefined) return undefined
      const before = toAccount(row)
      const account = merge(before, changes)
      if (isDeepStrictEqual(account, before)) return { account, event: undefined }
      yield* names.write(accountId, {
        slug: account.slug === before.slug ? undefined : account.slug,
        externalId: account.externalId === before.externalId ? undefined : account.externalId,
      })
      const metadata = JSON.stringify(account.metadata)
      const policy = toPolicyText(account.policy)
      yield* run(update, { accountId, ...account, metadata, policy })
      const event = eventOf(account)
      yield* run(appendEvent, { accountId, ...eventValues(event) })
      return { account, event }
    })
}

/** Members that are undefined stay. */
function merge(account: Account, changes: AccountChanges): Account {
  const { name = account.name, metadata = account.metadata } = changes
  const { slug = account.slug, externalId = account.externalId } = changes
  const policy = { ...account.policy, ...withoutUndefined(changes.policy ?? {}) }
  return { ...account, name, slug, externalId, metadata, policy }
}

function withoutUndefined(changes: PolicyChanges): Partial<AccountPolicy> {
  const given = Object.entries(changes).filter(([, value]) => value !== undefined)
  return Object.fromEntries(given) as Partial<AccountPolicy> // what is left of the changes
}

function toPolicyText(policy: AccountPolicy): string | null {
  return isDeepStrictEqual(policy, defaultPolicy) ? null : JSON.stringify(policy)
}
