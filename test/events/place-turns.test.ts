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
    const { user } = await clientele.users.create(accountId, person)
    const changes = Array.from({ length: 1_000 }, (_, count) =>
      clientele.users.patch(accountId, user.id, { metadata: { count } }),
    )
    await Promise.all(changes)
    // As large as events may be
    await runSql(
      database.url,
      `update clientele_events set person = json_set(person, '$.more', '${'x'.repeat(30_000)}') where type = 'user.updated'`,
    )
    const watch = watchTurns()
    await clientele.events.read(accountId, { limit: 1 })
    watch.stop()
    expect(watch.count()).toBeGreaterThan(4)
  },
)
