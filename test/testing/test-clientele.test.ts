import { createTestClientele } from '@clientele/core/testing'
import { afterEach, expect, onTestFinished, test } from 'vitest'
import { codeOf, LogRecorder } from '../keys/open-clientele.ts'

const hour = 3600 * 1000

async function open(options: Parameters<typeof createTestClientele>[0] = {}) {
  const world = await createTestClientele({ logger: new LogRecorder(), ...options })
  onTestFinished(world.close)
  const { account, apiKey } = await world.createAccount()
  return { ...world, accountId: account.id, apiKey }
}

test('it has an account, a key with every scope, a user, and a valid token', async () => {
  const { clientele, accountId, apiKey, createUser, tokenFor } = await open()
  expect(apiKey).toMatch(/^cu_test_/)
  const { scopes } = await clientele.apiKeys.authenticate(apiKey)
  expect(scopes).toContain('users:write')
  expect(scopes).toContain('webhooks:write')
  const { user, password, version } = await createUser(accountId, { roles: ['admin'] })
  expect([user.roles, version]).toEqual([['admin'], 1])
  const token = await tokenFor(user)
  expect(await clientele.auth.validateToken(accountId, token)).toMatchObject({ user })
  expect(await clientele.auth.logIn(accountId, { email: user.email, password })).toMatchObject({
    user,
  })
})

test('users without given members differ', async () => {
  const { accountId, createUser } = await open()
  const [one, other] = [await createUser(accountId), await createUser(accountId)]
  expect(one.user.email).not.toBe(other.user.email)
})

test('a token can be made for a user of any account, but not for an inactive user', async () => {
  const { clientele, createAccount, createUser, tokenFor } = await open()
  const { account } = await createAccount({ name: 'Other' })
  const { user } = await createUser(account.id)
  const token = await tokenFor({ id: user.id })
  expect(await clientele.auth.validateToken(account.id, token)).toMatchObject({ user })
  await clientele.users.deactivate(account.id, user.id)
  expect(await codeOf(tokenFor(user))).toBe('credentials_invalid')
  await clientele.users.delete(account.id, user.id)
  expect(await codeOf(tokenFor(user))).toBe('user_not_found')
})

test('an id in place of a user, and an account in place of its id, are named', async () => {
  const { accountId, createAccount, createUser, tokenFor } = await open()
  const { user } = await createUser(accountId)
  const made: unknown = await createAccount()
  await expect(Reflect.apply(tokenFor, undefined, [user.id])).rejects.toThrow(/tokenFor\(user\)/)
  await expect(Reflect.apply(createUser, undefined, [made])).rejects.toThrow(
    /^createUser takes the id of an account/,
  )
})

test('the clock stands until it is moved; tokens and sessions expire by it', async () => {
  const { clientele, accountId, clock, createUser, tokenFor } = await open()
  const { user, password } = await createUser(accountId)
  expect(user.createdAt.getTime()).toBe(clock.now())
  const token = await tokenFor(user)
  const session = await clientele.auth.logIn(accountId, { email: user.email, password })
  const refreshToken = 'refreshToken' in session ? session.refreshToken : ''
  const validate = () => codeOf(clientele.auth.validateToken(accountId, token))
  clock.advance(2 * hour - 1000)
  expect(await validate()).toBeUndefined()
  clock.advance(1000)
  expect(await validate()).toBe('token_expired')
  clock.advance(31 * 24 * hour)
  expect(await clientele.sessions.list(accountId, user.id)).toEqual([])
  expect(await codeOf(clientele.auth.refresh(accountId, { refreshToken }))).toBe(
    'refresh_token_invalid',
  )
})

test('e-mail tokens, API keys and limits expire by it', async () => {
  const { clientele, accountId, clock, mails, createUser } = await open()
  const { user, password } = await createUser(accountId)
  const { email } = user
  await clientele.auth.forgotPassword(accountId, { email })
  const { secret, expiresInSeconds } = await mails.last(email)
  const expiresAt = new Date(clock.now() + 1000)
  const { apiKey } = await clientele.apiKeys.create(accountId, { name: 'short', expiresAt })
  const logIn = (given: string) =>
    codeOf(clientele.auth.logIn(accountId, { email, password: given }))
  for (let count = 0; count < 10; count++) await logIn('wrong')
  expect(await logIn(password)).toBe('rate_limited')
  clock.advance(expiresInSeconds * 1000)
  expect(await logIn(password)).toBeUndefined()
  const reset = clientele.auth.resetPassword(accountId, { token: secret, password: 'another' })
  expect(await codeOf(reset)).toBe('reset_token_invalid')
  expect(await codeOf(clientele.apiKeys.authenticate(apiKey))).toBe('api_key_invalid')
})

test('the clock advances by whole milliseconds only, and not back', async () => {
  const { clock } = await open()
  const before = clock.now()
  for (const wrong of [-1, 0.5, Number.NaN, Number.POSITIVE_INFINITY])
    expect(() => clock.advance(wrong)).toThrow(RangeError)
  expect(clock.now()).toBe(before)
})

test("a host's own clock can be advanced", async () => {
  const { clock, accountId, createUser } = await open({ clock: () => 1_900_000_000_000 })
  clock.advance(5)
  const { user } = await createUser(accountId)
  expect([clock.now(), user.createdAt.getTime()]).toEqual([1_900_000_000_005, 1_900_000_000_005])
})

test('mails are caught, by address, the newest last, and go on to a sendMail of the host', async () => {
  const sent: string[] = []
  const { clientele, accountId, mails, createUser } = await open({
    sendMail: async ({ kind }) => void sent.push(kind),
  })
  const [one, other] = [await createUser(accountId), await createUser(accountId)]
  const { email } = one.user
  await clientele.auth.forgotPassword(accountId, { email })
  expect(await mails.last(email)).toMatchObject({ to: email, kind: 'password_reset', accountId })
  await clientele.auth.requestEmailVerification(accountId, { email })
  await clientele.auth.forgotPassword(accountId, { email: other.user.email })
  const mail = await mails.last(email)
  expect(mail.kind).toBe('email_verification')
  await clientele.auth.verifyEmail(accountId, { token: mail.secret })
  const kinds = (await mails.list(email)).map(({ kind }) => kind)
  expect(kinds).toEqual(['password_reset', 'email_verification'])
  expect(await mails.list()).toHaveLength(3)
  expect(sent).toHaveLength(3)
  await expect(mails.last('nobody@example.com')).rejects.toThrow('No mail was sent to nobody@')
})

test('two instances share nothing, and each closes with its block', async () => {
  const first = await open()
  let inner: Awaited<ReturnType<typeof createTestClientele>>
  {
    await using second = await createTestClientele()
    inner = second
    expect(await second.clientele.accounts.list()).toEqual([])
  }
  expect(await codeOf(inner.clientele.accounts.list())).toBe('storage_unavailable')
  expect(await first.clientele.accounts.list()).toHaveLength(1)
})

test('options are those of createClientele; an unknown one and a repository are refused by name', async () => {
  const { clientele, accountId, createUser, tokenFor } = await open({
    publicUrl: 'https://api.example.com',
  })
  const { user } = await createUser(accountId)
  const token = await tokenFor(user)
  const { claims } = await clientele.auth.validateToken(accountId, token)
  expect(claims.iss).toBe(`https://api.example.com/client/account/${accountId}`)
  const wrong: object[] = [{ tokenTtl: 5 }, { repository: {} }]
  for (const options of wrong) {
    const refused = createTestClientele(options)
    await expect(refused).rejects.toThrow(Object.keys(options)[0])
    expect(await codeOf(refused)).toBe('configuration_invalid')
  }
})

const environment = process.env.NODE_ENV
afterEach(() => {
  process.env.NODE_ENV = environment
})
test('createTestClientele refuses to run in production', async () => {
  process.env.NODE_ENV = 'production'
  await expect(createTestClientele()).rejects.toThrow('NODE_ENV is production')
})
