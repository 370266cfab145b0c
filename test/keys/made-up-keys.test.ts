import { createClientele } from '@clientele/core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createAccountSecret } from '../../packages/core/src/base/crypto/account-secret.ts'
import { accountValues, nextId } from '../repository/world.ts'
import { type OpenDatabase, openDatabase } from '../support/databases.ts'
import { openRecorded, type RecordedRepository } from '../support/statement-recorder.ts'

let database: OpenDatabase
let recorded: RecordedRepository

// In the process of SQLite a look-up takes no connection.
beforeAll(async () => {
  database = await openDatabase('postgres')
  recorded = openRecorded(database.url)
})
afterAll(async () => {
  await recorded.close()
  await database.close()
})

test('look-ups of made-up keys that arrive together share statements', async () => {
  const { apiKeys } = recorded.repository
  const lookUps = Array.from({ length: 200 }, (_, number) =>
    apiKeys.findByHash(`made up ${number}`, Date.now()),
  )
  expect(new Set(await Promise.all(lookUps))).toEqual(new Set([undefined]))
  expect(recorded.take().length).toBeLessThanOrEqual(4)
})

test('so do those of made-up accounts, of made-up links to the console, and of one count of failures', async () => {
  const { accounts, console, rateLimits } = recorded.repository
  const ids = Array.from({ length: 200 }, nextId)
  const asked = ids.map((id) => accounts.exists(id))
  const links = ids.map((id) => console.takeLink(id, Date.now()))
  const counts = ids.map(() => rateLimits.find(ids[0] ?? '', 'console:x', Date.now(), 1_000))
  expect(new Set(await Promise.all([...asked, ...links]))).toEqual(new Set([false]))
  expect(new Set(await Promise.all(counts))).toEqual(new Set([undefined]))
  expect(recorded.take().length).toBeLessThanOrEqual(12)
})

test("so do those of guards, of made-up users' tokens that name made-up accounts", async () => {
  const { repository } = recorded
  const clientele = await createClientele({
    repository,
    secrets: ['a secret of the tests, 32 characters'],
  })
  const encode = (part: object) => Buffer.from(JSON.stringify(part)).toString('base64url')
  const header = encode({ alg: 'EdDSA', typ: 'at+jwt', kid: 'made up' })
  const tokens = Array.from({ length: 200 }, (_, number) => {
    const aud = nextId()
    if (number % 2 === 0) return createAccountSecret('cut', 'live', aud)
    return `${header}.${encode({ aud, sub: aud, sid: aud })}.c2lnbmF0dXJl`
  })
  recorded.take()
  const answers = await Promise.all(
    tokens.map((token) => {
      const authorization = `Bearer ${token}`
      return clientele.guard({
        headers: { authorization },
        rawHeaders: ['authorization', authorization],
      })
    }),
  )
  const bodies = answers.map((answer) => ('response' in answer ? answer.response.body : ''))
  expect(bodies.filter((body) => body?.includes('token_unknown_key'))).toHaveLength(200)
  expect(recorded.take().length).toBeLessThanOrEqual(4)
  await clientele.close()
})

test('an account or a link that is stored is found among them', async () => {
  const { accounts, console } = recorded.repository
  const [id = '', ...others] = Array.from({ length: 100 }, nextId)
  await accounts.create(id, accountValues({ name: 'Acme' }), Date.now())
  await console.addLink(id, Date.now() + 60_000)
  const found = await Promise.all([id, ...others].map((each) => accounts.exists(each)))
  expect(found.filter(Boolean)).toHaveLength(1)
  expect(found[0]).toBe(true)
  const taken = await Promise.all(
    [id, id, ...others].map((each) => console.takeLink(each, Date.now())),
  )
  expect(taken.filter(Boolean)).toHaveLength(1)
})
