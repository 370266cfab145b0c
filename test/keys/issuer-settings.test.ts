import type { NewTrustedIssuer, TrustedIssuerChanges } from '@clientele/core'
import { exportJWK, generateKeyPair } from 'jose'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { anyDatabase, type OpenDatabase } from '../support/databases.ts'
import { aud, byKeys, IssuerWorld } from '../support/issuer-world.ts'
import { pointersOf } from './open-clientele.ts'

const ed = await generateKeyPair('Ed25519', { extractable: true })
const edJwk = { ...(await exportJWK(ed.publicKey)), kty: 'OKP', kid: 'ed-1' }

describe.each(anyDatabase)('the settings of a trusted issuer, on $name', ({ open }) => {
  let database: OpenDatabase
  const world = new IssuerWorld(() => database.url)

  beforeAll(async () => {
    database = await open()
  })
  afterAll(() => database.close())

  describe('audience', () => {
    test('one text is a list of one; of a list, a token names any', async () => {
      const { clientele, accountId, issuer, signByKey, check } = await world.trusting(byKeys)
      expect(issuer.audience).toEqual([aud])
      const audience = ['first', 'second', 'first']
      const changed = await clientele.trustedIssuers.update(accountId, issuer.id, { audience })
      expect(changed.audience).toEqual(['first', 'second'])
      expect(await clientele.trustedIssuers.list(accountId)).toEqual([changed])
      for (const named of ['first', 'second', ['x', 'second']])
        expect(await check(await signByKey({ aud: named }))).toBe(undefined)
      for (const named of [aud, '', [], ['x'], undefined])
        expect(await check(await signByKey({ aud: named }))).toBe('token_claims_invalid')
    })

    test("client_id replaces a missing aud if the issuer's settings allow it", async () => {
      const { clientele, accountId, issuer, signByKey, check } = await world.trusting(byKeys)
      const cognito = await signByKey({ aud: undefined, client_id: aud })
      const clerk = await signByKey({ aud: undefined, azp: aud })
      expect(await check(cognito)).toBe('token_claims_invalid')
      expect(await check(clerk)).toBe('token_claims_invalid')
      const changes = { clientIdAsAudience: true }
      await clientele.trustedIssuers.update(accountId, issuer.id, changes)
      expect(await check(cognito)).toBe(undefined)
      expect(await check(clerk)).toBe(undefined)
      expect(await check(await signByKey())).toBe(undefined)
      const others = [
        { aud: undefined },
        { aud: undefined, client_id: 'x' },
        { aud: undefined, azp: 'x' },
        { aud: undefined, client_id: 'x', azp: aud },
        { aud: undefined, client_id: [aud] },
        { aud: 'x', client_id: aud },
        { aud: null, client_id: aud },
        { aud: [], client_id: aud },
      ]
      for (const claims of others)
        expect([claims, await check(await signByKey(claims))]).toEqual([
          claims,
          'token_claims_invalid',
        ])
    })
  })

  describe('the claim that names the user', () => {
    const lookups: [string | undefined, string][] = [
      [undefined, 'id'],
      ['sub', 'id'],
      ['user_id', 'id'],
      ['email', 'email'],
      ['oid', 'identity'],
      ['https://example.com/user', 'identity'],
    ]
    test.each(lookups)('%s is looked up as %s', async (userClaim, userLookup) => {
      const { issuer } = await world.trusting({ ...byKeys, userClaim })
      expect(issuer).toMatchObject({ userClaim: userClaim ?? 'sub', userLookup })
    })

    test('another claim has its own default look-up', async () => {
      const { clientele, accountId, issuer } = await world.trusting(byKeys)
      const update = (changes: TrustedIssuerChanges) =>
        clientele.trustedIssuers.update(accountId, issuer.id, changes)
      expect(await update({ userClaim: 'email' })).toMatchObject({ userLookup: 'email' })
      expect(await update({ userClaim: 'oid', userLookup: 'id' })).toMatchObject({
        userLookup: 'id',
      })
      expect(await update({ audience: 'x' })).toMatchObject({ userClaim: 'oid', userLookup: 'id' })
      expect(await update({ userClaim: 'sub' })).toMatchObject({ userLookup: 'id' })
    })

    test('any claim may hold the id', async () => {
      const { user, signByKey, check } = await world.trusting({
        ...byKeys,
        userClaim: 'https://example.com/user',
        userLookup: 'id',
      })
      const named = { sub: 'x', 'https://example.com/user': user.id }
      expect(await check(await signByKey(named))).toBe(undefined)
      expect(await check(await signByKey())).toBe('token_claims_invalid')
    })

    test('an address counts only if verified; in another claim, only if it is the e-mail', async () => {
      const { clientele, accountId, user, issuer, signByKey, check } = await world.trusting({
        ...byKeys,
        userClaim: 'preferred_username',
        userLookup: 'email',
      })
      const named = { sub: 'x', preferred_username: user.email }
      const said = { ...named, email: user.email.toUpperCase(), email_verified: true }
      expect(await check(await signByKey(said))).toBe(undefined)
      const plain = await signByKey(named)
      expect(await check(plain)).toBe('token_claims_invalid')
      const changes = { trustUnverifiedEmail: true }
      await clientele.trustedIssuers.update(accountId, issuer.id, changes)
      expect(await check(plain)).toBe(undefined)
    })

    test('an address in decomposed letters belongs to no user: there it may be another mailbox', async () => {
      const { clientele, accountId, signByKey, check } = await world.trusting({
        ...byKeys,
        userClaim: 'email',
      })
      const email = `jos\u00e9-${accountId}@example.com`
      await clientele.users.create(accountId, { name: 'José', email, password: 'correct horse' })
      // A token of the same second would be older.
      world.now += 2_000
      const sign = (address: string) =>
        signByKey({ sub: 'x', email: address, email_verified: true })
      expect(await check(await sign(email.toUpperCase()))).toBe(undefined)
      expect(await check(await sign(email.normalize('NFD')))).toBe('token_user_not_found')
    })

    test.each(['__proto__', 'constructor', 'toString'])(
      'the inherited property %s is not a claim',
      async (userClaim) => {
        const { signByKey, check } = await world.trusting({
          ...byKeys,
          userClaim,
          userLookup: 'id',
        })
        expect(await check(await signByKey())).toBe('token_claims_invalid')
      },
    )
  })

  describe('Ed25519 and EdDSA', () => {
    const names = ['EdDSA', 'Ed25519'] as const
    for (const allowed of names) {
      for (const written of [undefined, ...names]) {
        test(`are the same algorithm: ${allowed} is allowed, and the key has ${written}`, async () => {
          const { signByKey, check } = await world.trusting({
            ...byKeys,
            algorithms: [allowed],
            publicKeys: [{ ...edJwk, ...(written === undefined ? {} : { alg: written }) }],
          })
          for (const alg of names) {
            const token = await signByKey({}, { alg, kid: 'ed-1' }, ed.privateKey)
            expect([alg, await check(token)]).toEqual([alg, undefined])
          }
          expect(await check(await signByKey())).toBe('token_unknown_key')
        })
      }
    }
  })

  describe('signing in', () => {
    test('is off by default, and turning it off removes the settings that need it', async () => {
      const { clientele, accountId, issuer } = await world.trusting(byKeys)
      const off = { signIn: false, linkByEmail: false, nonce: 'required', maxAgeSeconds: null }
      const on = { signIn: true, linkByEmail: true, nonce: 'sha256', maxAgeSeconds: 600 } as const
      expect(issuer).toMatchObject(off)
      const update = async (changes: TrustedIssuerChanges) => {
        const changed = await clientele.trustedIssuers.update(accountId, issuer.id, changes)
        expect(await clientele.trustedIssuers.list(accountId)).toEqual([changed])
        return changed
      }
      expect(await update(on)).toMatchObject(on)
      expect(await update({ audience: 'x' })).toMatchObject(on)
      expect(await update({ maxAgeSeconds: null, linkByEmail: false })).toMatchObject({
        ...on,
        maxAgeSeconds: null,
        linkByEmail: false,
      })
      expect(await update({ signIn: false })).toMatchObject(off)
    })
  })

  const wrong: [string, Partial<NewTrustedIssuer>, string[]][] = [
    ['no audience', { audience: [] }, ['/audience']],
    ['an audience without a name', { audience: ['x', ''] }, ['/audience/1']],
    ['21 audiences', { audience: Array.from({ length: 21 }, (_, at) => `${at}`) }, ['/audience']],
    ['a claim without a name', { userClaim: '' }, ['/userClaim']],
    ['a claim of 101 characters', { userClaim: 'c'.repeat(101) }, ['/userClaim']],
    ...['iss', 'aud', 'exp', 'nbf', 'iat', 'jti', 'nonce'].map(
      (userClaim): [string, Partial<NewTrustedIssuer>, string[]] => [
        `the claim ${userClaim}`,
        { userClaim },
        ['/userClaim'],
      ],
    ),
    ['an unknown look-up', { userLookup: 'name' as never }, ['/userLookup']], // what must be refused
    [
      'settings of a sign-in that is off',
      { linkByEmail: true, nonce: 'optional', maxAgeSeconds: 60 },
      ['/linkByEmail', '/nonce', '/maxAgeSeconds'],
    ],
    ['an age of no time', { signIn: true, maxAgeSeconds: 0 }, ['/maxAgeSeconds']],
    ['an unknown nonce rule', { signIn: true, nonce: 'none' as never }, ['/nonce']], // what must be refused
  ]
  test.each(wrong)('%s is refused by name, new and as a change', async (_, changes, pointers) => {
    const { clientele, accountId, trust } = await world.openAccount()
    expect(await pointersOf(trust({ ...byKeys, ...changes }))).toEqual(pointers)
    const issuer = await trust(byKeys)
    const update = clientele.trustedIssuers.update(accountId, issuer.id, changes)
    expect(await pointersOf(update)).toEqual(pointers)
    expect(await clientele.trustedIssuers.list(accountId)).toEqual([issuer])
  })
})
