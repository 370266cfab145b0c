import { expect, onTestFinished, test } from 'vitest'
import { openClientele } from '../keys/open-clientele.ts'
import { openDatabase } from '../support/databases.ts'
import { runSql } from '../support/run-sql.ts'

// Where nobody has read a feed, no event has a position yet, and the statistics of PostgreSQL say that none ever has.
test('a person with many events is erased from a large feed that nobody has read', async () => {
  const database = await openDatabase('postgres')
  const clientele = await openClientele(database.url)
  onTestFinished(async () => {
    await clientele.close()
    await database.close()
  })
  const { id: accountId } = await clientele.accounts.create({ name: 'Acme' })
  const [ada, bob] = await Promise.all(
    ['ada', 'bob'].map((name) =>
      clientele.users.create(accountId, {
        name,
        email: `${name}@example.com`,
        password: 'password',
      }),
    ),
  )
  await runSql(
    database.url,
    `insert into clientele_events (account_id, id, type, created_at, actor_type, request_id, subject_type, subject_id,
       data, person)
     select account_id, gen_random_uuid(), 'user.updated', created_at, actor_type, request_id, subject_type,
       case when n % 100 = 0 then subject_id else '${bob?.user.id}' end, data, person
     from clientele_events, generate_series(1, 30000) n where subject_id = '${ada?.user.id}'`,
    'analyze clientele_events',
  )
  await clientele.users.erase(accountId, ada?.user.id ?? '')
  const left = `select id from clientele_events where subject_id = '${ada?.user.id}' and person is not null`
  expect(await runSql(database.url, left)).toEqual([])
}, 60_000)
