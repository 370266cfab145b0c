import { createClientele } from '@clientele/core'
import { expect, onTestFinished, test } from 'vitest'
import { cheapHashing, LogRecorder } from '../keys/open-clientele.ts'
import { openDatabase } from '../support/databases.ts'
import { repositoryOf } from '../support/open-repository.ts'
import { insertUsers } from '../support/run-sql.ts'

test('between the parts of the deletion of an account other processes can write to a SQLite file', async () => {
  const database = await openDatabase('sqlite')
  const repository = repositoryOf(database.url)
  const { deleteFirst } = repository.users
  const pauses: number[] = []
  let endedAt: number | undefined
  const users = {
    ...repository.users,
    deleteFirst: async (...input: Parameters<typeof deleteFirst>) => {
      if (endedAt !== undefined) pauses.push(performance.now() - endedAt)
      const deleted = await deleteFirst(...input)
      endedAt = performance.now()
      return deleted
    },
  }
  const clientele = await createClientele({
    repository: { ...repository, users },
    secrets: ['a secret of the tests, 32 characters'],
    passwords: { hashing: cheapHashing },
    logger: new LogRecorder(),
  })
  onTestFinished(async () => {
    await clientele.close()
    await repository.storage.close()
    await database.close()
  })
  const { id } = await clientele.accounts.create({ name: 'Large' })
  await insertUsers(database.url, id, 120)
  await clientele.accounts.delete(id)
  expect(pauses).toHaveLength(2)
  // Timers of Node may be a millisecond early.
  expect(Math.min(...pauses)).toBeGreaterThanOrEqual(9)
})

test('so can they between the parts in which its other rows are deleted', async () => {
  const database = await openDatabase('sqlite')
  const { accountLifecycle, storage } = repositoryOf(database.url)
  const clientele = await createClientele({
    repository: repositoryOf(database.url),
    secrets: ['a secret of the tests, 32 characters'],
    logger: new LogRecorder(),
  })
  onTestFinished(async () => {
    await clientele.close()
    await storage.close()
    await database.close()
  })
  const { id } = await clientele.accounts.create({ name: 'Large' })
  await insertUsers(database.url, id, 1050)
  const startedAt = performance.now()
  await accountLifecycle.shorten(id)
  // Twice ten whole parts of 100 rows: roles and words of the names. Without pauses they take some 10 ms.
  expect(performance.now() - startedAt).toBeGreaterThanOrEqual(20 * 9)
})
