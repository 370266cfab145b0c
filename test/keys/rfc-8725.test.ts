import { randomUUID } from 'node:crypto'
import { exportJWK, generateKeyPair } from 'jose'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { anyDatabase, type OpenDatabase } from '../support/databases.ts'
import {
  aud,
  byKeys,
  bySecret,
  byUrl,
  ecJwk,
  encode,
  IssuerWorld,
  iss,
  otherEc,
  otherEcJwk,
  serveKeys,
} from '../support/issuer-world.ts'
import { logIn } from '../support/log-in.ts'
import { codeOf } from './open-clientele.ts'

const rsa = await generateKeyPair('RS256', { extractable: true })

describe.each(anyDatabase)('RFC 8725 on $name', ({ open }) => {
  let database: OpenDatabase
  const world = new IssuerWorld(() => database.url)

  beforeAll(async () => {
    database = await open()
  })
  afterAll(() => database.close())

  test('2.1, 3.1: only the allowed algorithms verify, whatever the token names', async () => {
    const { claims, signBySecret, signByKey, check } = await world.trusting(byKeys)
    const none = `${encode({ alg: 'none' })}.${encode(claims())}.`
    expect(await check(none)).toBe('token_malformed')
    expect(await check(`${encode({ alg: 'none' })}.${encode(claims())}.AAAA`)).toBe(
      'token_unknown_key',
    )
    // The public key as a shared secret
    const asSecret = JSON.stringify(ecJwk)
    expect(await check(await signBySecret({}, { kid: 'ec-1' }, asSecret))).toBe('token_unknown_key')
    const rs = await signByKey({}, { alg: 'RS256', kid: 'ec-1' }, rsa.privateKey)
    expect(await check(rs)).toBe('token_unknown_key')
    expect(await check(await signByKey())).toBe(undefined)
  })

  test('2.1, 3.1: a key of the issuer verifies nothing by an algorithm that is not allowed', async () => {
    const rsaJwk = { ...(await exportJWK(rsa.publicKey)), kty: 'RSA', kid: 'rsa-1', alg: 'RS256' }
    const { url } = await serveKeys(ecJwk, rsaJwk)
    const { signByKey, check } = await world.trusting(byUrl(url))
    const rs = await signByKey({}, { alg: 'RS256', kid: 'rsa-1' }, rsa.privateKey)
    expect(await check(rs)).toBe('token_unknown_key')
    expect(await check(await signByKey())).toBe(undefined)
  })

  test('3.2: only current algorithms can be allowed', async () => {
    const { trust } = await world.openAccount()
    for (const name of ['none', 'HS1', 'RSA1_5', 'ES256K', 'EdDSA ']) {
      const input = { ...bySecret, algorithms: [name] } as never // what must be refused
      expect(await codeOf(trust(input))).toBe('validation_failed')
    }
  })

  test.each([
    ['the neutral element', '01', '00', '00'],
    ['order 4', '00', '00', '00'],
    ['order 4, with the other sign', '00', '00', '80'],
    ['order 2', 'ec', 'ff', '7f'],
    ['order 4, not reduced', 'ed', 'ff', '7f'],
    ['the neutral element, not reduced, with the other sign', 'ee', 'ff', 'ff'],
  ])('3.4: a key of small order needs no private key: %s', async (_, first, middle, last) => {
    const { trust } = await world.openAccount()
    const withPoint = (point: Buffer) =>
      trust({
        ...byKeys,
        algorithms: ['EdDSA'],
        publicKeys: [{ kty: 'OKP', crv: 'Ed25519', x: point.toString('base64url') }],
      })
    const point = Buffer.from(`${first}${middle.repeat(30)}${last}`, 'hex')
    expect(await codeOf(withPoint(point))).toBe('validation_failed')
    point[15] = 0x42
    expect(await codeOf(withPoint(point))).toBeUndefined()
  })

  test.each([
    '26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc05',
    'c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac03fa',
  ])('3.4: a key of order 8: %s', async (point) => {
    const { trust } = await world.openAccount()
    const x = Buffer.from(point, 'hex').toString('base64url')
    const publicKeys = [{ kty: 'OKP', crv: 'Ed25519', x }]
    const trusted = trust({ ...byKeys, algorithms: ['EdDSA'], publicKeys })
    expect(await codeOf(trusted)).toBe('validation_failed')
  })

  test('3.3: every signature is verified, and every part of the token is under it', async () => {
    const { claims, signByKey, check } = await world.trusting(byKeys)
    const [header, payload, signature] = (await signByKey()).split('.')
    const altered = encode(claims({ exp: world.seconds + 3600 }))
    expect(await check(`${header}.${altered}.${signature}`)).toBe('token_signature_invalid')
    const otherHeader = encode({ alg: 'ES256', kid: 'ec-1', x: 1 })
    expect(await check(`${otherHeader}.${payload}.${signature}`)).toBe('token_signature_invalid')
    expect(await check(`${header}.${payload}.AAAA`)).toBe('token_signature_invalid')
    expect(await check(await signByKey({}, { kid: 'ec-1' }, otherEc.privateKey))).toBe(
      'token_signature_invalid',
    )
  })

  test('3.4: a key that is not a point on its curve is refused', async () => {
    const { trust } = await world.openAccount()
    const x = Buffer.alloc(32, 1).toString('base64url')
    const input = { ...byKeys, publicKeys: [{ kty: 'EC', crv: 'P-256', x, y: x }] }
    expect(await codeOf(trust(input))).toBe('validation_failed')
  })

  test('3.5: short secrets, short RSA keys and forgeable ones are refused', async () => {
    const { trust } = await world.openAccount()
    const rsa = (bytes: number, e: string) => ({
      ...byKeys,
      algorithms: ['RS256' as const],
      publicKeys: [{ kty: 'RSA', n: Buffer.alloc(bytes, 255).toString('base64url'), e }],
    })
    for (const input of [
      { ...bySecret, sharedSecret: 'x'.repeat(31) },
      { ...bySecret, algorithms: ['HS512' as const], sharedSecret: 'x'.repeat(63) },
      rsa(128, 'AQAB'),
      rsa(1025, 'AQAB'),
      rsa(256, 'AQ'),
      rsa(256, 'AAAB'),
      rsa(256, 'Ag'),
      rsa(256, ''),
    ]) {
      expect(await codeOf(trust(input))).toBe('validation_failed')
    }
  })

  test('3.6: encrypted tokens, and so compressed ones, are not read', async () => {
    const { check } = await world.trusting(bySecret)
    const header = encode({ alg: 'dir', enc: 'A256GCM', zip: 'DEF' })
    expect(await check(`${header}..AAAA.AAAA.AAAA`)).toBe('token_malformed')
  })

  test('3.7: a token that is not UTF-8 is malformed', async () => {
    const { check } = await world.trusting(bySecret)
    const payload = Buffer.from([...Buffer.from('{"iss":"'), 0xff, ...Buffer.from('"}')])
    expect(await check(`${encode({ alg: 'HS256' })}.${payload.toString('base64url')}.AAAA`)).toBe(
      'token_malformed',
    )
  })

  test('3.8: issuer and keys belong together, and the subject is a user of this account', async () => {
    const { clientele, signByKey, trust, check } = await world.trusting(byKeys)
    const issuer = 'https://other.example.com'
    await trust({ ...byKeys, issuer, publicKeys: [otherEcJwk] })
    const crossed = await signByKey({ iss: issuer })
    expect(await check(crossed)).toBe('token_unknown_key')
    expect(await check(await signByKey({ iss: `${iss}/` }))).toBe('token_unknown_key')
    const other = await clientele.accounts.create({ name: 'Other' })
    const input = { name: 'Eve', email: 'eve@example.com', password: 'password' }
    const { user } = await clientele.users.create(other.id, input)
    expect(await check(await signByKey({ sub: user.id }))).toBe('token_user_not_found')
    expect(await check(await signByKey({ sub: randomUUID() }))).toBe('token_user_not_found')
    expect(await check(await signByKey({ sub: 'ada' }))).toBe('token_user_not_found')
    expect(await check(await signByKey({ sub: undefined }))).toBe('token_claims_invalid')
    // Another account does not trust this issuer.
    expect(await check(await signByKey(), clientele, other.id)).toBe('token_unknown_key')
  })

  test('3.9: the audience is required and compared', async () => {
    const { signByKey, check } = await world.trusting(byKeys)
    expect(await check(await signByKey({ aud: ['https://x.example.com', aud] }))).toBe(undefined)
    for (const wrong of [undefined, 'https://x.example.com', [], `${aud}/`])
      expect(await check(await signByKey({ aud: wrong }))).toBe('token_claims_invalid')
  })

  test('3.10: keys that the token brings along, or points to, are not used', async () => {
    const { claims, signByKey, check } = await world.trusting(byKeys)
    const server = await serveKeys(otherEcJwk)
    for (const header of [
      { kid: 'ec-2', jwk: otherEcJwk },
      { kid: 'ec-2', jku: server.url },
      { kid: 'ec-2', x5u: server.url },
      { kid: "' or 1=1 --" },
      { kid: '../../../../dev/null' },
    ]) {
      expect(await check(await signByKey({}, header, otherEc.privateKey))).toBe('token_unknown_key')
    }
    expect(server.requests).toBe(0)
    const critical = `${encode({ alg: 'ES256', kid: 'ec-1', crit: ['x'], x: 1 })}.${encode(claims())}.AAAA`
    expect(await check(critical)).toBe('token_malformed')
  })

  test('3.11: tokens that say they are for another purpose are refused', async () => {
    const { signByKey, check } = await world.trusting(byKeys)
    for (const typ of ['JWT', 'jwt', 'at+jwt', 'application/at+jwt'])
      expect(await check(await signByKey({}, { kid: 'ec-1', typ }))).toBe(undefined)
    for (const typ of ['logout+jwt', 'dpop+jwt', 'secevent+jwt'])
      expect(await check(await signByKey({}, { kid: 'ec-1', typ }))).toBe('token_claims_invalid')
  })

  test("3.12: an issuer's token never passes for ours, nor ours for an issuer's", async () => {
    const { clientele, accountId, credentials, signByKey, check } = await world.trusting(byKeys)
    const ours = await logIn(clientele, accountId, credentials)
    expect(await check(ours.token)).toBe(undefined)
    const payload = JSON.parse(Buffer.from(ours.token.split('.')[1] ?? '', 'base64url').toString())
    expect(await check(await signByKey(payload))).toBe('token_unknown_key')
    const result = await clientele.auth.validateToken(accountId, await signByKey({ role: 'x' }))
    expect(result.trustedIssuerId).not.toBe(null)
    expect(result.claims).toMatchObject({ iss, role: 'x' })
  })
})
