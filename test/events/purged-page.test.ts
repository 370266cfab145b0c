import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, onTestFinished, test } from 'vitest'
import { openDatabase } from '../support/databases.ts'
import { repositoryOf } from '../support/open-repository.ts'
import { runSql } from '../support/run-sql.ts'

const events = 20
const rounds = 200

test('a page that is read while its events are deleted says so', async () => {
  const database = await openDatabase('postgres')
  const repository = repositoryOf(database.url)
  onTestFinished(async () => {
    await repository.storage.close()
    await database.close()
  })
  await repository.storage.migrate()
  const ids = Array.from({ length: rounds }, () => randomUUID())
  await runSql(
    database.url,
    `insert into clientele_events (account_id, id, type, created_at, actor_type, request_id, subject_type, data, position)
     select id::uuid, gen_random_uuid(), 'account.updated', 1000, 'system', id::uuid, 'account', '{}', n
     from json_array_elements_text('${JSON.stringify(ids)}') as id, generate_series(1, ${events}) as n`,
    `insert into clientele_event_feeds (account_id, last_position, purged_position)
     select id::uuid, ${events}, 0 from json_array_elements_text('${JSON.stringify(ids)}') as id`,
  )
  const times = { now: Date.now(), eventsBefore: Date.now() }
  for (const [index, id] of ids.entries()) {
    const purged = repository.events.purge(id, times)
    await sleep(index % 8)
    const page = await repository.events.read(id, { after: 0, limit: 10 })
    await purged
    const told = page.purgedPosition + page.events.length
    expect(told).toBe(page.purgedPosition === events ? events : 10)
  }
})
