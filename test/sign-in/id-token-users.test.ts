import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { codeOf } from '../keys/open-clientele.ts'
import { eitherDatabase, type OpenDatabase } from '../support/databases.ts'
import { iss } from '../support/issuer-world.ts'
import { ada, IdTokenWorld, linking, trusted } from './id-token-world.ts'

const databases = eitherDatabase(import.meta.filename)

describe.each(databases)('the user that an ID token signs in on $name', ({ open }) => {
  let database: OpenDatabase
  const world = new IdTokenWorld(() => database.url)

  beforeAll(async () => {
    database = await open()
  })
  afterAll(() => database.close())

  test('of sixteen sign-ins with one token at once, one succeeds', async () => {
    const first = await world.openLinked(linking)
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
    const { sign, logIn, clientele, accountId } = await world.openLinked(linking)
    const claims = { sub: 'new', email: 'new@example.com', email_verified: true }
    const codes = await Promise.all(
      Array.from({ length: 16 }, async () =>
        codeOf(logIn({ idToken: await sign({ ...claims, jti: randomUUID() }), create: true })),
      ),
    )
    for (const code of codes) expect([undefined, 'email_taken']).toContain(code)
    expect((await clientele.users.list(accountId, { email: claims.email })).total).toBe(1)
  })

  test('creates the user if the caller wants that', async () => {
    const { clientele, accountId, outcome, sign, logIn, typesOf } = await world.openLinked()
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
    const { sign, logIn } = await world.openLinked()
    const token = { sub: 'grace', email: 'grace@example.com', email_verified: true, ...claims }
    const { user } = (await logIn({ idToken: await sign(token), create: true })) as {
      user: { name: string }
    } // a new user has no factor
    expect(user.name).toBe(name)
  })

  test('links by e-mail only where the issuer is trusted for it and calls it verified', async () => {
    const { clientele, accountId, issuer, outcome } = await world.openLinked(
      trusted,
      'another subject',
    )
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

  test('links no user who was created after the token was issued: the address may have been another person’s', async () => {
    const { clientele, accountId, user, sign, logIn, outcome } = await world.openLinked(
      linking,
      'another subject',
    )
    const kept = await sign(ada)
    await clientele.users.delete(accountId, user.id)
    world.now += 6_000
    const { user: next } = await clientele.users.create(accountId, {
      ...{ name: 'Another Ada', email: ada.email, password: 'password' },
    })
    expect(await codeOf(logIn({ idToken: kept }))).toBe('token_revoked')
    expect(await codeOf(logIn({ idToken: kept, create: true }))).toBe('token_revoked')
    expect(await clientele.identities.list(accountId, next.id)).toEqual([])
    // The issuer's clock may be a little behind.
    expect(await outcome({ ...ada, iat: Math.floor(world.now / 1000) - 5 })).toBeUndefined()
  })

  test.each(['is deactivated', 'gets another address'])(
    'links nobody who %s while the hook of the sign-in is asked',
    async (what) => {
      let meanwhile = () => Promise.resolve<unknown>(undefined)
      const hooks = {
        beforeSignIn: async () => {
          await meanwhile()
        },
      }
      const opened = await world.trusting(linking, { hooks })
      const { clientele, accountId, user } = opened
      const { outcome } = world.signer(opened)
      meanwhile = () =>
        what === 'is deactivated'
          ? clientele.users.deactivate(accountId, user.id)
          : clientele.users.patch(accountId, user.id, { email: 'grace@example.com' })
      expect(await outcome(ada)).toBe('token_user_not_found')
      expect(await clientele.identities.list(accountId, user.id)).toEqual([])
    },
  )

  test('the registrant of an unverified address loses access once its owner signs in', async () => {
    const opened = await world.trusting(linking)
    const { clientele, accountId, user, credentials, check } = opened
    const { logIn, sign, typesOf } = world.signer(opened)
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
    const opened = await world.trusting(linking)
    const { clientele, accountId, credentials, user } = opened
    await world.proveAddress(accountId, user.email)
    await clientele.auth.logIn(accountId, credentials)
    const { outcome } = world.signer(opened)
    expect(await outcome(ada)).toBeUndefined()
    expect(await clientele.sessions.list(accountId, user.id)).toHaveLength(2)
    expect(await codeOf(clientele.auth.logIn(accountId, credentials))).toBeUndefined()
  })

  test('a second factor is asked for', async () => {
    const { clientele, accountId, user, sign, logIn } = await world.openLinked(trusted, 'ada')
    const { generate } = await world.enrolTotp(clientele, accountId, user.id)
    const asked = await logIn({ idToken: await sign(ada) })
    if (!('challenge' in asked)) throw new Error('No factor was asked for.')
    expect(await clientele.sessions.list(accountId, user.id)).toEqual([])
    const { challenge } = asked
    const answer = { challenge, method: 'totp', code: generate() } as const
    await clientele.auth.completeMfa(accountId, answer)
    const [session] = await clientele.sessions.list(accountId, user.id)
    expect(session?.amr).toEqual(['fed', 'otp', 'mfa'])
  })

  test('two accounts that trust one issuer have users of their own', async () => {
    const one = await world.openLinked()
    const two = await world.openLinked()
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
    const { outcome } = await world.openLinked({ ...trusted, userClaim: 'oid' }, 'oid-1')
    expect(await outcome({ oid: 'oid-1', sub: 'pairwise' })).toBeUndefined()
    expect(await outcome({ sub: 'oid-1' })).toBe('token_claims_invalid')
  })
})
