import { type Clientele, createClientele } from '@clientele/core'
import { sqlite } from '@clientele/core/sqlite'
import Database from 'better-sqlite3'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { cheapHashing } from '../keys/open-clientele.ts'
import { eitherDatabase, type OpenDatabase, openDatabase } from '../support/databases.ts'
import { logIn } from '../support/log-in.ts'
import { SignInWorld } from '../support/sign-in-world.ts'

const databases = eitherDatabase(import.meta.filename)

/** Sends a token as a program does, and returns the status with the problem's code or the user's name. */
async function validate(clientele: Clientele, key: string, token: string): Promise<unknown[]> {
  const body = Buffer.from(JSON.stringify({ token: `Bearer ${token}` }))
  const headers = {
    authorization: `Bearer ${key}`,
    'content-type': 'application/json',
    'content-length': String(body.length),
  }
  const response = await clientele.handle({
    method: 'POST',
    url: '/client/user/auth/validation-token',
    mountPath: '',
    headers,
    rawHeaders: Object.entries(headers).flat(),
    body: new Blob([body]).stream(),
  })
  const { code, user } = JSON.parse(response?.body ?? '{}')
  return [response?.status, code ?? user?.name]
}

const known = [200, 'Ada']

describe.each(databases)('what is known of a token that was sent before, on $name', ({ open }) => {
  let database: OpenDatabase
  const world = new SignInWorld(() => database.url)

  beforeAll(async () => {
    database = await open()
  })
  afterAll(() => database.close())

  /** A user whose token this process has validated twice, and another process */
  async function meet() {
    const { clientele } = await world.start()
    const { clientele: other } = await world.start()
    const { accountId, user, credentials, signedIn } = await world.signIn(other)
    const { apiKey, ...key } = await other.apiKeys.create(accountId)
    const ask = () => validate(clientele, apiKey, signedIn.token)
    expect([await ask(), await ask(), await ask()]).toEqual([known, known, known])
    return { clientele, other, accountId, user, credentials, signedIn, key, ask }
  }

  test.each(['by this process', 'by another process'] as const)(
    'a change %s is seen at once',
    async (by) => {
      const world = await meet()
      const { accountId, user, ask } = world
      const writer = by === 'by this process' ? world.clientele : world.other
      await writer.users.patch(accountId, user.id, { name: 'Grace' })
      expect(await ask()).toEqual([200, 'Grace'])
      expect(await ask()).toEqual([200, 'Grace'])
      await writer.users.deactivate(accountId, user.id)
      expect(await ask()).toEqual([401, 'token_user_inactive'])
      await writer.users.activate(accountId, user.id)
      await writer.sessions.revokeAll(accountId, user.id)
      expect(await ask()).toEqual([401, 'token_revoked'])
    },
  )

  test.each(['by this process', 'by another process'] as const)(
    'a deletion %s is seen at once',
    async (by) => {
      const world = await meet()
      const writer = by === 'by this process' ? world.clientele : world.other
      await writer.users.delete(world.accountId, world.user.id)
      expect(await world.ask()).toEqual([401, 'token_user_not_found'])
    },
  )

  test.each(['by this process', 'by another process'] as const)(
    'a revoked key opens nothing, %s',
    async (by) => {
      const world = await meet()
      const writer = by === 'by this process' ? world.clientele : world.other
      await writer.apiKeys.revoke(world.accountId, world.key.id)
      expect(await world.ask()).toEqual([401, 'api_key_invalid'])
    },
  )

  test('a known token is of its account alone', async () => {
    const { clientele, signedIn, ask } = await meet()
    const stranger = await clientele.accounts.create({ name: 'Other' })
    const { apiKey } = await clientele.apiKeys.create(stranger.id)
    expect(await validate(clientele, apiKey, signedIn.token)).toEqual([401, 'token_unknown_key'])
    expect(await ask()).toEqual(known)
    expect(await validate(clientele, apiKey, signedIn.token)).toEqual([401, 'token_unknown_key'])
  })

  test('time ends a token although nothing is written', async () => {
    const { signedIn, ask } = await meet()
    world.now += signedIn.expiresIn * 1_000
    expect(await ask()).toEqual([401, 'token_expired'])
    world.now -= signedIn.expiresIn * 1_000
    expect(await ask()).toEqual(known)
  })
})

test("a host's own statement on the connection that it shares is seen at once", async () => {
  const database = await openDatabase('sqlite')
  onTestFinished(() => database.close())
  const connection = new Database(database.url.slice('sqlite:'.length))
  const clientele = await createClientele({
    repository: sqlite({ database: connection }),
    secrets: ['a secret of the tests, 32 characters'],
    passwords: { hashing: cheapHashing },
  })
  onTestFinished(async () => {
    await clientele.close()
    connection.close()
  })
  const { id } = await clientele.accounts.create({ name: 'Acme' })
  const { apiKey } = await clientele.apiKeys.create(id)
  const credentials = { email: 'ada@example.com', password: 'password' }
  await clientele.users.create(id, { name: 'Ada', ...credentials })
  const { token } = await logIn(clientele, id, credentials)
  expect(await validate(clientele, apiKey, token)).toEqual(known)
  expect(await validate(clientele, apiKey, token)).toEqual(known)
  connection.prepare("update clientele_users set name = 'Grace'").run()
  expect(await validate(clientele, apiKey, token)).toEqual([200, 'Grace'])
})
