import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { type Clientele, createGuard, type SignedIn } from '@clientele/core'
import { type ClienteleListener, clienteleListener } from '@clientele/core/node'
import { createValidator, type Validator, type ValidatorOptions } from '@clientele/validator'
import { decodeJwt } from 'jose'
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from 'vitest'
import { openClientele } from '../keys/open-clientele.ts'
import { anyDatabase, type OpenDatabase } from '../support/databases.ts'
import { logIn } from '../support/log-in.ts'

const email = 'ada@example.com'
const password = 'correct horse'

/** The code with which a promise is rejected; undefined when it is not. */
async function codeOf(promise: Promise<unknown>): Promise<unknown> {
  return promise.then(
    () => undefined,
    (error: { code?: unknown }) => error.code ?? error,
  )
}

function listen(server: Server, port: number): Promise<number> {
  return new Promise((resolve) => {
    server.listen(port, '127.0.0.1', () => {
      const { port: given } = server.address() as AddressInfo // it listens on a port
      resolve(given)
    })
  })
}

describe.each(anyDatabase)('a validator beside $name', ({ open }) => {
  let database: OpenDatabase
  let clientele: Clientele
  let listener: ClienteleListener
  let server: Server
  let port: number
  let origin: string
  /** Paths that were asked for */
  const asked: string[] = []
  /** What is answered in place of the feed, if anything is: to all, or by `Authorization` */
  let feedStatus: number | undefined
  const feedStatuses = new Map<string | undefined, number>()
  /** Who asked for the feed from its beginning: their `Authorization` */
  const beginners: unknown[] = []
  const opened: Validator[] = []

  function createHost(): Server {
    return createServer((request, response) => {
      const path = request.url ?? ''
      asked.push(path)
      if (path.includes('/auth/revocation')) {
        const { authorization } = request.headers
        if (!path.includes('after=')) beginners.push(authorization)
        const status = feedStatuses.get(authorization) ?? feedStatus
        if (status !== undefined) return void response.writeHead(status).end('{}')
      }
      listener(request, response)
    })
  }
  async function stop(): Promise<void> {
    const closed = new Promise((resolve) => server.close(resolve))
    server.closeAllConnections()
    await closed
  }

  beforeAll(async () => {
    database = await open()
    server = createHost()
    port = await listen(server, 0)
    origin = `http://127.0.0.1:${port}/api/v1`
    clientele = await openClientele(database.url, { publicUrl: origin })
    listener = clienteleListener(clientele, { prefix: '/api/v1' })
  })
  afterEach(async () => {
    feedStatus = undefined
    feedStatuses.clear()
    await Promise.all(opened.splice(0).map((validator) => validator.close()))
  })
  afterAll(async () => {
    await stop()
    await clientele.close()
    await database.close()
  })

  async function signIn() {
    const accountId = (await clientele.accounts.create({ name: 'Acme' })).id
    const { user } = await clientele.users.create(accountId, { name: 'Ada', email, password })
    const { apiKey } = await clientele.apiKeys.create(accountId, { scopes: ['tokens:validate'] })
    const session = await logIn(clientele, accountId, { email, password })
    return { accountId, userId: user.id, apiKey, session, token: session.token }
  }
  async function follow(
    { accountId, apiKey }: { accountId: string; apiKey: string },
    more: Partial<ValidatorOptions> = {},
  ): Promise<Validator> {
    const issuer = `${origin}/client/account/${accountId}`
    const validator = await createValidator({ issuer, apiKey, ...more })
    opened.push(validator)
    return validator
  }
  const isRefused = (validator: Validator, { token }: Pick<SignedIn, 'token'>) =>
    expect.poll(() => codeOf(validator.validate(token)), { timeout: 10_000 })

  test("another account's API key makes no validator", async () => {
    const { accountId } = await signIn()
    const { apiKey } = await signIn()
    await expect(follow({ accountId, apiKey: 'cu_live_x' })).rejects.toThrow(TypeError)
    for (const onStale of ['reject', 'remote'] as const)
      await expect(follow({ accountId, apiKey }, { onStale })).rejects.toThrow(
        new TypeError(`apiKey is not valid, or not a key of the account ${accountId}.`),
      )
  })

  test('a misspelt option is refused', async () => {
    const options = { issuer: 'urn:x', apiKey: 'cu_live_x', onStail: 'reject' }
    await expect(createValidator(options)).rejects.toThrow(
      /^onStail is not known. Known names: issuer, /,
    )
    const misspelt: unknown = { isuer: 'urn:x', apiKey: 'cu_live_x' }
    await expect(Reflect.apply(createValidator, undefined, [misspelt])).rejects.toThrow(
      /^isuer is not known, and issuer is missing. Known names: issuer, /,
    )
  })

  test('validates a token by discovery, and the next one without a request', async () => {
    const signed = await signIn()
    const validator = await follow(signed, { onStale: 'reject' })
    const { user, claims } = await validator.validate(signed.token)
    expect(user).toEqual({ id: signed.userId })
    expect(claims).toEqual(decodeJwt(signed.token))
    asked.length = 0
    for (let count = 0; count < 100; count++) await validator.validate(signed.token)
    expect(asked.filter((path) => !path.includes('/auth/revocation'))).toEqual([])
    expect(validator.stalenessSeconds).toBeLessThan(10)
  })

  test('accepts the first token of an account at once, though its key set was empty before', async () => {
    const accountId = (await clientele.accounts.create({ name: 'New' })).id
    const { user } = await clientele.users.create(accountId, { name: 'Ada', email, password })
    const { apiKey } = await clientele.apiKeys.create(accountId, { scopes: ['tokens:validate'] })
    const validator = await follow({ accountId, apiKey })
    const { token } = await logIn(clientele, accountId, { email, password })
    expect((await validator.validate(token)).user).toEqual({ id: user.id })
  })

  test('refuses tokens that are not of this account, by their codes', async () => {
    const signed = await signIn()
    const other = await signIn()
    const validator = await follow(signed)
    const [head = '', payload = '', signature = ''] = signed.token.split('.')
    expect(await codeOf(validator.validate('x'))).toBe('token_malformed')
    expect(await codeOf(validator.validate(`Bearer ${signed.token}`))).toBe('token_malformed')
    for (const [sent, text] of [
      [`Bearer ${signed.token}`, 'well-formed JWT. Send the token alone, without Bearer.'],
      [signed.apiKey, "well-formed JWT. It is an API key: send a user's token, a JWT."],
      ['cut_live_x', 'Exchange it for a JWT at auth/token/exchange.'],
    ] as const)
      await expect(validator.validate(sent)).rejects.toThrow(text)
    const flipped = `${signature.startsWith('A') ? 'B' : 'A'}${signature.slice(1)}`
    expect(await codeOf(validator.validate([head, payload, flipped].join('.')))).toBe(
      'token_signature_invalid',
    )
    expect(await codeOf(validator.validate(other.token))).toBe('token_unknown_key')
    // One that lives longer than what is remembered of revocations
    const brief = await follow(signed, { tokenTtlSeconds: 60 })
    expect(await codeOf(brief.validate(signed.token))).toBe('token_claims_invalid')
  })

  test('learns of a logout, a new password and a deactivation', async () => {
    const signed = await signIn()
    const { accountId, userId, session } = signed
    const validator = await follow(signed, { onStale: 'reject' })
    const second = await logIn(clientele, accountId, { email, password })
    const kept = await logIn(clientele, accountId, { email, password })
    for (const each of [session, second, kept]) await validator.validate(each.token)
    await clientele.auth.logOut(accountId, { refreshToken: session.refreshToken })
    await isRefused(validator, session).toBe('token_revoked')
    expect(await codeOf(validator.validate(second.token))).toBeUndefined()
    const keepSessionId = String(decodeJwt(kept.token).sid)
    const change = { password: 'new password' }
    await clientele.users.patch(accountId, userId, change, { keepSessionId })
    // Within the same second
    const later = await logIn(clientele, accountId, { email, password: 'new password' })
    await isRefused(validator, second).toBe('token_revoked')
    expect(await codeOf(validator.validate(kept.token))).toBeUndefined()
    expect(await codeOf(validator.validate(later.token))).toBeUndefined()
    await clientele.users.deactivate(accountId, userId)
    await isRefused(validator, later).toBe('token_revoked')
    await isRefused(validator, kept).toBe('token_revoked')
  })

  test('refuses a token that was refreshed before a change with an earlier time', async () => {
    const signed = await signIn()
    const { accountId, userId } = signed
    let lagSeconds = 60
    const clock = () => Date.now() - lagSeconds * 1000
    const late = await openClientele(database.url, { publicUrl: origin, clock })
    const first = await logIn(late, accountId, { email, password })
    const kept = await logIn(late, accountId, { email, password })
    const refresh = ({ refreshToken }: SignedIn) =>
      clientele.auth.refresh(accountId, { refreshToken })
    const refreshed = [await refresh(first), await refresh(kept)] as const
    const validator = await follow(signed, { onStale: 'reject' })
    for (const each of refreshed) await validator.validate(each.token)
    // After the sign-ins, and before the refreshes
    lagSeconds = 30
    const keepSessionId = String(decodeJwt(kept.token).sid)
    await late.users.patch(accountId, userId, { password: 'new password' }, { keepSessionId })
    await late.close()
    await isRefused(validator, refreshed[0]).toBe('token_revoked')
    expect(await codeOf(validator.validate(refreshed[1].token))).toBeUndefined()
    const [result] = await clientele.auth.validateTokens(accountId, [refreshed[0].token])
    expect(result?.isValid).toBe(false)
  })

  test('learns of a removed signing key, and finds the next one', async () => {
    const signed = await signIn()
    const { accountId, session } = signed
    const validator = await follow(signed)
    await validator.validate(session.token)
    const [old] = await clientele.signingKeys.list(accountId)
    await clientele.signingKeys.rotate(accountId, { now: true })
    await clientele.signingKeys.remove(accountId, old?.id ?? '')
    await isRefused(validator, session).toBe('token_revoked')
    const next = await logIn(clientele, accountId, { email, password })
    // The key set is asked again a few seconds after it was read.
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 5_000 })
    try {
      await isRefused(validator, next).toBeUndefined()
    } finally {
      vi.useRealTimers()
    }
  })

  test('knows revocations that are older than itself', async () => {
    const signed = await signIn()
    const { accountId, session } = signed
    await clientele.auth.logOut(accountId, { refreshToken: session.refreshToken })
    const validator = await follow(signed, { onStale: 'reject' })
    expect(await codeOf(validator.validate(session.token))).toBe('token_revoked')
  })

  test.each([1, 1.9])(
    'pauses between requests that do not wait: stale after %s s',
    async (seconds) => {
      const signed = await signIn()
      const validator = await follow(signed, { maxStalenessSeconds: seconds })
      await validator.validate(signed.token)
      asked.length = 0
      const startedAt = performance.now()
      await expect.poll(() => asked.length, { timeout: 10_000 }).toBeGreaterThan(10)
      const count = asked.length
      // A timer ends late, and at most a millisecond early.
      expect(performance.now() - startedAt).toBeGreaterThan((count - 1) * 99)
    },
  )

  test('begins again when its cursor is answered with 410 or 422', async () => {
    const beginAgain = async (status: number): Promise<void> => {
      const signed = await signIn()
      const authorization = `Bearer ${signed.apiKey}`
      const validator = await follow(signed, { maxStalenessSeconds: 2, onStale: 'reject' })
      await validator.validate(signed.token)
      feedStatuses.set(authorization, status)
      await isRefused(validator, signed).toBe('validator_unavailable')
      const count = () => beginners.filter((each) => each === authorization).length
      const before = count()
      feedStatuses.delete(authorization)
      await isRefused(validator, signed).toBeUndefined()
      expect(count()).toBeGreaterThan(before)
    }
    await Promise.all([410, 422].map(beginAgain))
  })

  test('follows the option onStale while the feed does not answer', async () => {
    const signed = await signIn()
    const { accountId, session, token } = signed
    const stale = { maxStalenessSeconds: 1 }
    const rejecting = await follow(signed, { ...stale, onStale: 'reject' })
    const accepting = await follow(signed, { ...stale, onStale: 'accept' })
    const asking = await follow(signed, { ...stale, onStale: 'remote' })
    for (const each of [rejecting, accepting, asking]) await each.validate(token)
    feedStatus = 503
    await isRefused(rejecting, signed).toBe('validator_unavailable')
    expect(rejecting.stalenessSeconds).toBeGreaterThan(1)
    await clientele.auth.logOut(accountId, { refreshToken: session.refreshToken })
    expect(await codeOf(accepting.validate(token))).toBeUndefined()
    await isRefused(asking, signed).toBe('token_revoked')
    feedStatus = undefined
    await isRefused(rejecting, signed).toBe('token_revoked')
    await isRefused(accepting, signed).toBe('token_revoked')
  })

  test('survives a restart of the server', async () => {
    const signed = await signIn()
    const { accountId, session } = signed
    const validator = await follow(signed, { maxStalenessSeconds: 1, onStale: 'reject' })
    await validator.validate(session.token)
    await stop()
    await isRefused(validator, session).toBe('validator_unavailable')
    await clientele.auth.logOut(accountId, { refreshToken: session.refreshToken })
    server = createHost()
    await listen(server, port)
    await isRefused(validator, session).toBe('token_revoked')
  })

  test('reads keys and feed at another address of the same issuer', async () => {
    const signed = await signIn()
    const { accountId, apiKey } = signed
    const outside = await openClientele(database.url, { publicUrl: 'https://users.example.com' })
    const session = await logIn(outside, accountId, { email, password })
    await outside.close()
    const issuer = `https://users.example.com/client/account/${accountId}`
    const told: unknown[] = []
    const validator = await createValidator({
      issuer,
      apiKey,
      baseUrl: `${origin}/`,
      onStale: 'reject',
      onError: (error) => told.push(error),
    })
    opened.push(validator)
    expect(await codeOf(validator.validate(session.token))).toBeUndefined()
    for (const _ of [1, 2])
      await expect(validator.validate(signed.token)).rejects.toMatchObject({
        code: 'token_claims_invalid',
        message: expect.stringContaining(
          `Its issuer is ${origin}/client/account/${accountId}, and the validator's is ${issuer}.`,
        ),
      })
    expect(told.map(String)).toEqual([expect.stringContaining('A token is refused.')])
    await clientele.auth.logOut(accountId, { refreshToken: session.refreshToken })
    await isRefused(validator, session).toBe('token_revoked')
  })

  test('has the keys once it is created: a server that stops at once makes no token invalid', async () => {
    const signed = await signIn()
    const second = await logIn(clientele, signed.accountId, { email, password })
    const validator = await follow(signed, { onStale: 'reject', maxStalenessSeconds: 600 })
    await stop()
    try {
      for (const { token } of [signed, second]) await validator.validate(token)
    } finally {
      server = createHost()
      await listen(server, port)
    }
  })

  test('keys go on verifying if reading them again fails', async () => {
    const signed = await signIn()
    const told: unknown[] = []
    const onError = (error: unknown) => told.push(error)
    const validator = await follow(signed, { onStale: 'reject', maxStalenessSeconds: 600, onError })
    await stop()
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 11 * 60_000 })
    try {
      await validator.validate(signed.token)
    } finally {
      vi.useRealTimers()
      server = createHost()
      await listen(server, port)
    }
    expect(told.length).toBeGreaterThan(0)
  })

  test('waits for a server that starts later, but not forever', async () => {
    const signed = await signIn()
    await stop()
    const told: unknown[] = []
    const onError = (error: unknown) => told.push(error)
    const following = follow(signed, { onStale: 'reject', onError })
    await expect.poll(() => told.length, { timeout: 10_000 }).toBeGreaterThan(0)
    const givenUp = await codeOf(follow(signed, { startTimeoutSeconds: 1 }))
    server = createHost()
    await listen(server, port)
    expect(givenUp).toBe('validator_unavailable')
    // `fetch failed` alone names neither the address nor the reason.
    expect(String(told[0])).toMatch(/openid-configuration cannot be reached: ECONNREFUSED\.$/)
    expect(await codeOf((await following).validate(signed.token))).toBeUndefined()
  })

  test("a different spelling of Clientele's issuer is named at the start", async () => {
    const signed = await signIn()
    const local = `http://LOCALHOST:${port}/api/v1/client/account/${signed.accountId}`
    const other = createValidator({ issuer: local, apiKey: signed.apiKey })
    await expect(other).rejects.toThrow(TypeError)
    await expect(other).rejects.toThrow(`issuer is ${local}, and Clientele's is ${origin}/client`)
    const named = await openClientele(database.url, {
      publicUrl: `http://localhost:${port}/api/v1`,
    })
    const before = listener
    listener = clienteleListener(named, { prefix: '/api/v1' })
    const inCapitals = createValidator({ issuer: local, apiKey: signed.apiKey })
    await expect(inCapitals).rejects.toThrow('They differ in upper and lower case.')
    listener = before
    await named.close()
  })

  test.each([
    ['http://users.example.com', 'https://users.example.com', 'http and https'],
    ['https://Users.example.com', 'https://users.example.com', 'upper and lower case'],
  ])(
    'a token with a different spelling of the issuer is refused with the difference: %s',
    async (mine, theirs, ways) => {
      const { accountId, apiKey } = await signIn()
      const outside = await openClientele(database.url, { publicUrl: theirs })
      const { token } = await logIn(outside, accountId, { email, password })
      await outside.close()
      const issuer = `${mine}/client/account/${accountId}`
      const validator = await createValidator({ issuer, apiKey, baseUrl: origin })
      opened.push(validator)
      await expect(validator.validate(token)).rejects.toThrow(`They differ in ${ways}.`)
    },
  )

  test('a revoked API key makes it stale', async () => {
    const signed = await signIn()
    const errors: unknown[] = []
    const validator = await follow(signed, {
      onStale: 'reject',
      maxStalenessSeconds: 1,
      onError: (error) => errors.push(error),
    })
    for (const { id } of await clientele.apiKeys.list(signed.accountId))
      await clientele.apiKeys.revoke(signed.accountId, id)
    await expect.poll(() => codeOf(validator.validate(signed.token))).toBe('validator_unavailable')
    expect(String(errors[0])).toContain('answers with 401')
  })

  test('asks for a recent sign-in, by itself and for a guard', async () => {
    const signed = await signIn()
    const validator = await follow(signed)
    const { token } = signed
    const authorization = `Bearer ${token}`
    const request = { headers: { authorization }, rawHeaders: ['authorization', authorization] }
    const guard = createGuard(validator, { maxAge: 300 })
    const isAdmitted = async () => 'clientUserId' in (await guard(request))
    expect(await codeOf(validator.validate(token, { maxAge: 300, amr: ['pwd'] }))).toBeUndefined()
    expect(await isAdmitted()).toBe(true)
    const required = 'reauthentication_required'
    expect(await codeOf(validator.validate(token, { amr: ['otp', 'hwk'] }))).toBe(required)
    vi.spyOn(Date, 'now').mockReturnValue(Date.now() + 302_000)
    try {
      expect(await codeOf(validator.validate(token, { maxAge: 300 }))).toBe(required)
      expect(await isAdmitted()).toBe(false)
    } finally {
      vi.restoreAllMocks()
    }
    const wrong = { maxage: 300 } as object
    await expect(validator.validate(token, wrong)).rejects.toThrow('has no option maxage')
    for (const amr of [[], 'otp' as never])
      await expect(validator.validate(token, { amr })).rejects.toThrow(TypeError)
  })

  test('knows a person who acts as the user, and refuses the person where asked, a guard too', async () => {
    const signed = await signIn()
    const validator = await follow(signed)
    const { accountId, token: own } = signed
    const { user } = await clientele.auth.validateToken(accountId, own)
    const given = { actor: 'Support', reason: 'Ticket 4711' }
    const { token } = await clientele.auth.impersonate(accountId, user.id, given)
    const { claims } = await validator.validate(token)
    expect(claims).toMatchObject({ act: { sub: 'Support' }, amr: [] })
    const refuse = { impersonation: 'refuse' } as const
    expect(await codeOf(validator.validate(token, refuse))).toBe('impersonation_refused')
    expect(await codeOf(validator.validate(own, refuse))).toBeUndefined()
    for (const required of [{ maxAge: 1e12 }, { amr: ['pwd'] }])
      expect(await codeOf(validator.validate(token, required))).toBe('reauthentication_required')
    const authorization = `Bearer ${token}`
    const request = { headers: { authorization }, rawHeaders: ['authorization', authorization] }
    const guarded = await createGuard(validator, refuse)(request)
    expect('response' in guarded && guarded.response.status).toBe(403)
    expect('clientUserId' in (await createGuard(validator)(request))).toBe(true)
    const wrong = { impersonation: 'deny' } as object
    await expect(validator.validate(own, wrong)).rejects.toThrow('allow or refuse')
    await clientele.sessions.revoke(accountId, user.id, claims.sid)
    await expect.poll(() => codeOf(validator.validate(token))).toBe('token_revoked')
  })

  test("takes the JWT of a user's own token, and asks for its scopes, by itself and for a guard", async () => {
    const signed = await signIn()
    const { accountId, userId } = signed
    const script = { name: 'Script', scopes: ['deploy'] }
    const { token, id } = await clientele.userTokens.create(accountId, userId, script)
    const validator = await follow(signed)
    await expect(validator.validate(token)).rejects.toThrow('auth/token/exchange')
    expect(await codeOf(validator.validate(token))).toBe('token_malformed')
    const exchange = async () => (await clientele.auth.exchangeToken(accountId, token)).token
    const jwt = await exchange()
    const { user, claims } = await validator.validate(jwt, { scopes: ['deploy'] })
    expect([user.id, claims.scope]).toEqual([userId, 'deploy'])
    const lacking = 'scope_insufficient'
    expect(await codeOf(validator.validate(jwt, { scopes: ['deploy', 'read'] }))).toBe(lacking)
    expect(await codeOf(validator.validate(signed.token, { scopes: ['deploy'] }))).toBe(lacking)
    for (const required of [{ maxAge: 300 }, { amr: ['pwd'] }])
      expect(await codeOf(validator.validate(jwt, required))).toBe('reauthentication_required')
    const none = { ...script, scopes: [] }
    const { token: bare } = await clientele.userTokens.create(accountId, userId, none)
    const bareJwt = (await clientele.auth.exchangeToken(accountId, bare)).token
    for (const scopes of [[], [''], ['deploy', '']])
      await expect(validator.validate(bareJwt, { scopes })).rejects.toThrow(TypeError)
    const guard = createGuard(validator, { scopes: ['deploy'] })
    const ask = async (text: string) => {
      const authorization = `Bearer ${text}`
      const rawHeaders = ['authorization', authorization]
      const answer = await guard({ headers: { authorization }, rawHeaders })
      return 'response' in answer ? answer.response.status : answer.clientUserId
    }
    expect([await ask(jwt), await ask(signed.token)]).toEqual([userId, 403])
    // A new password ends this JWT. The token lives on, and is exchanged again.
    await clientele.users.patch(accountId, userId, { password: 'another one' })
    await isRefused(validator, { token: jwt }).toBe('token_revoked')
    const next = await exchange()
    expect(await codeOf(validator.validate(next))).toBeUndefined()
    await clientele.userTokens.revoke(accountId, userId, id)
    await isRefused(validator, { token: next }).toBe('token_revoked')
  })

  test("refuses the JWT of a user's own token that was exchanged while the token was ending", async () => {
    const { users } = clientele
    const ends: ((accountId: string, userId: string) => Promise<unknown>)[] = [
      (accountId, userId) => users.deactivate(accountId, userId),
      (accountId, userId) => users.delete(accountId, userId, {}),
      (accountId, userId) => users.patch(accountId, userId, { name: 'Ada B', isActive: false }),
      (accountId, userId) =>
        users.patch(accountId, userId, { password: 'another one' }, { revokeTokens: true }),
    ]
    // An exchange that has read the token before it ends, and signs after the time of the event.
    const clock = () => Date.now() + 2_000
    const later = await openClientele(database.url, { publicUrl: origin, clock })
    for (const end of ends) {
      const signed = await signIn()
      const { accountId, userId } = signed
      const { token } = await clientele.userTokens.create(accountId, userId, { name: 'Script' })
      const validator = await follow(signed)
      const jwt = await later.auth.exchangeToken(accountId, token)
      await validator.validate(jwt.token)
      await end(accountId, userId)
      await isRefused(validator, jwt).toBe('token_revoked')
    }
    await later.close()
  })

  test('closes cleanly while it waits', async () => {
    const signed = await signIn()
    const validator = await follow(signed, { maxStalenessSeconds: 50 })
    await validator.validate(signed.token)
    await validator.close()
    const count = asked.length
    await validator.close()
    expect(asked.length).toBe(count)
  })
})

test.each([
  [{ issuer: 'https://example.com' }, 'issuer must be'],
  [{ issuer: 'urn:clientele:account:019dfae2-6a4d-7c3e-9b1f-2f4a5c6d7e8f' }, 'baseUrl is needed'],
  [
    { baseUrl: 'http://user:secret@users.internal' },
    'baseUrl must be an http or https URL without user',
  ],
  [{ baseUrl: 'users.internal' }, 'baseUrl must be an http or https URL'],
  [{ onError: 'log' as unknown as () => void }, 'onError must be a function'],
  [{ apiKey: '' }, 'apiKey must be'],
  [{ maxStalenessSeconds: 0 }, 'maxStalenessSeconds must be'],
  [{ onStale: 'ignore' as never }, 'onStale must be'],
  [{ startTimeoutSeconds: 0 }, 'startTimeoutSeconds must be'],
  [
    { issuer: 'https://a.test/client/account/019dfae2-6a4d-7c3e-9b1f-2f4a5c6d7e8f/' },
    'without a slash at its end',
  ],
])('a wrong option is reported: %j', async (wrong, message) => {
  const issuer = 'https://a.test/client/account/019dfae2-6a4d-7c3e-9b1f-2f4a5c6d7e8f'
  const creating = createValidator({ issuer, apiKey: 'cu_live_x', ...wrong })
  await expect(creating).rejects.toThrow(message)
  await expect(creating).rejects.toThrow(TypeError)
})
