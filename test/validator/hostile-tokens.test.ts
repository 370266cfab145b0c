import { generateKeyPairSync, type KeyObject, randomUUID, sign } from 'node:crypto'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { createValidator, type Validator, type ValidatorOptions } from '@clientele/validator'
import { afterEach, expect, test, vi } from 'vitest'

const accountId = '019dfae2-6a4d-7c3e-9b1f-2f4a5c6d7e8f'
const issuer = `urn:clientele:account:${accountId}`
const stolen = generateKeyPairSync('ec', { namedCurve: 'P-256' })
const stolenJwk = { ...stolen.publicKey.export({ format: 'jwk' }), kid: 'stolen', alg: 'ES256' }

/** What a server in the place of Clientele answers */
interface Answers {
  keys: { status: number; keys: object[] }
  /** Entries of the feed that have not been sent yet */
  revocations: object[]
  isFeedDown: boolean
  validation: { status: number; body: unknown }
}

const endings: (() => Promise<unknown>)[] = []
afterEach(async () => {
  vi.useRealTimers()
  for (const end of endings.splice(0).reverse()) await end()
})

async function open(
  options: Partial<ValidatorOptions> = {},
): Promise<{ validator: Validator; answers: Answers }> {
  const answers: Answers = {
    keys: { status: 200, keys: [stolenJwk] },
    revocations: [],
    isFeedDown: false,
    validation: { status: 200, body: {} },
  }
  let cursor = 0
  const server = createServer((request, response) => {
    const path = request.url ?? ''
    const answer = (body: unknown, status = 200) =>
      response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body))
    if (path.includes('jwks')) return answer({ keys: answers.keys.keys }, answers.keys.status)
    if (path.includes('validation-token'))
      return answer(answers.validation.body, answers.validation.status)
    if (!path.includes('revocation')) return answer({ active: false })
    if (answers.isFeedDown) return answer({}, 503)
    const data = answers.revocations.splice(0)
    return answer({ data, next_cursor: String(++cursor), has_more: false })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  endings.push(() => new Promise((resolve) => server.close(resolve)))
  const { port } = server.address() as AddressInfo // it listens on a port
  const baseUrl = `http://127.0.0.1:${port}`
  const settings = { issuer, apiKey: 'cu_live_x', baseUrl, maxStalenessSeconds: 1 }
  const validator = await createValidator({ ...settings, onStale: 'reject', ...options })
  endings.push(() => validator.close())
  return { validator, answers }
}

const encode = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url')

/** A token as the thief of the key signs it. */
function signToken(
  header: object,
  key: KeyObject = stolen.privateKey,
  others: object = {},
): string {
  const iat = Math.floor(Date.now() / 1000)
  const claims = { iss: issuer, aud: accountId, client_id: accountId, sub: randomUUID() }
  const signIn = { sid: randomUUID(), amr: ['pwd'], auth_time: iat }
  const ids = { iat, exp: iat + 7000, jti: randomUUID(), ...signIn }
  const text = `${encode({ alg: 'ES256', typ: 'at+jwt', ...header })}.${encode({ ...claims, ...ids, ...others })}`
  const signature = sign('sha256', Buffer.from(text), { key, dsaEncoding: 'ieee-p1363' })
  return `${text}.${signature.toString('base64url')}`
}

/** The signature in another text with the same bytes: of its last character, four bits belong to no byte. */
function nextCharacter(token: string): string {
  const last = { A: 'B', Q: 'R', g: 'h', w: 'x' }[token.slice(-1)]
  return `${token.slice(0, -1)}${last}`
}

const codeOf = (validator: Validator, token: string) =>
  validator.validate(token).then(
    () => 'valid',
    (error: { code: unknown }) => error.code,
  )

test.each([
  ['a blank at the end', (token: string) => `${token} `],
  ['a line break in the signature', (token: string) => `${token.slice(0, -4)}\n${token.slice(-4)}`],
  ['padding', (token: string) => `${token}=`],
  ['a last character of other spare bits', nextCharacter],
  ['a character too many', (token: string) => `${token}AAA`],
  ['an exclamation mark', (token: string) => token.replace(/\.(?=[^.]*$)/, '.!')],
])('a token with %s is malformed, as at Clientele', async (_, change) => {
  const { validator } = await open()
  const token = signToken({ kid: 'stolen' })
  expect(await codeOf(validator, token)).toBe('valid')
  expect(await codeOf(validator, change(token))).toBe('token_malformed')
})

test.each([
  ['a type that is a number', { typ: 5 }, {}],
  ['a list of types', { typ: ['at+jwt'] }, {}],
  ['a list of issuers', {}, { iss: [issuer] }],
  ['a scope that is a list', {}, { scope: ['notes:read'] }],
])('a token with %s is refused by a code', async (_, header, claims) => {
  const { validator } = await open()
  const token = signToken({ kid: 'stolen', ...header }, stolen.privateKey, claims)
  expect(await codeOf(validator, token)).toBe('token_claims_invalid')
})

const removal = () => ({ type: 'signing_key', kid: 'stolen', at: new Date().toISOString() })

test.each([
  ['no key', {}],
  ['a key with an empty id', { kid: '' }],
  ['a key by a number', { kid: 7 }],
  ['a key by null', { kid: null }],
  ['a key by a list', { kid: ['stolen'] }],
])('a token that names %s is refused, though the only key verifies it', async (_, header) => {
  const { validator, answers } = await open()
  expect(await codeOf(validator, signToken({ kid: 'stolen' }))).toBe('valid')
  expect(await codeOf(validator, signToken(header))).toBe('token_unknown_key')
  answers.revocations.push(removal())
  await expect.poll(() => codeOf(validator, signToken({ kid: 'stolen' }))).toBe('token_revoked')
  expect(await codeOf(validator, signToken(header))).toBe('token_unknown_key')
})

test('a key without an id in the set verifies no token', async () => {
  const { validator, answers } = await open()
  const { kid: _, ...unnamed } = stolenJwk
  answers.keys.keys = [unnamed]
  vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 11 * 60_000 })
  expect(await codeOf(validator, signToken({}))).toBe('token_unknown_key')
  expect(await codeOf(validator, signToken({ kid: 'stolen' }))).toBe('token_unknown_key')
})

test('a removed key stays removed after a token lifetime, while the key set cannot be read', async () => {
  const { validator, answers } = await open()
  answers.keys.status = 503
  answers.revocations.push(removal())
  await expect.poll(() => codeOf(validator, signToken({ kid: 'stolen' }))).toBe('token_revoked')
  vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 4 * 3600_000 })
  const session = { type: 'session', session_id: randomUUID(), at: new Date().toISOString() }
  answers.revocations.push(session)
  await expect.poll(() => answers.revocations.length).toBe(0)
  // The next page was asked for when this one had been read.
  answers.revocations.push(session)
  await expect.poll(() => answers.revocations.length).toBe(0)
  expect(await codeOf(validator, signToken({ kid: 'stolen' }))).toBe('token_revoked')
})

test.each([
  [200, {}],
  [200, { isValid: false, code: 'token_revoked' }],
  [200, { isValid: 'true' }],
  [200, null],
  [200, 'ok'],
  [201, { isValid: true }],
  [503, { code: 'storage_unavailable' }],
])('while the feed is down, %s with %j is no validation', async (status, body) => {
  const { validator, answers } = await open({ onStale: 'remote' })
  answers.isFeedDown = true
  answers.validation = { status, body }
  const refused = () => codeOf(validator, signToken({ kid: 'stolen' }))
  await expect.poll(refused, { timeout: 10_000 }).toBe('validator_unavailable')
  answers.validation = { status: 200, body: { isValid: true, success_code: 200 } }
  expect(await refused()).toBe('valid')
  answers.validation = { status: 401, body: { isValid: false, code: 'token_revoked' } }
  expect(await refused()).toBe('token_revoked')
})

test('the claims of a token are frozen: later calls with the same token share them', async () => {
  const { validator } = await open()
  const token = signToken({ kid: 'stolen' }, stolen.privateKey, { act: { sub: 'support' } })
  const { claims } = await validator.validate(token)
  const { amr, act = {} } = claims
  for (const write of [
    () => Object.assign(amr, ['otp']),
    () => Object.assign(act, { sub: 'nobody' }),
    () => Object.assign(claims, { tenant: 'owner' }),
  ])
    expect(write).toThrow(TypeError)
  expect((await validator.validate(token)).claims).toBe(claims)
})

test('a sign-in of the future is not recent', async () => {
  const { validator } = await open()
  const at = Math.floor(Date.now() / 1000)
  const sign = (auth_time: number) => signToken({ kid: 'stolen' }, stolen.privateKey, { auth_time })
  await validator.validate(sign(at), { maxAge: 300 })
  const code = 'reauthentication_required'
  await expect(validator.validate(sign(at + 60), { maxAge: 300 })).rejects.toMatchObject({ code })
})

test.each([
  [
    'throws',
    () => {
      throw new Error('broken')
    },
  ],
  ['rejects', () => Promise.reject(new Error('broken'))],
])('an onError that %s is a warning, and the feed is read on', async (_, onError) => {
  const warn = vi.spyOn(process, 'emitWarning').mockImplementation(() => {})
  const { validator, answers } = await open({ onError })
  answers.isFeedDown = true
  await expect.poll(() => warn.mock.calls.length).toBeGreaterThan(1)
  expect(warn.mock.calls[0]).toEqual([
    expect.stringMatching(/^onError of createValidator fails: Error: broken\n/),
    { code: 'CLIENTELE_VALIDATOR_ON_ERROR' },
  ])
  warn.mockRestore()
  answers.isFeedDown = false
  answers.revocations.push(removal())
  await expect.poll(() => codeOf(validator, signToken({ kid: 'stolen' }))).toBe('token_revoked')
})

test('no cache is asked, also not one of a fetch that a framework has replaced', async () => {
  const asked: [path: string, cache: unknown][] = []
  const { fetch } = globalThis
  const spy = vi.spyOn(globalThis, 'fetch').mockImplementation((url, init) => {
    asked.push([new URL(String(url)).pathname, Object(init).cache])
    return fetch(url, init)
  })
  const { validator } = await open()
  await validator.validate(signToken({ kid: 'stolen' }))
  spy.mockRestore()
  expect(asked.map(([path]) => path)).toContainEqual(expect.stringContaining('jwks'))
  for (const call of asked) expect(call).toEqual([call[0], 'no-store'])
})
