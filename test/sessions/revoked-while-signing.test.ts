import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { openClientele, send } from '../keys/open-clientele.ts'
import { databases, type OpenDatabase } from '../support/databases.ts'
import { logIn } from '../support/log-in.ts'

/** Behind these, a token waits longer for its signature than its caller stays authenticated. */
const before = 9_000
const after = 900
/** How long a caller stays authenticated */
const admittedMs = 1_000

describe.each(databases)('while a token waits to be signed, on $name', ({ open }) => {
  let database: OpenDatabase
  beforeAll(async () => {
    database = await open()
  })
  afterAll(() => database.close())

  async function start() {
    const asked = Promise.withResolvers<void>()
    const hooks = { tokenClaims: () => void asked.resolve() }
    const clientele = await openClientele(database.url, { hooks, signingAlgorithm: 'RS256' })
    onTestFinished(() => clientele.close())
    const plain = await openClientele(database.url)
    onTestFinished(() => plain.close())
    const { id: accountId } = await clientele.accounts.create({ name: 'Acme' })
    const { apiKey: key, id: keyId } = await clientele.apiKeys.create(accountId)
    const credentials = { email: `${randomUUID()}@example.com`, password: 'password' }
    const { user } = await clientele.users.create(accountId, { name: 'Ada', ...credentials })
    const { refreshToken } = await logIn(plain, accountId, credentials)
    const { token } = await plain.userTokens.create(accountId, user.id, { name: 'Script' })
    const exchange = (count: number) =>
      Array.from({ length: count }, () => clientele.auth.exchangeToken(accountId, token))
    const revoke = () => clientele.apiKeys.revoke(accountId, keyId)
    const countSessions = async () => (await clientele.sessions.list(accountId, user.id)).length
    const wanted = { login: credentials, refresh: { refresh_token: refreshToken } }
    const post = (path: keyof typeof wanted) =>
      send(clientele, 'POST', `/client/user/auth/${path}`, { key, body: wanted[path] })
    return { asked: asked.promise, exchange, revoke, countSessions, post }
  }

  /** Revokes the key while the token waits; undefined where it waited too short for its caller to be asked again. */
  async function tryOnce(path: 'login' | 'refresh') {
    const { asked, exchange, revoke, countSessions, post } = await start()
    const exchanges = exchange(before)
    // Their user is looked up first.
    await sleep(500)
    const answer = post(path)
    await asked
    exchanges.push(...exchange(after))
    await sleep(20)
    await revoke()
    const revokedAt = performance.now()
    const { status } = await answer
    const waitedMs = performance.now() - revokedAt
    const found = { status, sessions: await countSessions() }
    await Promise.all(exchanges)
    return waitedMs < admittedMs ? undefined : found
  }

  test.each(['login', 'refresh'] as const)(
    'a %s is refused whose API key is revoked',
    async (path) => {
      let found: Awaited<ReturnType<typeof tryOnce>>
      for (let tries = 0; found === undefined && tries < 6; tries++) found = await tryOnce(path)
      expect(found).toEqual({ status: 401, sessions: 1 })
    },
    120_000,
  )
})
