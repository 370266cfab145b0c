import { randomUUID } from 'node:crypto'
import { type Clientele, createClientele } from '@clientele/core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { cheapHashing, LogRecorder } from '../keys/open-clientele.ts'
import { databases, type OpenDatabase } from '../support/databases.ts'
import { openRecorded, type RecordedRepository } from '../support/statement-recorder.ts'

const count = 40

describe.each(databases)('many exports and erasures of one account on $name', ({ name, open }) => {
  let database: OpenDatabase
  let recorded: RecordedRepository
  let clientele: Clientele

  beforeAll(async () => {
    database = await open()
    recorded = openRecorded(database.url)
    clientele = await createClientele({
      repository: recorded.repository,
      secrets: ['a secret of the tests, 32 characters'],
      passwords: { hashing: cheapHashing },
      logger: new LogRecorder(),
    })
  })
  afterAll(async () => {
    await clientele.close()
    await recorded.close()
    await database.close()
  })

  const addAccount = async () => (await clientele.accounts.create({ name: 'Acme' })).id
  const addUser = async (accountId: string) => {
    const input = { name: 'Ada', email: `${randomUUID()}@example.com`, password: 'correct horse' }
    return (await clientele.users.create(accountId, input)).user.id
  }

  test.each(['exportData', 'erase'] as const)(
    '%s: another account does not wait until all are done',
    async (method) => {
      const [busy, other] = [await addAccount(), await addAccount()]
      const users: string[] = []
      for (let index = 0; index < count; index++) users.push(await addUser(busy))
      const user = await addUser(other)
      // A key that signs receipts is there.
      if (method === 'erase') await clientele.users.erase(other, await addUser(other))
      let done = 0
      const those = users.map(async (each) => {
        await clientele.users[method](busy, each)
        done++
      })
      const place = clientele.users[method](other, user).then(() => done)
      await Promise.all(those)
      // It came last.
      expect(await place).toBeLessThan(count / 2)
    },
  )

  test.runIf(name === 'postgres')(
    'one of them at a time places new events; the others wait without connections',
    async () => {
      const accountId = await addAccount()
      await addUser(accountId)
      recorded.take()
      await Promise.all(Array.from({ length: count }, () => clientele.events.read(accountId)))
      const places = recorded
        .take()
        .filter(({ sql }) => sql.startsWith('update "clientele_events"'))
      expect(places.length).toBeGreaterThan(0)
      expect(places.length).toBeLessThanOrEqual(3)
    },
  )
})
