import type { Clientele } from '@clientele/core'
import { Client } from 'pg'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { codeOf, openClientele } from '../keys/open-clientele.ts'
import { databases, type OpenDatabase } from '../support/databases.ts'

const password = 'correct horse battery'
let database: OpenDatabase
let clientele: Clientele
let accountId: string
let keyId: string
let client: Client

beforeAll(async () => {
  const kind = databases.find(({ name }) => name === 'postgres')
  if (kind === undefined) throw new Error('There is no PostgreSQL.')
  database = await kind.open()
  clientele = await openClientele(database.url)
  accountId = (await clientele.accounts.create({ name: 'Acme' })).id
  keyId = (await clientele.apiKeys.create(accountId)).id
  client = new Client({ connectionString: database.url })
  await client.connect()
})
afterAll(async () => {
  await client.end()
  await clientele.close()
  await database.close()
})

/** What somebody opens for a user */
async function open(userId: string, email: string): Promise<string[]> {
  const signedIn = await clientele.auth.logIn(accountId, { email, password })
  if (!('token' in signedIn)) throw new Error('The user has no second factor.')
  const own = await clientele.userTokens.create(accountId, userId, { name: 'Deploy script' })
  return [signedIn.token, own.token]
}

async function codesOf(tokens: string[]): Promise<(string | undefined)[]> {
  return Promise.all(tokens.map((token) => codeOf(clientele.auth.validateToken(accountId, token))))
}

describe.each(['repeatable read', 'serializable'])('a transaction that is %s', (level) => {
  const calls: [string, (userId: string) => Promise<unknown>][] = [
    ['deactivate', (id) => clientele.within(client).users.deactivate(accountId, id)],
    [
      'deactivate once',
      (id) => clientele.within(client).users.deactivate({ accountId, idempotencyKey: id }, id),
    ],
    [
      'patch',
      (id) => clientele.within(client).users.patch(accountId, id, { password: 'another password' }),
    ],
    [
      'patch of the address',
      (id) => clientele.within(client).users.patch(accountId, id, { email: `${id}@example.com` }),
    ],
    ['revokeAll of sessions', (id) => clientele.within(client).sessions.revokeAll(accountId, id)],
    ['revokeAll of tokens', (id) => clientele.within(client).userTokens.revokeAll(accountId, id)],
    ['removeAll of devices', (id) => clientele.within(client).devices.removeAll(accountId, id)],
    [
      'unlink of an identity',
      (id) => clientele.within(client).identities.unlink(accountId, id, crypto.randomUUID()),
    ],
    ['revoke of an API key', () => clientele.within(client).apiKeys.revoke(accountId, keyId)],
  ]
  test.each(calls)('refuses %s, which would not see what was opened since', async (_name, call) => {
    const email = `${crypto.randomUUID()}@example.com`
    const { user } = await clientele.users.create(accountId, { name: 'Ada', email, password })
    await client.query(`begin isolation level ${level}`)
    await clientele.within(client).users.find(accountId, user.id)
    const opened = await open(user.id, email)
    expect(await codeOf(call(user.id))).toBe('transaction_invalid')
    // The transaction goes on.
    await clientele.within(client).users.patch(accountId, user.id, { name: 'Ada Byron' })
    await client.query('commit')
    expect(await codesOf(opened)).toEqual([undefined, undefined])
    expect((await clientele.users.find(accountId, user.id)).user).toMatchObject({
      name: 'Ada Byron',
      isActive: true,
    })
  })

  test('does not delete a user for whom something was opened since', async () => {
    const email = `${crypto.randomUUID()}@example.com`
    const { user } = await clientele.users.create(accountId, { name: 'Ada', email, password })
    await client.query(`begin isolation level ${level}`)
    await clientele.within(client).users.find(accountId, user.id)
    const opened = await open(user.id, email)
    const deleted = clientele.within(client).users.delete(accountId, user.id)
    expect(await codeOf(deleted)).toBe('transaction_failed')
    await client.query('rollback')
    expect(await codesOf(opened)).toEqual([undefined, undefined])
  })

  test('creates an account and a user', async () => {
    await client.query(`begin isolation level ${level}`)
    const within = clientele.within(client)
    const { id } = await within.accounts.create({ name: 'Globex' })
    await within.users.create(id, { name: 'Ada', email: 'ada@example.com', password })
    await client.query('commit')
    expect((await clientele.users.list(id)).total).toBe(1)
  })
})

test('a transaction that is read committed ends what was opened since it began', async () => {
  const email = 'ada@example.com'
  const { user } = await clientele.users.create(accountId, { name: 'Ada', email, password })
  await client.query('begin')
  await clientele.within(client).users.find(accountId, user.id)
  const opened = await open(user.id, email)
  await clientele.within(client).users.deactivate(accountId, user.id)
  await client.query('commit')
  await clientele.users.activate(accountId, user.id)
  expect(await codesOf(opened)).toEqual(['token_revoked', 'token_revoked'])
})

test('a call whose client gives up, also its rollback, says that the transaction must be rolled back', async () => {
  const email = `${crypto.randomUUID()}@example.com`
  const { user } = await clientele.users.create(accountId, { name: 'Ada', email, password })
  const [locker, host] = [database.url, database.url].map(
    (connectionString, index) =>
      new Client({ connectionString, ...(index === 1 && { query_timeout: 300 }) }),
  )
  if (locker === undefined || host === undefined) throw new Error('There are two.')
  await Promise.all([locker.connect(), host.connect()])
  try {
    await locker.query('begin; select 1 from clientele_users for update')
    await host.query('begin')
    const call = clientele.within(host).users.patch(accountId, user.id, { name: 'Augusta' })
    expect(await codeOf(call)).toBe('transaction_failed')
    await locker.query('rollback')
    await host.query('rollback')
    expect((await clientele.users.find(accountId, user.id)).user.name).toBe('Ada')
  } finally {
    await Promise.all([locker.end(), host.end()])
  }
})
