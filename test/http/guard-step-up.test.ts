import { createTestClientele } from '@clientele/core/testing'
import { type JWTPayload, SignJWT } from 'jose'
import { describe, expect, onTestFinished, test } from 'vitest'
import { guardedApps } from './support/guarded-apps.ts'

const password = 'analytical engine'

async function openWorld() {
  const world = await createTestClientele()
  onTestFinished(world.close)
  const { account } = await world.createAccount()
  const { user } = await world.createUser(account.id, { password })
  const { auth } = world.clientele
  const signedIn = await auth.logIn(account.id, { email: user.email, password })
  if (!('refreshToken' in signedIn)) throw new Error('There is no second factor.')
  const { token, refreshToken } = signedIn
  const showAgain = () => auth.reauthenticate(account.id, { refreshToken, password })
  return { ...world, account, token, showAgain }
}

async function ask(origin: string, token: string) {
  const headers = { authorization: `Bearer ${token}`, connection: 'close' }
  const response = await fetch(origin, { headers })
  const text = await response.text()
  const { code = text } = text.startsWith('{') ? JSON.parse(text) : {}
  return [response.status, code, response.headers.get('www-authenticate')]
}

const refused = (challenge: string) => [401, 'reauthentication_required', challenge]
const insufficient = 'Bearer error="insufficient_user_authentication"'

describe.each(Object.entries(guardedApps))('a guard of %s', (_, start) => {
  test('with maxAge admits a user who has just shown a password', async () => {
    const { clientele, clock, token, showAgain } = await openWorld()
    const origin = await start(clientele, { maxAge: 300 })
    expect(await ask(origin, token)).toEqual([200, 'in', null])
    clock.advance(301_000)
    expect(await ask(origin, token)).toEqual(refused(`${insufficient}, max_age=300`))
    const { token: recent } = await showAgain()
    expect(await ask(origin, recent)).toEqual([200, 'in', null])
  })

  test('with amr admits a sign-in by one of the methods', async () => {
    const { clientele, token } = await openWorld()
    const strict = await start(clientele, { amr: ['otp', 'hwk'] })
    expect(await ask(strict, token)).toEqual(refused(insufficient))
    const lenient = await start(clientele, { amr: ['otp', 'pwd'] })
    expect(await ask(lenient, token)).toEqual([200, 'in', null])
  })

  test('with a validator asks in the same way', async () => {
    const { clientele, account, token, showAgain } = await openWorld()
    // Its clock is the machine's: the age of a sign-in is made in the claims.
    const validateAged = (ageSeconds: number) => ({
      validate: async (text: string) => {
        const { user, claims } = await clientele.auth.validateToken(account.id, text)
        const auth_time = Math.floor(Date.now() / 1000) - ageSeconds
        return { user: { id: user.id }, claims: { ...claims, auth_time } }
      },
    })
    const rules = { accountId: account.id, maxAge: 300, amr: ['pwd'] }
    const { token: recent } = await showAgain()
    expect(await ask(await start(validateAged(10), rules), recent)).toEqual([200, 'in', null])
    const late = await start(validateAged(400), rules)
    expect(await ask(late, recent)).toEqual(refused(`${insufficient}, max_age=300`))
    const strict = await start(validateAged(10), { amr: ['otp', 'hwk'] })
    expect(await ask(strict, token)).toEqual(refused(insufficient))
  })

  test('admits a person who acts as the user, unless it asks for the user', async () => {
    const { clientele, account, token: own } = await openWorld()
    const { user } = await clientele.auth.validateToken(account.id, own)
    const given = { actor: 'Support', reason: 'Ticket 4711' }
    const { token } = await clientele.auth.impersonate(account.id, user.id, given)
    const open = await start(clientele, { impersonation: 'allow' })
    expect(await ask(open, token)).toEqual([200, 'in', null])
    const strict = await start(clientele, { impersonation: 'refuse', maxAge: 300 })
    expect(await ask(strict, token)).toEqual([403, 'impersonation_refused', null])
    expect(await ask(strict, own)).toEqual([200, 'in', null])
    for (const options of [{ maxAge: 366 * 86_400 }, { amr: ['pwd'] }]) {
      const [status, code] = await ask(await start(clientele, options), token)
      expect([status, code]).toEqual([401, 'reauthentication_required'])
    }
  })

  test("with maxAge admits another issuer's token by the time that it names", async () => {
    const { clientele, clock, account, token } = await openWorld()
    const { user } = await clientele.auth.validateToken(account.id, token)
    const names = { issuer: 'https://login.example.com', audience: 'example' }
    const secret = 'a shared secret of 32 bytes or more'
    const issuer = { ...names, algorithms: ['HS256' as const], sharedSecret: secret }
    await clientele.trustedIssuers.create(account.id, issuer)
    const origin = await start(clientele, { accountId: account.id, maxAge: 300 })
    // A token of the second in which its user was made is refused.
    clock.advance(2_000)
    const now = Math.floor(clock.now() / 1000)
    const askAt = (auth_time: number | undefined, more: JWTPayload = {}) =>
      new SignJWT({ iss: names.issuer, aud: names.audience, sub: user.id, auth_time, ...more })
        .setIssuedAt(now)
        .setExpirationTime(now + 60)
        .setProtectedHeader({ alg: 'HS256' })
        .sign(new TextEncoder().encode(secret))
        .then((signed) => ask(origin, signed))
    expect(await askAt(now - 200)).toEqual([200, 'in', null])
    // Of a person who acts as the user
    expect(await askAt(now - 200, { act: {} })).toEqual(refused(`${insufficient}, max_age=300`))
    // Too old, missing, in milliseconds, by a clock that is a minute ahead
    for (const time of [now - 301, undefined, now * 1000, now + 60])
      expect(await askAt(time)).toEqual(refused(`${insufficient}, max_age=300`))
  })
})
