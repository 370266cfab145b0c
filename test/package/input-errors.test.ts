import { createClientele } from '@clientele/core'
import { sqlite } from '@clientele/core/sqlite'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { cheapHashing, LogRecorder, send } from '../keys/open-clientele.ts'

let clientele: Awaited<ReturnType<typeof createClientele>>
let accountId: string

beforeAll(async () => {
  clientele = await createClientele({
    repository: sqlite({ filename: ':memory:' }),
    secrets: ['a secret of the tests, 32 characters'],
    passwords: { hashing: cheapHashing },
    logger: new LogRecorder(),
  })
  accountId = (await clientele.accounts.create({ name: 'Acme' })).id
})
afterAll(() => clientele.close())

const wrong = { name: 'A', email: 'hunter2', password: 'short' }
const rules =
  '/email must be an e-mail address; /name must have at least 2 characters; ' +
  '/password must have at least 6 characters'

test('an error in process lists its issues in its message, and no value', async () => {
  const error = await clientele.users.create(accountId, wrong).catch((fault: unknown) => fault)
  expect(String(error)).toBe(`ClienteleError: The input is not valid: ${rules}.`)
  expect(error).toMatchObject({ issues: [{}, {}, {}] })
})

test('a message names ten broken rules and counts the rest', async () => {
  const roles = Array.from({ length: 40 }, () => '')
  const input = { ...wrong, roles }
  const error = await clientele.users.create(accountId, input).catch((fault: unknown) => fault)
  const message = String(error)
  expect(message.split('; ')).toHaveLength(11)
  expect(message).toMatch(/; and \d+ more\.$/)
})

test('a forgotten account and a token with Bearer are named as such', async () => {
  const create = Reflect.apply(clientele.users.create, undefined, [wrong])
  await expect(create).rejects.toThrow(
    "The input is not valid: /call must be the id of an account: it is the first argument, before the method's own.",
  )
  for (const token of ['Bearer xx', 'bearer cut_live_x']) {
    const advice = { code: 'token_malformed', message: 'Send the token alone, without Bearer.' }
    await expect(clientele.auth.validateToken(accountId, token)).rejects.toMatchObject(advice)
    await expect(clientele.auth.exchangeToken(accountId, token)).rejects.toMatchObject(advice)
  }
})

test('over HTTP the message refers to errors', async () => {
  const { apiKey: key } = await clientele.apiKeys.create(accountId)
  const { status, body } = await send(clientele, 'POST', '/client/user', { key, body: wrong })
  expect(status).toBe(422)
  expect(body.detail).toBe(
    'The input is not valid: each entry of errors names a field and what is wrong with it.',
  )
  expect(body.errors).toHaveLength(3)
  expect(JSON.stringify(body)).not.toContain('issues')
})
