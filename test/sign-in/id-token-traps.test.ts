import { randomUUID } from 'node:crypto'
import type { LogInWithIdTokenInput, NewTrustedIssuer } from '@clientele/core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { codeOf } from '../keys/open-clientele.ts'
import { anyDatabase, type OpenDatabase } from '../support/databases.ts'
import { byKeys, IssuerWorld, iss } from '../support/issuer-world.ts'

const trusted = { ...byKeys, signIn: true, nonce: 'optional' } satisfies NewTrustedIssuer
const linking = { ...trusted, linkByEmail: true } satisfies NewTrustedIssuer
const verified = { email: 'ada@example.com', email_verified: true }

describe.each(anyDatabase)('misleading ID tokens on $name', ({ open }) => {
  let database: OpenDatabase
  const world = new IssuerWorld(() => database.url)

  beforeAll(async () => {
    database = await open()
  })
  afterAll(() => database.close())

  async function trusting(issuer: NewTrustedIssuer) {
    const opened = await world.trusting(issuer)
    const { clientele, accountId, user, signByKey } = opened
    const sign = (claims: Record<string, unknown>) => signByKey({ jti: randomUUID(), ...claims })
    const logIn = async (
      claims: Record<string, unknown>,
      input: Partial<LogInWithIdTokenInput> = {},
    ) => clientele.auth.logInWithIdToken(accountId, { idToken: await sign(claims), ...input })
    const outcome = (...input: Parameters<typeof logIn>) => codeOf(logIn(...input))
    const identities = async () =>
      (await clientele.identities.list(accountId, user.id)).map(({ subject }) => subject)
    return { ...opened, sign, logIn, outcome, identities }
  }

  test('email_verified refers to the claim email only', async () => {
    const named = { userClaim: 'preferred_username', userLookup: 'email' } as const
    const { clientele, accountId, outcome, identities, sign, check } = await trusting({
      ...linking,
      ...named,
    })
    const forged = {
      sub: 'attacker',
      email: 'attacker@evil.example',
      email_verified: true,
      preferred_username: 'ada@example.com',
    }
    expect(await check(await sign(forged))).toBe('token_claims_invalid')
    expect(await outcome(forged)).toBe('token_user_not_found')
    const taken = { ...forged, preferred_username: 'ceo@bank.example' }
    expect(await outcome(taken, { create: true })).toBe('token_claims_invalid')
    expect((await clientele.users.list(accountId)).total).toBe(1)
    expect(await identities()).toEqual([])
    // The same address counts, however it is written.
    const same = { ...forged, email: 'ADA@example.com' }
    expect(await check(await sign(same))).toBeUndefined()
    expect(await outcome({ ...same, sub: 'ada' })).toBeUndefined()
  })

  test('an address cannot be looked up as an identity', async () => {
    const { clientele, accountId, issuer } = await trusting(trusted)
    const changes = { userClaim: 'email', userLookup: 'identity' } as const
    const change = clientele.trustedIssuers.update(accountId, issuer.id, changes)
    expect(await codeOf(change)).toBe('validation_failed')
  })

  test('the next owner of an address does not get the user of its first owner', async () => {
    const { outcome, identities } = await trusting(linking)
    expect(await outcome({ ...verified, sub: 'first-owner' })).toBeUndefined()
    // The first one's coming has ended what was issued until then.
    world.now += 2_000
    expect(await outcome({ ...verified, sub: 'next-owner' })).toBe('identity_taken')
    expect(await identities()).toEqual(['first-owner'])
  })

  test('a user with a second factor is not linked by an address alone', async () => {
    const { clientele, accountId, user, credentials, outcome, identities, logIn } =
      await trusting(linking)
    await world.proveAddress(accountId, user.email)
    await world.enrolTotp(clientele, accountId, user.id)
    expect(await outcome({ ...verified, sub: 'attacker' })).toBe('token_user_not_found')
    expect(await outcome({ ...verified, sub: 'attacker' }, { create: true })).toBe('email_taken')
    expect(await identities()).toEqual([])
    expect(await codeOf(clientele.auth.logIn(accountId, credentials))).toBeUndefined()
    // The backend may link it; then the factor is asked for.
    await clientele.identities.link(accountId, user.id, { issuer: iss, subject: 'ada' })
    expect(await logIn({ sub: 'ada' })).toHaveProperty('challenge')
  })

  test('tokens for another purpose open no session', async () => {
    const { clientele, accountId, user, outcome } = await trusting(trusted)
    await clientele.identities.link(accountId, user.id, { issuer: iss, subject: 'ada' })
    for (const claims of [
      { token_use: 'access' },
      { typ: 'Bearer' },
      { typ: { toString: 1 } },
      { events: { 'http://schemas.openid.net/event/backchannel-logout': {} } },
    ])
      expect(await outcome({ sub: 'ada', ...claims })).toBe('token_claims_invalid')
    expect(await outcome({ sub: 'ada', token_use: 'id', typ: 'ID' })).toBeUndefined()
  })

  test('sending a used token again locks no user out', async () => {
    const { clientele, accountId, user, sign, outcome } = await trusting(trusted)
    await clientele.identities.link(accountId, user.id, { issuer: iss, subject: 'ada' })
    const idToken = await sign({ sub: 'ada' })
    const again = () => codeOf(clientele.auth.logInWithIdToken(accountId, { idToken }))
    expect(await again()).toBeUndefined()
    for (let count = 0; count < 12; count++) expect(await again()).toBe('token_revoked')
    expect(await outcome({ sub: 'ada' })).toBeUndefined()
  })

  test('in a disabled account no identity is linked and no user is created', async () => {
    const { clientele, accountId, outcome, identities } = await trusting(linking)
    await clientele.accounts.disable(accountId)
    expect(await outcome({ ...verified, sub: 'ada' })).toBe('token_revoked')
    const bob = { sub: 'bob', email: 'bob@example.com', email_verified: true }
    expect(await outcome(bob, { create: true })).toBe('token_revoked')
    await clientele.accounts.enable(accountId)
    expect(await identities()).toEqual([])
    expect((await clientele.users.list(accountId)).total).toBe(1)
  })

  test('look-alike letters link to no user; a long name is cut between letters', async () => {
    const { outcome, logIn } = await trusting(linking)
    const kelvin = { sub: 'kelvin', email: '\u212Aim@example.com', email_verified: true }
    expect(await outcome(kelvin, { create: true })).toBe('token_claims_invalid')
    const letters = '\u{10330}'.repeat(12)
    const email = `g@a${letters}.b${letters}.com`
    const made = await logIn({ sub: 'long', email, email_verified: true }, { create: true })
    if (!('token' in made)) throw new Error('A factor was asked for.')
    expect(made.user.name.isWellFormed()).toBe(true)
  })
})
