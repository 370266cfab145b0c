import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Clientele } from '@clientele/core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { codeOf, send } from '../keys/open-clientele.ts'
import { eitherDatabase, type OpenDatabase } from '../support/databases.ts'
import { SignInWorld } from '../support/sign-in-world.ts'
import { toRecords, user } from './import-world.ts'

const databases = eitherDatabase(import.meta.filename)

describe.each(databases)('an import into a busy account, on $name', ({ open }) => {
  let database: OpenDatabase
  const world = new SignInWorld(() => database.url)
  beforeAll(async () => {
    database = await open()
  })
  afterAll(() => database.close())

  test('waits with its hashes, however many hashes of the account wait', async () => {
    const hashing = { memoryKiB: 1_024, passes: 1, concurrency: 1, queueLength: 4 }
    const { clientele } = await world.start({ passwords: { hashing } })
    const { accountId, credentials } = await world.addUser(clientele)
    const users = Array.from({ length: 150 }, (_, number) => user(number, { password: 'a secret' }))
    let isOver = false
    const codes = new Set<string | undefined>()
    const signInOften = async () => {
      while (!isOver) {
        codes.add(await codeOf(clientele.auth.logIn(accountId, credentials)))
        await sleep(1)
      }
    }
    const others = Array.from({ length: 8 }, signInOften)
    const imported = await clientele.users.import(accountId, toRecords(users)).finally(() => {
      isOver = true
    })
    await Promise.all(others)
    expect(imported).toMatchObject({ imported: 150, stoppedAtLine: null, errors: [] })
    expect(codes).toContain('overloaded')
  })

  /** An account with a user who changes whenever a hook is asked about it. */
  async function startRestless() {
    const { clientele: elsewhere } = await world.start()
    const { accountId, user: restless } = await world.addUser(elsewhere)
    const beforeUpdate = async () => {
      await elsewhere.users.patch(accountId, restless.id, { name: randomUUID() })
    }
    const { clientele } = await world.start({ hooks: { beforeUpdate } })
    return { clientele, accountId, restless: { email: restless.email, name: 'Restless' } }
  }
  async function importOverHttp(clientele: Clientele, accountId: string, users: readonly object[]) {
    const { apiKey: key } = await clientele.apiKeys.create(accountId)
    const body = users.map((each) => JSON.stringify(each)).join('\n')
    const path = '/client/user/import?on_conflict=update&on_error=skip'
    return send(clientele, 'POST', path, { key, body, type: 'application/x-ndjson' })
  }

  test('says where it ended when some of it is stored', async () => {
    const { clientele, accountId, restless } = await startRestless()
    const users = [user(1), user(2), restless, user(3)]
    expect(await importOverHttp(clientele, accountId, users)).toMatchObject({
      status: 200,
      body: {
        imported: 2,
        updated: 0,
        skipped: 1,
        stopped_at_line: 3,
        errors: [{ line: 3, code: 'overloaded' }],
      },
    })
    const { data } = await clientele.users.list(accountId, { limit: 10 })
    const emails = data.map(({ email }) => email).filter((email) => email !== restless.email)
    expect(emails.sort()).toEqual(['user1@example.com', 'user2@example.com'])
  })

  test('says so also after as many errors as an answer has', async () => {
    const { clientele, accountId, restless } = await startRestless()
    const users = [user(1), ...Array.from({ length: 1_000 }, () => ({})), restless, user(2)]
    const { body } = await importOverHttp(clientele, accountId, users)
    expect(body.errors).toHaveLength(1_000)
    expect(body.errors).toContainEqual(expect.objectContaining({ line: 1_002, code: 'overloaded' }))
  })

  test('is refused as a whole when nothing is stored', async () => {
    const { clientele, accountId, restless } = await startRestless()
    const refused = await importOverHttp(clientele, accountId, [restless, user(1)])
    expect(refused).toMatchObject({ status: 503, body: { code: 'overloaded' } })
    expect((await clientele.users.list(accountId)).total).toBe(1)
  })

  test('with a name throws, and goes on when it is repeated', async () => {
    const { clientele, accountId, restless } = await startRestless()
    const options = { source: 'users', onConflict: 'update' } as const
    const users = (third: object) => toRecords([user(1), user(2), third, user(3)])
    const first = clientele.users.import(accountId, users(restless), options)
    expect(await codeOf(first)).toBe('overloaded')
    const again = await clientele.users.import(accountId, users(user(4)), options)
    expect(again).toMatchObject({ imported: 4, stoppedAtLine: null, earlier: { records: 2 } })
  })
})
