import { type Clientele, createClientele } from '@clientele/core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { openRepository } from '../keys/open-clientele.ts'
import { useRowLocks } from '../support/row-locks.ts'
import { runSql } from '../support/run-sql.ts'
import { dump } from './dump.ts'

const locks = useRowLocks()
let clientele: Clientele
beforeAll(async () => {
  clientele = await createClientele({
    repository: openRepository(locks.url),
    secrets: ['a secret of the tests that is long enough'],
    passwords: { hashing: { memoryKiB: 64, passes: 1 } },
  })
})
afterAll(() => clientele.close())

test('an erasure empties an event that gets its position meanwhile', async () => {
  const { id: accountId } = await clientele.accounts.create({ name: 'Acme' })
  const person = {
    name: 'Zerlina Quux',
    email: 'zerlina@example.com',
    password: 'difference engine',
  }
  const { user } = await clientele.users.create(accountId, person)
  const changer = await locks.begin()
  await changer.query('select 1 from clientele_users where id = $1 for update', [user.id])
  const erased = clientele.users.erase(accountId, user.id)
  await locks.untilWaiting('select')
  // A change that was committed just before the erasure; then a reader of the feed gives its event a position.
  await runSql(
    locks.url,
    `insert into clientele_events (account_id, id, type, created_at, actor_type, request_id, subject_type, subject_id,
       data, person)
     select account_id, gen_random_uuid(), 'user.updated', created_at, actor_type, request_id, subject_type, subject_id,
       data, person from clientele_events where subject_id = '${user.id}' and type = 'user.created'`,
  )
  const reader = await locks.begin()
  await reader.query(
    `update clientele_events set position = 1000, chain = null where position is null and subject_id = $1`,
    [user.id],
  )
  await changer.query('commit')
  await locks.untilWaiting('update')
  await reader.query('commit')
  await erased
  const left = await dump(locks.url)
  expect(left).toContain(user.id)
  for (const text of ['quux', 'zerlina']) expect(left).not.toContain(text)
})
