import { createHash } from 'node:crypto'
import { generateKeyPair } from 'jose'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { codeOf } from '../keys/open-clientele.ts'
import { anyDatabase, type OpenDatabase } from '../support/databases.ts'
import { byKeys, ecJwk, encode } from '../support/issuer-world.ts'
import { IdTokenWorld, trusted } from './id-token-world.ts'

const nonce = 'n-0S6_WzA2Mj'
/** Many tokens are refused here, one after the other. */
const patient = { rateLimits: { login: { points: 1_000, windowSeconds: 900 } } }

/** The same signature as another text: ES256 takes s and n - s for the same. */
function rewriteSignature(token: string): string {
  const order = 0xffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc632551n
  const [header, payload, signature = ''] = token.split('.')
  const bytes = Buffer.from(signature, 'base64url')
  const s = BigInt(`0x${bytes.subarray(32).toString('hex')}`)
  const other = Buffer.from((order - s).toString(16).padStart(64, '0'), 'hex')
  const rewritten = Buffer.concat([bytes.subarray(0, 32), other]).toString('base64url')
  return `${header}.${payload}.${rewritten}`
}

describe.each(anyDatabase)('signing in with an ID token on $name', ({ open }) => {
  let database: OpenDatabase
  const world = new IdTokenWorld(() => database.url)

  beforeAll(async () => {
    database = await open()
  })
  afterAll(() => database.close())

  test('opens a session of the user who has the identity', async () => {
    const { clientele, accountId, user, sign, logIn, linked, check } = await world.openLinked()
    const signedIn = await logIn({ idToken: await sign() })
    if (!('token' in signedIn)) throw new Error('A factor was asked for.')
    expect(signedIn.user).toEqual(user)
    expect(await check(signedIn.token)).toBeUndefined()
    const [session] = await clientele.sessions.list(accountId, user.id)
    expect(session?.amr).toEqual(['fed'])
    const used = { ...linked, lastUsedAt: new Date(world.now) }
    expect(await clientele.identities.list(accountId, user.id)).toEqual([used])
    const { refreshToken } = signedIn
    expect(await clientele.auth.refresh(accountId, { refreshToken })).toMatchObject({ user })
  })

  test('the account must trust an issuer for signing in', async () => {
    const { clientele, accountId, issuer, outcome, claims } = await world.openLinked()
    const unsigned = `${encode({ alg: 'none' })}.${encode(claims({ sub: 'ada' }))}.`
    for (const [idToken, code] of [
      [unsigned, 'token_malformed'],
      [`${unsigned}AA`, 'token_unknown_key'],
      ['x', 'token_malformed'],
    ] as const)
      expect(await codeOf(clientele.auth.logInWithIdToken(accountId, { idToken }))).toBe(code)
    expect(await outcome({ iss: 'https://other.example.com' })).toBe('token_unknown_key')
    const changes = { signIn: false }
    await clientele.trustedIssuers.update(accountId, issuer.id, changes)
    expect(await outcome()).toBe('token_unknown_key')
  })

  test('signatures, times, audiences and types are checked', async () => {
    const { accountId, clientele, outcome, signByKey, signBySecret, sign } =
      await world.openLinked()
    const codes = [
      [{ exp: world.seconds - 60, iat: world.seconds - 120 }, 'token_expired'],
      [{ iat: world.seconds + 60 }, 'token_not_yet_valid'],
      [{ aud: 'another client' }, 'token_claims_invalid'],
      [{ aud: undefined }, 'token_claims_invalid'],
      [{ aud: [byKeys.audience, 'another client'] }, 'token_claims_invalid'],
      [{ aud: [byKeys.audience, byKeys.audience], azp: 'x' }, 'token_claims_invalid'],
      [{ aud: [byKeys.audience, byKeys.audience], azp: byKeys.audience }, undefined],
      [{ aud: [byKeys.audience], azp: 'a phone' }, undefined],
      [{ act: { sub: 'support' } }, 'token_claims_invalid'],
      [{ user_token_id: 'a program' }, 'token_claims_invalid'],
      [{ sub: undefined }, 'token_claims_invalid'],
      [{ sub: 7 }, 'token_claims_invalid'],
      [{ sub: ['ada'] }, 'token_claims_invalid'],
      [{ sub: 'x'.repeat(10_000) }, 'token_claims_invalid'],
      [{ sub: 'ada\0' }, 'token_claims_invalid'],
      [{ sub: 'Ada' }, 'token_user_not_found'],
    ] as const
    for (const [claims, code] of codes)
      expect([claims, await outcome(claims)]).toEqual([claims, code])
    const attempt = async (idToken: string) =>
      codeOf(clientele.auth.logInWithIdToken(accountId, { idToken }))
    const sub = { sub: 'ada' }
    const kid = 'ec-1'
    expect(await attempt(await signByKey(sub, { kid, typ: 'at+jwt' }))).toBe('token_claims_invalid')
    expect(await attempt(await signByKey(sub, { kid, typ: 'JWT' }))).toBeUndefined()
    const { privateKey } = await generateKeyPair('ES256')
    expect(await attempt(await signByKey(sub, { kid }, privateKey))).toBe('token_signature_invalid')
    // The public key as a shared secret
    const forged = await signBySecret(sub, { kid }, JSON.stringify(ecJwk))
    expect(await attempt(forged)).toBe('token_unknown_key')
    const [header, , signature] = (await sign()).split('.')
    const other = (await sign({ sub: 'grace' })).split('.')[1]
    expect(await attempt(`${header}.${other}.${signature}`)).toBe('token_signature_invalid')
  })

  test('the nonce of the request must match the nonce of the token', async () => {
    const hash = createHash('sha256').update(nonce)
    const digest = hash.digest()
    const rules = {
      required: [nonce],
      optional: [nonce],
      sha256: [
        digest.toString('hex'),
        digest.toString('hex').toUpperCase(),
        digest.toString('base64url'),
      ],
    }
    for (const [rule, right] of Object.entries(rules)) {
      const { outcome } = await world.openLinked(
        { ...trusted, nonce: rule as keyof typeof rules },
        'ada',
        patient,
      )
      for (const claim of right)
        expect([rule, await outcome({ nonce: claim }, { nonce })]).toEqual([rule, undefined])
      const wrong = ['x', '', nonce.slice(1), [nonce], { nonce }, 1, null, undefined]
      for (const claim of [...wrong, ...(rule === 'sha256' ? [nonce] : [digest.toString('hex')])])
        expect([rule, claim, await outcome({ nonce: claim }, { nonce })]).toEqual([
          ...[rule, claim],
          'token_claims_invalid',
        ])
      expect(await outcome({ nonce: right[0] })).toBe('token_claims_invalid')
      expect(await outcome()).toBe(rule === 'optional' ? undefined : 'token_claims_invalid')
    }
  }, 60_000)

  test("the user's sign-in at the issuer must be recent", async () => {
    const { outcome } = await world.openLinked({ ...trusted, maxAgeSeconds: 60 })
    for (const [auth_time, code] of [
      [world.seconds, undefined],
      [world.seconds - 60, undefined],
      [world.seconds - 66, 'token_claims_invalid'],
      [world.seconds + 60, 'token_claims_invalid'],
      [1e300, 'token_claims_invalid'],
      [`${world.seconds}`, 'token_claims_invalid'],
      [undefined, 'token_claims_invalid'],
    ] as const)
      expect([auth_time, await outcome({ auth_time })]).toEqual([auth_time, code])
  })

  test('a token signs in once, however its signature is written', async () => {
    const { logIn, sign, signByKey, clientele, accountId, user } = await world.openLinked()
    for (const claims of [{}, { jti: 'once' }]) {
      const idToken = await sign(claims)
      await logIn({ idToken })
      for (const again of [idToken, rewriteSignature(idToken)])
        expect(await codeOf(logIn({ idToken: again }))).toBe('token_revoked')
    }
    // The same id is the same token.
    const sameId = await signByKey({ sub: 'ada', jti: 'once', exp: world.seconds + 50 })
    expect(await codeOf(logIn({ idToken: sameId }))).toBe('token_revoked')
    expect(await clientele.sessions.list(accountId, user.id)).toHaveLength(2)
  })

  test('inactive users and old tokens are refused, and events are written', async () => {
    const { clientele, accountId, user, sign, logIn, outcome, typesOf } = await world.openLinked()
    const old = await sign()
    await clientele.users.deactivate(accountId, user.id)
    expect(await outcome()).toBe('token_user_inactive')
    await clientele.users.activate(accountId, user.id)
    expect(await codeOf(logIn({ idToken: old }))).toBe('token_revoked')
    const failed = { types: ['user.login_failed'] }
    const count = async () => (await clientele.events.read(accountId, failed)).data.length
    expect(await count()).toBe(2)
    await outcome({ sub: 'nobody', email: 'nobody@example.com', email_verified: true })
    expect(await count()).toBe(3)
    await codeOf(logIn({ idToken: `${old.slice(0, -8)}AAAAAAAA` }))
    expect(await count()).toBe(3)
    expect(await typesOf()).not.toContain('user.logged_in')
  })

  test('refused tokens count for their user, and by the address that they came from', async () => {
    const { clientele, accountId, sign, outcome, credentials } = await world.openLinked()
    for (let count = 0; count < 10; count++)
      expect(await outcome({ nonce: 'x' })).toBe('token_claims_invalid')
    expect(await outcome({ nonce: 'x' })).toBe('rate_limited')
    // Tokens that do not verify lock no user out, and passwords are counted separately.
    expect(await codeOf(clientele.auth.logIn(accountId, credentials))).toBeUndefined()
    const idToken = `${(await sign()).slice(0, -8)}AAAAAAAA`
    const from = (clientAddress: string) =>
      codeOf(clientele.auth.logInWithIdToken({ accountId, clientAddress }, { idToken }))
    for (let count = 0; count < 10; count++)
      expect(await from('9.9.9.9')).toBe('token_signature_invalid')
    expect(await from('9.9.9.9')).toBe('rate_limited')
    expect(await from('8.8.8.8')).toBe('token_signature_invalid')
    expect(await codeOf(clientele.auth.logInWithIdToken(accountId, { idToken }))).toBe(
      'token_signature_invalid',
    )
  })
})
