import Sqlite from 'better-sqlite3'
import { expect, test } from 'vitest'
import { addWebhook } from '../repository/isolation/webhooks.ts'
import { hour, newTenant, start } from '../repository/world.ts'
import { openDatabase } from '../support/databases.ts'
import { insertRows } from '../support/run-sql.ts'
import { planOf } from '../support/sqlite-plan.ts'
import { openRecorded } from '../support/statement-recorder.ts'

// An endpoint that is off may have any number of deliveries, of which none is due.
test('the tests of an endpoint that is off are found on SQLite without its deliveries', async () => {
  const database = await openDatabase('sqlite')
  const { repository, take, close } = openRecorded(database.url)
  await repository.storage.migrate()
  const { accountId } = await newTenant(repository)
  const { id } = await addWebhook(repository, { accountId }, 0, { isActive: false })
  await insertRows(database.url, 'clientele_webhook_deliveries', 1_000, {
    ...{ account_id: `'${accountId}'`, webhook_id: `'${id}'`, event_id: 'n' },
    ...{ position: 'n', payload: 'null', attempts: '1', next_attempt_at: `${start}` },
  })
  take()
  const due = { isFailing: false, limit: 10 }
  expect(await repository.webhooks.findDue(start + hour, due)).toEqual([])
  const range = { after: 0, until: start + hour }
  expect(await repository.webhooks.listPending(accountId, id, range, 10)).toEqual([])
  const reads = take().filter(({ sql }) => sql.includes('"clientele_webhook_deliveries"'))
  await close()
  const connection = new Sqlite(database.url.slice('sqlite:'.length))
  const plans = reads.map(({ sql }) => planOf(connection, sql).join(', '))
  connection.close()
  await database.close()
  expect(plans).toHaveLength(2)
  for (const plan of plans) expect(plan).toContain('clientele_webhook_deliveries_of_tests')
})
