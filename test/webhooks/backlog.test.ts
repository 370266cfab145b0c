import type { Repository } from '@clientele/core'
import { openRepository } from '@clientele/core/database-url'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { addWebhook } from '../repository/isolation/webhooks.ts'
import { newAccount, start } from '../repository/world.ts'
import { eitherDatabase, type OpenDatabase } from '../support/databases.ts'
import { insertEvents, runSql } from '../support/run-sql.ts'

const databases = eitherDatabase(import.meta.filename)

/** How many events ahead of an endpoint the search over all accounts looks at */
const searched = 100

describe.each(databases)('an endpoint that is behind its feed, on $name', ({ open }) => {
  let database: OpenDatabase
  let repository: Repository
  beforeAll(async () => {
    database = await open()
    repository = await openRepository(database.url)
    await repository.storage.migrate()
  })
  afterAll(async () => {
    await repository.storage.close()
    await database.close()
  })

  /**
   * An endpoint at the beginning of a feed of `account.updated`: whether it is due, and its position once those that want
   * nothing are moved on
   */
  async function look({ events, types }: { events: number; types: string[] }, isDisabled = false) {
    const accountId = await newAccount(repository)
    const { id } = await addWebhook(repository, { accountId })
    await insertEvents(database.url, accountId, start, events)
    await runSql(
      database.url,
      `delete from clientele_event_feeds where account_id = '${accountId}'`,
      `insert into clientele_event_feeds (account_id, last_position, purged_position)
       values ('${accountId}', ${events}, 0)`,
      `update clientele_webhooks set types = '${JSON.stringify(types)}' where account_id = '${accountId}'`,
      `update clientele_accounts set disabled_at = ${isDisabled ? start : 'null'} where id = '${accountId}'`,
    )
    const isDue = async () => {
      const options = { isFailing: false, limit: 10, accountIds: [accountId] }
      return (await repository.webhooks.findDue(start + 1, options)).length === 1
    }
    const before = await isDue()
    await repository.webhooks.passOver(start + 1)
    await runSql(
      database.url,
      `update clientele_accounts set disabled_at = null where id = '${accountId}'`,
    )
    const lease = { holder: id, now: start + 1, until: start + 2 }
    return [before, (await repository.webhooks.lease(accountId, id, lease))?.position]
  }

  test.each([['*'], ['account.*'], ['account.updated'], ['user.created', 'account.updated']])(
    'is due when one of the next events matches its types: %s %s',
    async (...types) => {
      expect(await look({ events: 1, types })).toEqual([true, 0])
    },
  )

  test.each([['user.*'], ['account.disabled']])(
    'is moved past few events of other types: %s',
    async (...types) => {
      expect(await look({ events: searched, types })).toEqual([false, searched])
    },
  )

  test('is due when there are many events of other types: its turn reads on', async () => {
    expect(await look({ events: searched + 1, types: ['user.created'] })).toEqual([true, 0])
  })

  test('stays where it is while its account is disabled', async () => {
    expect(await look({ events: 1, types: ['user.created'] }, true)).toEqual([false, 0])
  })
})
