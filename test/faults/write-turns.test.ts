import { setImmediate as endOfTurn } from 'node:timers/promises'
import { createClientele } from '@clientele/core'
import { openRepository } from '@clientele/core/database-url'
import { expect, onTestFinished, test } from 'vitest'
import { WriteTurns } from '../../packages/core/src/base/runtime/write-turns.ts'
import { send } from '../keys/open-clientele.ts'
import { openDatabase } from '../support/databases.ts'

const writer = { accountId: 'account', isGone: () => false, isStranger: false }

/** Begins writes that wait for a connection until `end` is called. */
function begin(turns: WriteTurns, count: number, request = writer) {
  let begun = 0
  const ended = Promise.withResolvers<void>()
  const writes = Array.from({ length: count }, () =>
    turns.run(request, () => {
      begun++
      return ended.promise
    }),
  )
  return {
    count: () => begun,
    end: async () => {
      ended.resolve()
      await Promise.all(writes)
    },
  }
}

test('sixteen requests of an account begin, and the others when those have ended', async () => {
  const turns = new WriteTurns(() => 16)
  const writes = begin(turns, 40)
  const others = begin(turns, 1, { ...writer, accountId: 'other' })
  await endOfTurn()
  expect([writes.count(), others.count()]).toEqual([16, 1])
  await others.end()
  await writes.end()
  expect(writes.count()).toBe(40)
})

test('a request begins, however many writes wait that no request has begun', async () => {
  const turns = new WriteTurns(() => 40)
  const writes = begin(turns, 10)
  await endOfTurn()
  expect(writes.count()).toBe(10)
  await writes.end()
})

test('strangers do not wait before operators, who belong to no account either', async () => {
  const turns = new WriteTurns(() => 16)
  const strangers = begin(turns, 100, { ...writer, accountId: '', isStranger: true })
  const operators = begin(turns, 1, { ...writer, accountId: '' })
  await endOfTurn()
  expect([strangers.count(), operators.count()]).toEqual([16, 1])
  await operators.end()
  await strangers.end()
})

test('requests whose callers have gone are refused, and make room', async () => {
  const turns = new WriteTurns(() => 16)
  const writes = begin(turns, 16)
  await endOfTurn()
  const gone = turns.run({ ...writer, isGone: () => true }, () => Promise.resolve())
  await expect(gone).rejects.toMatchObject({ code: 'overloaded' })
  await writes.end()
})

test('feeds and exports are answered while requests of their account wait to write', async () => {
  const database = await openDatabase('sqlite')
  const repository = await openRepository(database.url)
  const storage = { ...repository.storage, waitingWrites: () => 16 }
  const asked = Promise.withResolvers<void>()
  const answered = Promise.withResolvers<void>()
  const beforeCreate = async () => {
    asked.resolve()
    await answered.promise
  }
  const clientele = await createClientele({
    repository: { ...repository, storage },
    secrets: ['a secret of the tests, 32 characters'],
    hooks: { beforeCreate },
  })
  onTestFinished(async () => {
    await clientele.close()
    await database.close()
  })
  const { id: accountId } = await clientele.accounts.create({ name: 'Acme' })
  const { apiKey: key } = await clientele.apiKeys.create(accountId)
  const statusOf = async (method: string, path: string, body?: object) =>
    (await send(clientele, method, `/client/${path}`, { key, ...(body && { body }) })).status
  const creations = Array.from({ length: 20 }, (_, index) =>
    statusOf('POST', 'user', {
      name: 'Ada',
      email: `ada${index}@example.com`,
      password: 'a password',
    }),
  )
  await asked.promise
  const paths = ['user/auth/revocation', 'event', 'user/export', 'user']
  expect(await Promise.all(paths.map((path) => statusOf('GET', path)))).toEqual([
    200, 200, 200, 200,
  ])
  answered.resolve()
  expect(new Set(await Promise.all(creations))).toEqual(new Set([201]))
})
