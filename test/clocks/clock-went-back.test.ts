import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { codeOf, openRepository, send } from '../keys/open-clientele.ts'
import { databases, type OpenDatabase } from '../support/databases.ts'
import { bySecret, iss, signBySecret } from '../support/issuer-world.ts'
import { logIn, toRefresh } from '../support/log-in.ts'
import { SignInWorld } from '../support/sign-in-world.ts'

// The clock was ahead for a while: by a day, or by a year. What was stored meanwhile has ends that are too late.
const day = 24 * 3_600_000
const jumps = [
  { name: 'a day', ms: 2 * day },
  { name: 'a year', ms: 400 * day },
]

describe.each(databases)('after the clock went back, on $name', ({ open }) => {
  let database: OpenDatabase
  const world = new SignInWorld(() => database.url)

  beforeAll(async () => {
    database = await open()
  })
  afterAll(() => database.close())

  /** Does something while the clock is ahead. */
  async function ahead<T>(ms: number, work: () => Promise<T>): Promise<T> {
    world.now += ms
    const result = await work()
    world.now -= ms
    return result
  }

  test.each([20, 31_000, 3_500_000])('by %s ms, a used code of an app is used', async (ms) => {
    const { clientele } = await world.start()
    const { accountId, user, credentials } = await world.addUser(clientele)
    const { generate } = await world.enrolTotp(clientele, accountId, user.id)
    // At the beginning of a step, and with an app that is a step ahead.
    world.now += 30_000 - (world.now % 30_000)
    const used = generate()
    const signIn = async (code: string) => {
      const challenge = await world.challengeOf(clientele, accountId, credentials)
      const answer = { challenge, method: 'totp', code } as const
      return codeOf(clientele.auth.completeMfa(accountId, answer))
    }
    expect(await signIn(used)).toBeUndefined()
    world.now += Math.max(60_000, ms)
    expect(await signIn(generate(30_000))).toBeUndefined()
    world.now -= ms
    if (ms < 60_000) expect(await signIn(used)).toBe('two_factor_code_invalid')
    expect(await signIn(generate(30_000))).toBe('two_factor_code_invalid')
  })

  describe.each(jumps)('by $name', ({ ms }) => {
    test('codes of an app sign in', async () => {
      const { clientele } = await world.start()
      const { accountId, user, credentials } = await world.addUser(clientele)
      const { generate } = await world.enrolTotp(clientele, accountId, user.id)
      const signIn = async () => {
        const challenge = await world.challengeOf(clientele, accountId, credentials)
        const answer = { challenge, method: 'totp', code: generate() } as const
        return codeOf(clientele.auth.completeMfa(accountId, answer))
      }
      expect(await ahead(ms, signIn)).toBeUndefined()
      expect(await signIn()).toBeUndefined()
      expect(await signIn()).toBe('two_factor_code_invalid')
    })

    test('failed sign-ins are forgotten', async () => {
      const { clientele } = await world.start()
      const { accountId, credentials } = await world.addUser(clientele)
      const fail = () => codeOf(logIn(clientele, accountId, { ...credentials, password: 'wrong' }))
      await ahead(ms, async () => {
        for (let tries = 0; tries < 10; tries++) await fail()
        expect(await fail()).toBe('rate_limited')
      })
      expect(await codeOf(logIn(clientele, accountId, credentials))).toBeUndefined()
      for (let tries = 0; tries < 10; tries++) await fail()
      const refused = logIn(clientele, accountId, credentials)
      await expect(refused).rejects.toMatchObject({ code: 'rate_limited', retryAfterSeconds: 900 })
    })

    test('a session and a token of that time do not live on', async () => {
      const { clientele } = await world.start()
      const { accountId, credentials } = await world.addUser(clientele)
      const signedIn = await ahead(ms, async () => {
        const opened = await logIn(clientele, accountId, credentials)
        // Its signature is remembered.
        await clientele.auth.validateToken(accountId, opened.token)
        return opened
      })
      const { token } = signedIn
      const check = () => codeOf(clientele.auth.validateToken(accountId, token))
      expect(await check()).toBe('token_not_yet_valid')
      const refresh = clientele.auth.refresh(accountId, toRefresh(signedIn))
      expect(await codeOf(refresh)).toBe('refresh_token_invalid')
      const again = await logIn(clientele, accountId, credentials)
      expect(await codeOf(clientele.auth.refresh(accountId, toRefresh(again)))).toBeUndefined()
    })

    test('a mailed token and a challenge of that time are over', async () => {
      const { clientele, mailed } = await world.start()
      const { accountId, user, credentials } = await world.addUser(clientele)
      const { generate } = await world.enrolTotp(clientele, accountId, user.id)
      const { email } = credentials
      const [token, challenge] = await ahead(ms, async () => {
        await clientele.auth.forgotPassword(accountId, { email })
        const sent = await mailed('password_reset')
        return [sent, await world.challengeOf(clientele, accountId, credentials)] as const
      })
      const password = 'another password'
      const reset = (given: string) =>
        codeOf(clientele.auth.resetPassword(accountId, { token: given, password }))
      expect(await reset(token)).toBe('reset_token_invalid')
      const answer = { challenge, method: 'totp', code: generate() } as const
      expect(await codeOf(clientele.auth.completeMfa(accountId, answer))).toBe('challenge_invalid')
      await clientele.auth.forgotPassword(accountId, { email })
      expect(await reset(await mailed('password_reset', 1))).toBeUndefined()
    })

    test("an idempotency key's response is forgotten", async () => {
      const { clientele } = await world.start()
      const { id: accountId } = await clientele.accounts.create({ name: 'Acme' })
      const call = { accountId, idempotencyKey: 'key' }
      const create = (name: string, email: string) =>
        clientele.users.create(call, { name, email, password: 'password' })
      await ahead(ms, () => create('Ada', 'ada@example.com'))
      const { user } = await create('Grace', 'grace@example.com')
      expect(user.name).toBe('Grace')
      expect((await create('Grace', 'grace@example.com')).user).toEqual(user)
    })

    test('a signing key that was published then signs, and can be rotated', async () => {
      const { clientele } = await world.start()
      const { accountId, credentials } = await world.addUser(clientele)
      await logIn(clientele, accountId, credentials)
      const late = await ahead(ms, () => clientele.signingKeys.rotate(accountId))
      const statuses = async () =>
        (await clientele.signingKeys.list(accountId)).map(({ status }) => status)
      expect(await statuses()).toEqual(['active', 'active'])
      const { token } = await logIn(clientele, accountId, credentials)
      expect(await codeOf(clientele.auth.validateToken(accountId, token))).toBeUndefined()
      const next = await clientele.signingKeys.rotate(accountId)
      expect(next.id).not.toBe(late.id)
      expect(next.signsAt).toEqual(new Date(world.now + 1_200_000))
      const kept = await ahead(1_200_000, () => logIn(clientele, accountId, credentials))
      expect(JSON.parse(atob(kept.token.split('.')[0] ?? ''))).toMatchObject({ kid: next.id })
    })

    test("an API key's last use is noted", async () => {
      const { clientele } = await world.start()
      const { id: accountId } = await clientele.accounts.create({ name: 'Acme' })
      const repository = openRepository(database.url)
      const { apiKey, id } = await clientele.apiKeys.create(accountId)
      await repository.apiKeys.noteUse(accountId, id, world.now + ms)
      await send(clientele, 'GET', '/client/user', { key: apiKey })
      const lastUse = async () =>
        (await clientele.apiKeys.list(accountId))[0]?.lastUsedAt?.getTime()
      await expect.poll(lastUse).toBe(world.now)
      await repository.storage.close()
    })

    test.each(['a new password', 'a creation'])(
      'tokens of other issuers are accepted after %s of that time, and those from before are not',
      async (what) => {
        const { clientele } = await world.start()
        const { accountId, user: known } = await world.addUser(clientele)
        await clientele.trustedIssuers.create(accountId, {
          ...bySecret,
          signIn: true,
          nonce: 'optional',
        })
        const add = async () => (await world.addUser(clientele, { accountId })).user
        const change = async () => {
          await clientele.users.patch(accountId, known.id, { password: 'another password' })
          return known
        }
        const seconds = () => Math.floor(world.now / 1000)
        const { id } = await ahead(ms, what === 'a creation' ? add : change)
        await clientele.identities.link(accountId, id, { issuer: iss, subject: id })
        const [old, recent] = [
          await signBySecret(id, seconds()),
          await signBySecret(id, seconds() + 1),
        ]
        const check = (token: string) => codeOf(clientele.auth.validateToken(accountId, token))
        expect(await check(old)).toBe('token_revoked')
        expect(await check(recent)).toBeUndefined()
        world.now += 2_000
        const idToken = await signBySecret(id, seconds())
        expect(
          await codeOf(clientele.auth.logInWithIdToken(accountId, { idToken })),
        ).toBeUndefined()
      },
    )

    test('an ID token signs in after a new password of that time', async () => {
      const { clientele } = await world.start()
      const { accountId, user } = await world.addUser(clientele)
      await clientele.trustedIssuers.create(accountId, {
        ...bySecret,
        signIn: true,
        nonce: 'optional',
      })
      await clientele.identities.link(accountId, user.id, { issuer: iss, subject: user.id })
      world.now += 5_000
      await ahead(ms, () => clientele.users.patch(accountId, user.id, { password: 'another one' }))
      const logInAt = async (seconds: number) => {
        const idToken = await signBySecret(user.id, seconds)
        return codeOf(clientele.auth.logInWithIdToken(accountId, { idToken }))
      }
      expect(await logInAt(Math.floor(world.now / 1000) - 1)).toBe('token_revoked')
      expect(await logInAt(Math.floor(world.now / 1000) + 1)).toBeUndefined()
    })

    test('impersonations of that time count no more', async () => {
      const { clientele } = await world.start()
      const { accountId, user } = await world.addUser(clientele)
      const input = { actor: 'support', reason: 'Ticket 4711', expiresIn: 60 }
      const impersonate = () => codeOf(clientele.auth.impersonate(accountId, user.id, input))
      await ahead(ms, async () => {
        for (let count = 1; count <= 20; count++) await impersonate()
        expect(await impersonate()).toBe('impersonation_limit_reached')
      })
      expect(await impersonate()).toBeUndefined()
    })

    test("a user's own token of that time is over, unless it never expires", async () => {
      const { clientele } = await world.start()
      const { accountId, user } = await world.addUser(clientele)
      const make = (expiresIn: number | null) =>
        clientele.userTokens.create(accountId, user.id, { name: 'Script', expiresIn })
      const [short, endless] = await ahead(
        ms,
        async () => [await make(60), await make(null)] as const,
      )
      const check = (token: string) => codeOf(clientele.auth.validateToken(accountId, token))
      expect(await check(short.token)).toBe('token_expired')
      expect(await codeOf(clientele.auth.exchangeToken(accountId, short.token))).toBe(
        'token_expired',
      )
      expect(await check(endless.token)).toBeUndefined()
    })

    test('waiting sign-ins of that time do not push out later ones', async () => {
      const { clientele } = await world.start()
      const { accountId, user, credentials } = await world.addUser(clientele)
      const { generate } = await world.enrolTotp(clientele, accountId, user.id)
      const wait = () => world.challengeOf(clientele, accountId, credentials)
      await ahead(ms, async () => {
        for (let count = 1; count <= 101; count++) await wait()
      })
      const answer = { challenge: await wait(), method: 'totp', code: generate() } as const
      expect(await codeOf(clientele.auth.completeMfa(accountId, answer))).toBeUndefined()
    })

    test('sessions of the console of that time do not push out later ones', async () => {
      const repository = openRepository(database.url)
      const holder = crypto.randomUUID()
      const limit = { accountId: crypto.randomUUID(), most: 2 }
      const add = async (hash: string, ahead: number) => {
        await repository.console.addSession({ holder, hash }, world.now + ahead + 60_000, limit)
      }
      for (const hash of ['a', 'b', 'c']) await add(hash, ms)
      for (const hash of ['d', 'e']) await add(hash, 0)
      const has = (hash: string) => repository.console.hasSession({ holder, hash }, world.now)
      expect([await has('d'), await has('e')]).toEqual([true, true])
      await repository.storage.close()
    })

    test("the JWT of a user's own token is valid after a new password of that time", async () => {
      const { clientele } = await world.start()
      const { accountId, user } = await world.addUser(clientele)
      const { token } = await clientele.userTokens.create(accountId, user.id, { name: 'Script' })
      await ahead(ms, () => clientele.users.patch(accountId, user.id, { password: 'another one' }))
      const { token: jwt } = await clientele.auth.exchangeToken(accountId, token)
      expect(await codeOf(clientele.auth.validateToken(accountId, jwt))).toBeUndefined()
    })

    test("the JWT of a user's own token ends with a new password after that time", async () => {
      const { clientele } = await world.start()
      const { accountId, user } = await world.addUser(clientele)
      const { token } = await clientele.userTokens.create(accountId, user.id, { name: 'Script' })
      const exchange = async () => (await clientele.auth.exchangeToken(accountId, token)).token
      // Ids only grow.
      await ahead(ms, exchange)
      const jwt = await exchange()
      const check = () => codeOf(clientele.auth.validateToken(accountId, jwt))
      expect(await check()).toBeUndefined()
      world.now += 2_000
      await clientele.users.patch(accountId, user.id, { password: 'another password' })
      expect(await check()).toBe('token_revoked')
    })

    test('a device that was remembered at that time spares no second factor', async () => {
      const { clientele } = await world.start()
      const { accountId, user, credentials } = await world.addUser(clientele)
      await clientele.accounts.setPolicy(accountId, { rememberDeviceDays: 30 })
      const { generate } = await world.enrolTotp(clientele, accountId, user.id)
      const remember = async () => {
        const challenge = await world.challengeOf(clientele, accountId, credentials)
        const answer = { challenge, method: 'totp', code: generate() } as const
        const input = { ...answer, rememberDevice: true }
        const result = await clientele.auth.completeMfa(accountId, input)
        return 'token' in result ? (result.deviceToken ?? '') : ''
      }
      const isSpared = async (deviceToken: string) =>
        'token' in (await clientele.auth.logIn(accountId, { ...credentials, deviceToken }))
      const wrong = await ahead(ms, async () => {
        const first = await remember()
        for (let count = 0; count < 12; count++) {
          world.now += 30_000
          await remember()
        }
        world.now -= 12 * 30_000
        return first
      })
      expect(await isSpared(wrong)).toBe(false)
      const right = await remember()
      world.now += 30_000
      const next = await remember()
      expect([await isSpared(right), await isSpared(next)]).toEqual([true, true])
    })

    test('an API key that was replaced at that time is refused', async () => {
      const { clientele } = await world.start()
      const { id: accountId } = await clientele.accounts.create({ name: 'Acme' })
      const { apiKey, id } = await clientele.apiKeys.create(accountId)
      const rotated = await ahead(ms, () =>
        clientele.apiKeys.rotate(accountId, id, { overlapSeconds: 0 }),
      )
      const statusOf = async (key: string) =>
        (await send(clientele, 'GET', '/client/user', { key })).status
      expect(await statusOf(apiKey)).toBe(401)
      expect(await statusOf(rotated.apiKey)).toBe(200)
    })

    test('sessions of that time end first where there are too many', async () => {
      const { clientele } = await world.start()
      const { accountId, user, credentials } = await world.addUser(clientele)
      await ahead(ms, async () => {
        for (let count = 1; count <= 100; count++) await logIn(clientele, accountId, credentials)
      })
      const first = await logIn(clientele, accountId, credentials)
      await logIn(clientele, accountId, credentials)
      expect(await codeOf(clientele.auth.validateToken(accountId, first.token))).toBeUndefined()
      expect(await clientele.sessions.list(accountId, user.id)).toHaveLength(100)
    })
  })

  test('by some hours, a sign-in of that time stays no recent one by refreshing its session', async () => {
    const { clientele } = await world.start()
    const { accountId, credentials } = await world.addUser(clientele)
    const isRecent = async (token: string) => {
      const authorization = `Bearer ${token}`
      const request = { headers: { authorization }, rawHeaders: ['authorization', authorization] }
      return !('response' in (await clientele.guard(request, { maxAge: 300 })))
    }
    const opened = await ahead(3 * 3_600_000, () => logIn(clientele, accountId, credentials))
    const refreshed = await clientele.auth.refresh(accountId, toRefresh(opened))
    expect(await isRecent(refreshed.token)).toBe(false)
    world.now += 3_600_000
    const { token, refreshToken } = await clientele.auth.refresh(accountId, toRefresh(refreshed))
    expect(await isRecent(token)).toBe(false)
    const proof = { refreshToken, password: credentials.password }
    const shown = await clientele.auth.reauthenticate(accountId, proof)
    expect(await isRecent(shown.token)).toBe(true)
  })
})
