import { createHash, randomUUID } from 'node:crypto'
import type {
  Clientele,
  ClienteleOptions,
  LogInWithIdTokenInput,
  NewTrustedIssuer,
} from '@clientele/core'
import { generateKeyPair } from 'jose'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { codeOf } from '../keys/open-clientele.ts'
import { databases, type OpenDatabase } from '../support/databases.ts'
import { byKeys, ecJwk, encode, IssuerWorld, iss } from '../support/issuer-world.ts'

const nonce = 'n-0S6_WzA2Mj'
const trusted = { ...byKeys, signIn: true, nonce: 'optional' } satisfies NewTrustedIssuer
const linking = { ...trusted, linkByEmail: true } satisfies NewTrustedIssuer
/** Many tokens are refused here, one after the other. */
const patient = { rateLimits: { login: { points: 1_000, windowSeconds: 900 } } }
const ada = { email: 'ada@example.com', email_verified: true }

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

describe.each(databases)('signing in with an ID token on $name', ({ open }) => {
  let database: OpenDatabase
  const world = new IssuerWorld(() => database.url)

  beforeAll(async () => {
    database = await open()
  })
  afterAll(() => database.close())

  /** An account that trusts an issuer for signing in, with a user who has an identity there. */
  async function trusting(
    issuer: NewTrustedIssuer = trusted,
    subject = 'ada',
    options: Partial<ClienteleOptions> = {},
  ) {
    const opened = await world.trusting(issuer, options)
    const { clientele, accountId, user } = opened
    const linked = await clientele.identities.link(accountId, user.id, { issuer: iss, subject })
    return { ...opened, linked, ...signer(opened) }
  }

  function signer({ clientele, accountId, signByKey }: Awaited<ReturnType<typeof world.trusting>>) {
    const sign = (claims: Record<string, unknown> = {}) => signByKey({ sub: 'ada', ...claims })
    const logIn = (input: LogInWithIdTokenInput, at: Clientele = clientele) =>
      at.auth.logInWithIdToken(accountId, input)
    const outcome = async (
      claims: Record<string, unknown> = {},
      input: Partial<LogInWithIdTokenInput> = {},
    ) => codeOf(logIn({ idToken: await sign({ jti: randomUUID(), ...claims }), ...input }))
    const typesOf = async () =>
      (
        await clientele.events.read(accountId, { limit: 1000, types: ['user.*', 'identity.*'] })
      ).data.map(({ type }) => type)
    return { sign, logIn, outcome, typesOf }
  }

  test('opens a session of the user who has the identity', async () => {
    const { clientele, accountId, user, sign, logIn, linked, check } = await trusting()
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

  test('an issuer has to be trusted for it', async () => {
    const { clientele, accountId, issuer, outcome, claims } = await trusting()
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

  test('signatures, times, audiences and types are looked at', async () => {
    const { accountId, clientele, outcome, signByKey, signBySecret, sign } = await trusting()
    const codes = [
      [{ exp: world.seconds - 60, iat: world.seconds - 120 }, 'token_expired'],
      [{ iat: world.seconds + 60 }, 'token_not_yet_valid'],
      [{ aud: 'another client' }, 'token_claims_invalid'],
      [{ aud: undefined }, 'token_claims_invalid'],
      [{ aud: [byKeys.audience, 'another client'] }, 'token_claims_invalid'],
      [{ aud: [byKeys.audience, byKeys.audience], azp: 'x' }, 'token_claims_invalid'],
      [{ aud: [byKeys.audience, byKeys.audience], azp: byKeys.audience }, undefined],
      [{ aud: [byKeys.audience], azp: 'a phone' }, undefined],
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

  test('the nonce of the request and of the token are one', async () => {
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
      const { outcome } = await trusting(
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

  test('the user signed in there not too long ago', async () => {
    const { outcome } = await trusting({ ...trusted, maxAgeSeconds: 60 })
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
    const { logIn, sign, signByKey, clientele, accountId, user } = await trusting()
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

  test('of sixteen sign-ins with one token at once, one succeeds', async () => {
    const first = await trusting(linking)
    const second = (await world.start()).clientele
    const { clientele, accountId, user } = first
    const race = async (claims: Record<string, unknown>, create = false) => {
      const idToken = await first.sign(claims)
      const codes = await Promise.all(
        Array.from({ length: 16 }, (_, index) =>
          codeOf(first.logIn({ idToken, create }, index % 2 === 0 ? clientele : second)),
        ),
      )
      const [won, lost] = [codes.filter((code) => code === undefined), codes.filter(Boolean)]
      expect([won.length, lost.length]).toEqual([1, 15])
      for (const code of lost)
        expect(['token_revoked', 'email_taken', 'rate_limited']).toContain(code)
    }
    await race({})
    expect(await clientele.sessions.list(accountId, user.id)).toHaveLength(1)
    await race({ sub: 'new', email: 'new@example.com', email_verified: true }, true)
    expect((await clientele.users.list(accountId)).total).toBe(2)
  })

  test('sixteen tokens of one new user at once make one user', async () => {
    const { sign, logIn, clientele, accountId } = await trusting(linking)
    const claims = { sub: 'new', email: 'new@example.com', email_verified: true }
    const codes = await Promise.all(
      Array.from({ length: 16 }, async () =>
        codeOf(logIn({ idToken: await sign({ ...claims, jti: randomUUID() }), create: true })),
      ),
    )
    for (const code of codes) expect([undefined, 'email_taken']).toContain(code)
    expect((await clientele.users.list(accountId, { email: claims.email })).total).toBe(1)
  })

  test('makes the user where it is asked to', async () => {
    const { clientele, accountId, outcome, sign, logIn, typesOf } = await trusting()
    const grace = { sub: 'grace', email: 'Grace@Example.com', email_verified: 'true' }
    expect(await outcome(grace)).toBe('token_user_not_found')
    for (const claims of [
      { email_verified: 'false' },
      { email_verified: false },
      { email_verified: undefined },
      { email: undefined },
      { email: ['grace@example.com'] },
      { email: 'grace' },
    ])
      expect([claims, await outcome({ ...grace, ...claims }, { create: true })]).toEqual([
        claims,
        'token_claims_invalid',
      ])
    expect(await outcome({ ...grace, ...ada }, { create: true })).toBe('email_taken')
    expect((await clientele.users.list(accountId)).total).toBe(1)
    const before = (await typesOf()).length
    const name = ` Grace\n${'Hopper '.repeat(20)}`
    const signedIn = await logIn({ idToken: await sign({ ...grace, name }), create: true })
    if (!('token' in signedIn)) throw new Error('A factor was asked for.')
    const { user } = signedIn
    expect(user).toMatchObject({ email: 'grace@example.com', roles: [], metadata: {} })
    expect(user.name).toBe(`Grace ${'Hopper '.repeat(20)}`.slice(0, 50).trim())
    expect(await clientele.users.getEmailVerifiedAt(accountId, user.id)).toEqual(
      new Date(world.now),
    )
    expect((await typesOf()).slice(before)).toEqual([
      'user.created',
      'identity.linked',
      'user.email_verified',
      'user.logged_in',
    ])
    const wrong = { email: user.email, password: 'password' }
    expect(await codeOf(clientele.auth.logIn(accountId, wrong))).toBe('credentials_invalid')
    expect(await outcome({ ...grace, email: 'other@example.com' })).toBeUndefined()
    expect((await clientele.users.list(accountId)).total).toBe(2)
  })

  test.each([
    [{ name: 'Grace Hopper' }, 'Grace Hopper'],
    [{ given_name: 'Grace', family_name: 'Hopper' }, 'Grace Hopper'],
    [{ name: 'G', given_name: 'Grace' }, 'Grace'],
    [{ name: 7 }, 'grace'],
    [{ email: 'g@example.com' }, 'g@example.com'],
    [{ name: '\ud800\0' }, 'grace'],
  ])('a new user of %j has a name that fits', async (claims, name) => {
    const { sign, logIn } = await trusting()
    const token = { sub: 'grace', email: 'grace@example.com', email_verified: true, ...claims }
    const { user } = (await logIn({ idToken: await sign(token), create: true })) as {
      user: { name: string }
    } // a new user has no factor
    expect(user.name).toBe(name)
  })

  test('links by e-mail only where the issuer is trusted for it and calls it verified', async () => {
    const { clientele, accountId, issuer, outcome } = await trusting(trusted, 'another subject')
    expect(await outcome(ada)).toBe('token_user_not_found')
    await clientele.trustedIssuers.update(accountId, issuer.id, { linkByEmail: true })
    for (const email_verified of [undefined, false, 'false', 1])
      expect(await outcome({ ...ada, email_verified })).toBe('token_user_not_found')
    expect(await outcome({ ...ada, emailVerified: false })).toBe('token_user_not_found')
    expect(await outcome(ada)).toBeUndefined()
    // What was issued up to then is refused. From now on by the identity, whatever address the token has.
    expect(await outcome()).toBe('token_revoked')
    world.now += 1_000
    expect(await outcome()).toBeUndefined()
  })

  test('whoever registered an address that was never verified is out once its owner comes', async () => {
    const opened = await world.trusting(linking)
    const { clientele, accountId, user, credentials, check } = opened
    const { logIn, sign, typesOf } = signer(opened)
    const stranger = await clientele.auth.logIn(accountId, credentials)
    if (!('token' in stranger)) throw new Error('A factor was asked for.')
    await clientele.identities.link(accountId, user.id, { issuer: iss, subject: 'stranger' })
    const before = (await typesOf()).length
    world.now += 1_000
    const owner = await logIn({ idToken: await sign(ada) })
    if (!('token' in owner)) throw new Error('A factor was asked for.')
    expect(owner.user).toEqual((await clientele.users.find(accountId, user.id)).user)
    expect(await codeOf(clientele.auth.logIn(accountId, credentials))).toBe('credentials_invalid')
    expect(await check(stranger.token)).toBe('token_revoked')
    const { refreshToken } = stranger
    expect(await codeOf(clientele.auth.refresh(accountId, { refreshToken }))).toBe(
      'refresh_token_invalid',
    )
    expect(await check(owner.token)).toBeUndefined()
    const left = await clientele.identities.list(accountId, user.id)
    expect(left.map(({ subject }) => subject)).toEqual(['ada'])
    expect(await clientele.users.getEmailVerifiedAt(accountId, user.id)).not.toBeNull()
    expect((await typesOf()).slice(before)).toEqual([
      'identity.unlinked',
      'identity.linked',
      'user.email_verified',
      'user.logged_in',
      'user.login_failed',
    ])
    const { data } = await clientele.revocations.read(accountId)
    const [session] = await clientele.sessions.list(accountId, user.id)
    const entry = { type: 'user', userId: user.id, exceptSessionId: session?.id }
    expect(data).toContainEqual(expect.objectContaining(entry))
  })

  test('a user whose address is verified keeps password and sessions', async () => {
    const { clientele, mailed } = await world.start()
    const opened = await world.trusting(linking)
    const { accountId, credentials, user } = opened
    await clientele.auth.requestEmailVerification(accountId, { email: user.email })
    await clientele.auth.verifyEmail(accountId, { token: await mailed('email_verification') })
    await clientele.auth.logIn(accountId, credentials)
    const { outcome } = signer(opened)
    expect(await outcome(ada)).toBeUndefined()
    expect(await clientele.sessions.list(accountId, user.id)).toHaveLength(2)
    expect(await codeOf(clientele.auth.logIn(accountId, credentials))).toBeUndefined()
  })

  test('a second factor is asked for, also of whom an e-mail has linked', async () => {
    for (const issuer of [trusted, linking]) {
      const subject = issuer === trusted ? 'ada' : 'another'
      const { clientele, accountId, user, sign, logIn } = await trusting(issuer, subject)
      const { generate } = await world.enrolTotp(clientele, accountId, user.id)
      const asked = await logIn({ idToken: await sign(ada) })
      if (!('challenge' in asked)) throw new Error('No factor was asked for.')
      expect(await clientele.sessions.list(accountId, user.id)).toEqual([])
      const { challenge } = asked
      const answer = { challenge, method: 'totp', code: generate() } as const
      await clientele.auth.completeMfa(accountId, answer)
      const [session] = await clientele.sessions.list(accountId, user.id)
      expect(session?.amr).toEqual(['fed', 'otp', 'mfa'])
    }
  })

  test('inactive users and old tokens are refused, and it is told', async () => {
    const { clientele, accountId, user, sign, logIn, outcome, typesOf } = await trusting()
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

  test('two accounts that trust one issuer have users of their own', async () => {
    const one = await trusting()
    const two = await trusting()
    const idToken = await one.sign()
    const [first, second] = [await one.logIn({ idToken }), await two.logIn({ idToken })] as {
      user: { id: string }
    }[] // nobody has a factor
    expect([first?.user.id, second?.user.id]).toEqual([one.user.id, two.user.id])
    const three = await world.openAccount()
    expect(await codeOf(three.clientele.auth.logInWithIdToken(three.accountId, { idToken }))).toBe(
      'token_unknown_key',
    )
  })

  test('a claim that is looked up as an identity names the user here, too', async () => {
    const { outcome } = await trusting({ ...trusted, userClaim: 'oid' }, 'oid-1')
    expect(await outcome({ oid: 'oid-1', sub: 'pairwise' })).toBeUndefined()
    expect(await outcome({ sub: 'oid-1' })).toBe('token_claims_invalid')
  })

  test('refused tokens count for their user, and by the address that they came from', async () => {
    const { clientele, accountId, sign, outcome, credentials } = await trusting()
    for (let count = 0; count < 10; count++)
      expect(await outcome({ nonce: 'x' })).toBe('token_claims_invalid')
    expect(await outcome({ nonce: 'x' })).toBe('rate_limited')
    // What does not verify shuts nobody out, and passwords are counted apart.
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
