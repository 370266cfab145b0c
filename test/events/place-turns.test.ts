import { expect, onTestFinished, test } from 'vitest'
import { openClientele } from '../keys/open-clientele.ts'
import { openDatabase } from '../support/databases.ts'
import { runSql } from '../support/run-sql.ts'
import { watchTurns } from '../support/watch-turns.ts'

test.each([false, true])(
  'events that have no place yet get theirs in many turns on SQLite (with a chain: %s)',
  async (chain) => {
    const database = await openDatabase('sqlite')
    const clientele = await openClientele(database.url, { audit: { chain } })
    onTestFinished(async () => {
      await clientele.close()
      await database.close()
    })
    const { id: accountId } = await clientele.accounts.create({ name: 'Acme' })
    const person = { name: 'Ada', email: 'ada@example.com', password: 'password' }
    await clientele.users.create(accountId, person)
    await clientele.events.read(accountId)
    // As large as events may be
    await runSql(
      database.url,
      `with recursive n(n) as (select 1 union all select n + 1 from n where n < 1000)
       insert into clientele_events (account_id, id, type, created_at, actor_type, request_id, subject_type, subject_id,
         data, person)
       select account_id, id || n, 'user.updated', created_at, actor_type, request_id, subject_type, subject_id,
         data, json_set(person, '$.more', '${'x'.repeat(30_000)}')
       from n, clientele_events where type = 'user.created'`,
    )
    const watch = watchTurns()
    await clientele.events.read(accountId, { limit: 1 })
    watch.stop()
    expect(watch.count()).toBeGreaterThan(4)
  },
)
