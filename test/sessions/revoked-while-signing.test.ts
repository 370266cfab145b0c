import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { openClientele, send } from '../keys/open-clientele.ts'
import { databases, type OpenDatabase } from '../support/databases.ts'
import { logIn } from '../support/log-in.ts'

/** So many that a token waits for its signature longer than its caller stays authenticated */
const batchesBefore = 60
const batchesAfter = 35
const tokensOfBatch = 100

describe.each(databases)('while a token waits to be signed, on $name', ({ open }) => {
  let database: OpenDatabase
  beforeAll(async () => {
    database = await open()
  })
  afterAll(() => database.close())

  async function start() {
    const asked = Promise.withResolvers<void>()
    const hooks = { tokenClaims: () => void asked.resolve() }
    const clientele = await openClientele(database.url, { hooks })
    onTestFinished(() => clientele.close())
    const plain = await openClientele(database.url)
    onTestFinished(() => plain.close())
    const { id: accountId } = await clientele.accounts.create({ name: 'Acme' })
    const { apiKey: key, id: keyId } = await clientele.apiKeys.create(accountId)
    const credentials = { email: `${randomUUID()}@example.com`, password: 'password' }
    const { user } = await clientele.users.create(accountId, { name: 'Ada', ...credentials })
    const { token, refreshToken } = await logIn(plain, accountId, credentials)
    let number = 0
    const validate = (batches: number) =>
      Array.from({ length: batches }, () => {
        const tokens = Array.from({ length: tokensOfBatch }, () => spoil(token, number++))
        return clientele.auth.validateTokens(accountId, tokens)
      })
    const revoke = () => clientele.apiKeys.revoke(accountId, keyId)
    const countSessions = async () => (await clientele.sessions.list(accountId, user.id)).length
    const wanted = { login: credentials, refresh: { refresh_token: refreshToken } }
    const post = (path: keyof typeof wanted) =>
      send(clientele, 'POST', `/client/user/auth/${path}`, { key, body: wanted[path] })
    return { asked: asked.promise, validate, revoke, countSessions, post }
  }

  test.each(['login', 'refresh'] as const)(
    'a %s is refused whose API key is revoked',
    async (path) => {
      const { asked, validate, revoke, countSessions, post } = await start()
      const before = validate(batchesBefore)
      const answer = post(path)
      await asked
      const after = validate(batchesAfter)
      await sleep(20)
      await revoke()
      expect((await answer).status).toBe(401)
      expect(await countSessions()).toBe(1)
      await Promise.all([...before, ...after])
    },
  )
})

/** The token under a signature of the right length that is none; each number gives another. */
function spoil(token: string, number: number): string {
  const signature = Buffer.alloc(64, 1)
  signature.writeUInt32BE(number)
  return `${token.slice(0, token.lastIndexOf('.') + 1)}${signature.toString('base64url')}`
}
