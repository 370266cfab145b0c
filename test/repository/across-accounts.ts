import type { Repository } from '@clientele/core'
import { expect } from 'vitest'
import { addWebhook } from './isolation/webhooks.ts'
import { hour, newTenant, start } from './world.ts'

const lowestId = '00000000-0000-0000-0000-000000000000'

/** A kind of statement that is about several accounts, or about none. */
interface AcrossAccounts {
  name: string
  /** What its statements look like */
  pattern: RegExp
  reason: string
  /** Whether a database whose tables are distributed by account runs none of them */
  isForOnePlace?: true
}

/** Every statement names its account by a parameter, for each table. These do not. */
export const acrossAccounts: readonly AcrossAccounts[] = [
  {
    name: 'console links and sessions',
    pattern: /^(insert into|select .* from|delete from) "clientele_console_(links|sessions)" /,
    reason:
      'They are of operators, who see all accounts. Their tables have no account, and are not distributed.',
  },
  {
    name: 'applied migrations',
    pattern: /"clientele_migrations"/,
    reason: 'The table has no account, and is not distributed.',
  },
  {
    name: 'slugs and external ids of accounts',
    pattern: /^(insert into|select "owner_id" from|delete from) "clientele_account_names" /,
    reason: 'They are unique over all accounts. Their table is not distributed.',
  },
  {
    name: 'the accounts of an e-mail',
    pattern:
      /^select "a"\.\* from "clientele_users" as "u" inner join "clientele_accounts" as "a" .*where "u"\."email" = /,
    reason:
      'A sign-in page that all accounts share asks for the address first. Every server of a distributed database is asked.',
  },
  {
    name: 'lists of accounts',
    pattern:
      /^select (\*|"id"(, "\w+")*) from "clientele_accounts" (where "id" > \S+ order by "id" )?limit \S+$/,
    reason:
      'An operator lists or searches all accounts, a page at a time; a server that starts asks whether there is one.',
  },
  {
    name: 'the first and the last accounts',
    pattern: /^select "id" from "clientele_accounts" order by "id" (asc|desc) limit \S+$/,
    reason: 'The sweeper compares the clock with the newest event of some accounts.',
  },
  {
    name: 'accounts to sweep',
    pattern:
      /^select "a"\."id", .* as "oldestPendingAt" from "clientele_accounts" as "a" where "a"\."id" > /,
    reason: 'The sweeper walks through all accounts, a page at a time.',
  },
  {
    name: 'expired rows',
    pattern:
      /^select "account_id" as "accountId" from "clientele_\w+" where "account_id" (in|= any)/,
    reason:
      'The sweeper finds them in a page of accounts without a lock, and deletes them account by account.',
  },
  {
    name: 'stale secrets',
    pattern: /^select "account_id" as "accountId", "\w+" as "id", "\w+" as "encrypted", /,
    reason:
      'A new secret is for all accounts. Without a lock; each is encrypted again account by account.',
  },
  {
    name: "an API key's look-up by its hash",
    pattern: /from "clientele_api_keys" as "k" .*where "k"\."hash" = \S+$/,
    reason:
      'The index of hashes finds it. Only for an older key, whose text names no account, all servers of a distributed database are asked.',
  },
  {
    name: 'whether keys are stored',
    pattern: /^select "hash" from "clientele_api_keys" where "hash" = /,
    reason:
      'The index of hashes finds them, before it is known whose they are. On a distributed database only for older keys.',
  },
  {
    name: 'whether accounts exist',
    pattern: /^select "id" from "clientele_accounts" where "id" = any/,
    reason:
      'Strangers ask for the keys of made-up accounts, and share the statement. Where tables are distributed, each account has its own.',
    isForOnePlace: true,
  },
  {
    name: "feeds' heads",
    pattern:
      /^select "a"\."id" as "accountId", .* as "hasPending" from "clientele_accounts" as "a" /,
    reason: 'One query for the feeds of all accounts with waiting readers; without a lock.',
  },
  {
    name: 'positions for several feeds',
    pattern:
      /^(select "account_id", "chain" from "clientele_event_feeds" where "account_id" in |with "next" as )/,
    reason: 'New events of several accounts get their positions in one transaction.',
    isForOnePlace: true,
  },
  {
    name: 'pages of several feeds',
    pattern: /^select "r"\."number", .* as "until", "e"\."id", /,
    reason: 'Simultaneous reads of several accounts share a round trip.',
    isForOnePlace: true,
  },
  {
    name: 'leases of several endpoints',
    pattern: /^update "clientele_webhooks" set "lease_holder" = "leased"\."holder"/,
    reason: 'Simultaneous leases in several accounts share a round trip.',
    isForOnePlace: true,
  },
  {
    name: 'settlements of several endpoints',
    pattern: /^with "changed" as \(update "clientele_webhooks" set "position" = "noted"/,
    reason: 'Simultaneous settlements in several accounts share a round trip.',
    isForOnePlace: true,
  },
  {
    name: 'pending messages of several endpoints',
    pattern: /^select "r"\."number", "p"\.\* from /,
    reason: 'Simultaneous reads in several accounts share a round trip.',
    isForOnePlace: true,
  },
  {
    name: 'what there still is of several events',
    pattern: /^select "r"\."number", "w"\."is_active" as "isActive", "e"\."id" as "eventId", /,
    reason: 'Simultaneous look-ups in several accounts share a round trip.',
    isForOnePlace: true,
  },
  {
    name: 'accounts with news',
    pattern:
      /^select "w"\."account_id" as "accountId" from \(select distinct "account_id" from "clientele_webhooks" where /,
    reason: 'One process sends what is due in every account; without a lock.',
  },
  {
    name: 'how many endpoints there are',
    pattern: /^select "id" from "clientele_webhooks" limit /,
    reason: 'A deliverer asks whether all accounts together have many.',
  },
  {
    name: 'accounts with endpoints, new events or due deliveries',
    pattern:
      /^select (distinct \S*"account_id"|coalesce\(max\(\S+\), 0\) as "end") from (\(select "account_id" from )?"clientele_(webhooks|events|webhook_deliveries)"/,
    reason: 'One process sends what is due in every account; without a lock.',
  },
  {
    name: 'endpoints to pass over',
    pattern:
      /^select "w"\."account_id" as "accountId", "w"\."id", "w"\."position" as "from_position", /,
    reason: 'Without a lock; the endpoints are moved account by account.',
  },
  {
    name: 'due endpoints',
    pattern:
      /^select "w"\."account_id" as "accountId", "w"\."id" from "clientele_webhooks" as "w" /,
    reason: 'One process sends what is due in every account; without a lock.',
  },
  {
    name: 'the oldest due time',
    pattern: /^select min\(.* as "pending" from "clientele_webhooks" as "w" /,
    reason: 'A gauge says how far all deliveries are behind; without a lock.',
  },
  {
    name: 'how many endpoints fail',
    pattern: /^select count\(\*\) as "failing", .* from "clientele_webhooks" as "w" /,
    reason: 'A command of the operator asks for it; without a lock.',
  },
  {
    name: 'accounts with signing keys',
    pattern: /^select distinct "account_id".* from "clientele_signing_keys"/,
    reason: 'The operator changes the keys of every account.',
  },
]

/** Calls every method about all accounts, or about none, with rows to find. */
export async function callAcrossAccounts(repository: Repository): Promise<void> {
  const { webhooks, events, storage, console, signingKeys, accounts } = repository
  const tenants = [await newTenant(repository), await newTenant(repository)]
  const accountIds = tenants.map(({ accountId }) => accountId)
  const passed = await Promise.all(
    tenants.map((tenant) => addWebhook(repository, tenant, 0, { types: ['account.disabled'] })),
  )
  await webhooks.placeNews(undefined)
  await webhooks.placeNews(accountIds)
  await webhooks.findDueSince(start)
  await webhooks.countFailing()
  await webhooks.hasMoreThan(1)
  await webhooks.listAccounts(lowestId, 10)
  await webhooks.findNews(0, start)
  for (const isFailing of [true, false]) {
    await webhooks.findDue(start, { isFailing, limit: 10 })
    await webhooks.findDue(start, { isFailing, limit: 10, accountIds })
  }
  await webhooks.passOver(start)
  const held = { holder: 'one', now: start, until: start + 1 }
  for (const [index, accountId] of accountIds.entries()) {
    const leased = await webhooks.lease(accountId, passed[index]?.id ?? '', held)
    expect(leased?.position).toBeGreaterThan(0)
  }
  await events.findHeads(accountIds)
  await signingKeys.listAccounts(lowestId, 10)
  await accounts.list(lowestId, 10)
  await accounts.listSummaries(lowestId, 10)
  await accounts.findByName('slug', 'acme')
  await accounts.listOfEmail('ada@example.com', 10)
  const session = { holder: 'holder', hash: 'session' }
  await console.addLink('link', start)
  expect(await console.takeLink('link', start - 1)).toBe(true)
  await console.addSession(session, start, { accountId: lowestId, most: 2 })
  expect(await console.hasSession(session, start - 1)).toBe(true)
  await console.endSession(session)
  await storage.listStaleSecrets('v2.', { ofUsers: true, after: undefined })
  expect(await storage.findNewestEvent(2 ** 48)).toBeDefined()
  await storage.readTime?.()
  await storage.sweep(lowestId, { now: start + 1_000 * hour, eventsBefore: start })
  for (const { accountId, session: expired } of tenants)
    expect(await repository.sessions.find(accountId, expired.id)).toBeUndefined()
}
