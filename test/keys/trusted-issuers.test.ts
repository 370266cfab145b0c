import { randomUUID } from 'node:crypto'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Clientele, NewTrustedIssuer, PublicJwk } from '@clientele/core'
import { exportJWK, generateKeyPair, type JWTPayload, SignJWT } from 'jose'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { databases, type OpenDatabase } from '../support/databases.ts'
import { logIn } from '../support/log-in.ts'
import { codeOf, LogRecorder, openClientele, send } from './open-clientele.ts'

const iss = 'https://login.example.com'
const aud = 'https://api.example.com'
const secret = 'a shared secret of 32 bytes or more'
const ec = await generateKeyPair('ES256', { extractable: true })
const otherEc = await generateKeyPair('ES256', { extractable: true })
const rsa = await generateKeyPair('RS256', { extractable: true })
const ecJwk: PublicJwk = { ...(await exportJWK(ec.publicKey)), kid: 'ec-1' }
const otherEcJwk: PublicJwk = { ...(await exportJWK(otherEc.publicKey)), kid: 'ec-2' }
const rsaJwk: PublicJwk = { ...(await exportJWK(rsa.publicKey)), kid: 'rsa-1' }
const encode = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url')

describe.each(databases)('trusted issuers on $name', ({ open }) => {
  let database: OpenDatabase
  let first: Clientele
  let second: Clientele
  let accountId: string
  let apiKey: string
  let userId: string
  const email = 'ada@example.com'
  const logger = new LogRecorder()
  let now = Date.parse('2026-05-05T12:00:00.500Z')
  const clock = () => now
  const trustedIssuers = { allowPrivateAddresses: true }

  beforeAll(async () => {
    database = await open()
    first = await openClientele(database.url, { clock, logger, trustedIssuers })
    second = await openClientele(database.url, { clock, logger, trustedIssuers })
  })
  afterAll(async () => {
    await Promise.all([first.close(), second.close()])
    await database.close()
  })
  beforeEach(async () => {
    accountId = (await first.accounts.create({ name: 'Acme' })).id
    apiKey = (await first.apiKeys.create(accountId)).api_key
    const input = { name: 'Ada', email, password: 'password' }
    userId = (await first.users.create(accountId, input)).user.id
    // A token of the second in which its user was made is refused.
    now += 2_000
  })

  const bySecret: NewTrustedIssuer = {
    issuer: iss,
    audience: aud,
    algorithms: ['HS256'],
    shared_secret: secret,
  }
  const byKeys: NewTrustedIssuer = {
    issuer: iss,
    audience: aud,
    algorithms: ['ES256'],
    public_keys: [{ kty: 'EC', ...ecJwk }],
  }
  const seconds = () => Math.floor(now / 1000)
  const claims = (changes: Record<string, unknown> = {}): JWTPayload => {
    const all = { iss, aud, sub: userId, iat: seconds(), exp: seconds() + 60, ...changes }
    return Object.fromEntries(Object.entries(all).filter(([, value]) => value !== undefined))
  }
  const signHs = (payload = claims(), header: object = {}, key = secret) =>
    new SignJWT(payload)
      .setProtectedHeader({ alg: 'HS256', ...header })
      .sign(new TextEncoder().encode(key))
  const signEs = (payload = claims(), header: object = { kid: 'ec-1' }, key = ec.privateKey) =>
    new SignJWT(payload).setProtectedHeader({ alg: 'ES256', ...header }).sign(key)
  const check = (token: string, at = first, account = accountId) =>
    codeOf(at.auth.validateToken(account, token))

  describe('registering', () => {
    test('is told, listed without the secret, changed and ended', async () => {
      const events: unknown[] = []
      const stops = (['issuer.created', 'issuer.updated', 'issuer.deleted'] as const).map((name) =>
        first.events.on(name, (event) => events.push([name, event])),
      )
      const made = await first.issuers.create(accountId, bySecret)
      expect(made).toMatchObject({ issuer: iss, key_source: 'shared_secret', user_claim: 'sub' })
      expect(JSON.stringify([made, await first.issuers.list(accountId)])).not.toContain(secret)
      const token = await signHs()
      expect(await check(token)).toBe(undefined)
      expect(await codeOf(first.issuers.create(accountId, bySecret))).toBe('issuer_taken')

      await first.issuers.update(accountId, made.id, { audience: 'another' })
      expect(await check(token)).toBe('token_claims_invalid')
      expect(await check(await signHs(claims({ aud: 'another' })))).toBe(undefined)
      const keyed = await first.issuers.update(accountId, made.id, {
        algorithms: ['ES256'],
        public_keys: [{ kty: 'EC', ...ecJwk }],
      })
      expect(keyed).toMatchObject({ key_source: 'public_keys', audience: 'another' })
      expect(await check(await signHs(claims({ aud: 'another' })))).toBe('token_unknown_key')
      expect(await check(await signEs(claims({ aud: 'another' })))).toBe(undefined)

      await first.issuers.delete(accountId, made.id)
      expect(await check(await signEs(claims({ aud: 'another' })))).toBe('token_unknown_key')
      expect(await codeOf(first.issuers.delete(accountId, made.id))).toBe('issuer_not_found')
      for (const stop of stops) stop()
      const event = { accountId, issuerId: made.id, issuer: iss }
      expect(events).toEqual([
        ['issuer.created', event],
        ['issuer.updated', event],
        ['issuer.updated', event],
        ['issuer.deleted', event],
      ])
    })

    test('is seen by other processes within seconds', async () => {
      const token = await signHs()
      expect(await check(token, second)).toBe('token_unknown_key')
      const { id } = await first.issuers.create(accountId, bySecret)
      now += 3_000
      expect(await check(token, second)).toBe(undefined)
      await first.issuers.delete(accountId, id)
      now += 3_000
      expect(await check(token, second)).toBe('token_unknown_key')
    })

    const wrong: Record<string, Partial<NewTrustedIssuer>> = {
      'our own name': { issuer: 'clientele' },
      'no keys': { shared_secret: undefined },
      'two kinds of keys': { jwks_url: 'https://login.example.com/keys' },
      'no algorithm': { algorithms: [] },
      'a symmetric algorithm beside an asymmetric one': { algorithms: ['HS256', 'RS256'] },
      'a public key for a symmetric algorithm': {
        shared_secret: undefined,
        public_keys: [{ kty: 'EC', ...ecJwk }],
      },
      'a key that no algorithm fits': {
        ...byKeys,
        algorithms: ['RS256'],
        shared_secret: undefined,
      },
      'a private key': {
        ...byKeys,
        shared_secret: undefined,
        public_keys: [{ kty: 'EC', ...ecJwk, d: 'AAAA' }],
      },
      'a URL that is none': { shared_secret: undefined, algorithms: ['ES256'], jwks_url: 'keys' },
      'a URL with credentials': {
        shared_secret: undefined,
        algorithms: ['ES256'],
        jwks_url: 'https://a:b@example.com/',
      },
      'a file': { shared_secret: undefined, algorithms: ['ES256'], jwks_url: 'file:///etc/passwd' },
    }
    test.each(Object.entries(wrong))('%s is refused', async (_, changes) => {
      const input = JSON.parse(JSON.stringify({ ...bySecret, ...changes }))
      expect(await codeOf(first.issuers.create(accountId, input))).toBe('validation_failed')
      expect(await first.issuers.list(accountId)).toEqual([])
    })

    test('a change has to obey the same rules', async () => {
      const { id } = await first.issuers.create(accountId, bySecret)
      for (const changes of [
        { algorithms: ['ES256'] },
        { issuer: 'clientele' },
        { shared_secret: 'x' },
      ]) {
        const outcome = codeOf(first.issuers.update(accountId, id, changes as never)) // what must be refused
        expect(await outcome).toBe('validation_failed')
      }
      expect(await check(await signHs())).toBe(undefined)
    })

    test('private addresses are refused unless they are allowed', async () => {
      const strict = await openClientele(database.url, { clock })
      for (const host of [
        '127.0.0.1',
        '10.1.2.3',
        '169.254.169.254',
        '[::1]',
        '[::ffff:10.0.0.1]',
        '0x7f.1',
      ]) {
        const input = { ...bySecret, shared_secret: undefined, algorithms: ['ES256' as const] }
        const jwks_url = `https://${host}/keys`
        const made = codeOf(
          strict.issuers.create(accountId, JSON.parse(JSON.stringify({ ...input, jwks_url }))),
        )
        expect(await made).toBe('validation_failed')
      }
      // A name is looked at when it is resolved.
      const log = new LogRecorder()
      const named = await openClientele(database.url, { clock, logger: log })
      const { shared_secret: _, ...rest } = bySecret
      await named.issuers.create(accountId, {
        ...rest,
        algorithms: ['ES256'],
        jwks_url: 'https://localhost/keys',
      })
      expect(await check(await signEs(), named)).toBe('token_unknown_key')
      expect(
        JSON.stringify(log.lines.map(({ details }) => String(Reflect.get(details, 'error')))),
      ).toContain('private network')
      await Promise.all([strict.close(), named.close()])
    })
  })

  describe('RFC 8725', () => {
    test('2.1, 3.1: the algorithm is the one that was agreed on, never the one that the token asks for', async () => {
      await first.issuers.create(accountId, byKeys)
      const none = `${encode({ alg: 'none' })}.${encode(claims())}.`
      expect(await check(none)).toBe('token_malformed')
      expect(await check(`${encode({ alg: 'none' })}.${encode(claims())}.AAAA`)).toBe(
        'token_unknown_key',
      )
      // The public key as a shared secret
      const asSecret = JSON.stringify(ecJwk)
      expect(await check(await signHs(claims(), { kid: 'ec-1' }, asSecret))).toBe(
        'token_unknown_key',
      )
      const rs = new SignJWT(claims()).setProtectedHeader({ alg: 'RS256', kid: 'ec-1' })
      expect(await check(await rs.sign(rsa.privateKey))).toBe('token_unknown_key')
      expect(await check(await signEs())).toBe(undefined)
    })

    test('3.2: only algorithms of today can be agreed on', async () => {
      for (const name of ['none', 'HS1', 'RSA1_5', 'ES256K', 'EdDSA ']) {
        const input = { ...bySecret, algorithms: [name] } as never // what must be refused
        expect(await codeOf(first.issuers.create(accountId, input))).toBe('validation_failed')
      }
    })

    test('3.3: every signature is verified, and every part of the token is under it', async () => {
      await first.issuers.create(accountId, byKeys)
      const [header, payload, signature] = (await signEs()).split('.')
      const altered = encode(claims({ exp: seconds() + 3600 }))
      expect(await check(`${header}.${altered}.${signature}`)).toBe('token_signature_invalid')
      const otherHeader = encode({ alg: 'ES256', kid: 'ec-1', x: 1 })
      expect(await check(`${otherHeader}.${payload}.${signature}`)).toBe('token_signature_invalid')
      expect(await check(`${header}.${payload}.AAAA`)).toBe('token_signature_invalid')
      expect(await check(await signEs(claims(), { kid: 'ec-1' }, otherEc.privateKey))).toBe(
        'token_signature_invalid',
      )
    })

    test('3.4: a key that is no point on its curve is refused', async () => {
      const x = Buffer.alloc(32, 1).toString('base64url')
      const input = { ...byKeys, public_keys: [{ kty: 'EC', crv: 'P-256', x, y: x }] }
      expect(await codeOf(first.issuers.create(accountId, input))).toBe('validation_failed')
    })

    test('3.5: short secrets and short RSA keys are refused', async () => {
      const n = Buffer.alloc(128, 255).toString('base64url')
      for (const input of [
        { ...bySecret, shared_secret: 'x'.repeat(31) },
        { ...bySecret, algorithms: ['HS512' as const], shared_secret: 'x'.repeat(63) },
        { ...byKeys, algorithms: ['RS256' as const], public_keys: [{ kty: 'RSA', n, e: 'AQAB' }] },
      ]) {
        expect(await codeOf(first.issuers.create(accountId, input))).toBe('validation_failed')
      }
    })

    test('3.6: encrypted tokens, and so compressed ones, are not read', async () => {
      await first.issuers.create(accountId, bySecret)
      const header = encode({ alg: 'dir', enc: 'A256GCM', zip: 'DEF' })
      expect(await check(`${header}..AAAA.AAAA.AAAA`)).toBe('token_malformed')
    })

    test('3.7: what is not UTF-8 is malformed', async () => {
      await first.issuers.create(accountId, bySecret)
      const payload = Buffer.from([...Buffer.from('{"iss":"'), 0xff, ...Buffer.from('"}')])
      expect(await check(`${encode({ alg: 'HS256' })}.${payload.toString('base64url')}.AAAA`)).toBe(
        'token_malformed',
      )
    })

    test('3.8: issuer and keys belong together, and the subject is a user of this account', async () => {
      await first.issuers.create(accountId, byKeys)
      await first.issuers.create(accountId, {
        ...byKeys,
        issuer: 'https://other.example.com',
        public_keys: [{ kty: 'EC', ...otherEcJwk }],
      })
      const crossed = signEs(claims({ iss: 'https://other.example.com' }))
      expect(await check(await crossed)).toBe('token_unknown_key')
      expect(await check(await signEs(claims({ iss: `${iss}/` })))).toBe('token_unknown_key')
      const other = await first.accounts.create({ name: 'Other' })
      const input = { name: 'Eve', email: 'eve@example.com', password: 'password' }
      const { user } = await first.users.create(other.id, input)
      expect(await check(await signEs(claims({ sub: user.id })))).toBe('token_user_not_found')
      expect(await check(await signEs(claims({ sub: randomUUID() })))).toBe('token_user_not_found')
      expect(await check(await signEs(claims({ sub: 'ada' })))).toBe('token_user_not_found')
      expect(await check(await signEs(claims({ sub: undefined })))).toBe('token_claims_invalid')
      // Another account does not trust this issuer.
      expect(await check(await signEs(), first, other.id)).toBe('token_unknown_key')
    })

    test('3.9: the audience is required and compared', async () => {
      await first.issuers.create(accountId, byKeys)
      expect(await check(await signEs(claims({ aud: ['https://x.example.com', aud] })))).toBe(
        undefined,
      )
      for (const wrong of [undefined, 'https://x.example.com', [], `${aud}/`])
        expect(await check(await signEs(claims({ aud: wrong })))).toBe('token_claims_invalid')
    })

    test('3.10: keys that the token brings along, or points to, are not used', async () => {
      await first.issuers.create(accountId, byKeys)
      let requests = 0
      const server = createServer((_, response) => {
        requests++
        response.end(JSON.stringify({ keys: [otherEcJwk] }))
      })
      await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
      const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/` // it listens on TCP
      for (const header of [
        { kid: 'ec-2', jwk: otherEcJwk },
        { kid: 'ec-2', jku: url },
        { kid: 'ec-2', x5u: url },
        { kid: "' or 1=1 --" },
        { kid: '../../../../dev/null' },
      ]) {
        expect(await check(await signEs(claims(), header, otherEc.privateKey))).toBe(
          'token_unknown_key',
        )
      }
      expect(requests).toBe(0)
      await new Promise((resolve) => server.close(resolve))
      const critical = `${encode({ alg: 'ES256', kid: 'ec-1', crit: ['x'], x: 1 })}.${encode(claims())}.AAAA`
      expect(await check(critical)).toBe('token_malformed')
    })

    test('3.11: tokens that say they are for another purpose are refused', async () => {
      await first.issuers.create(accountId, byKeys)
      for (const typ of ['JWT', 'jwt', 'at+jwt', 'application/at+jwt'])
        expect(await check(await signEs(claims(), { kid: 'ec-1', typ }))).toBe(undefined)
      for (const typ of ['logout+jwt', 'dpop+jwt', 'secevent+jwt'])
        expect(await check(await signEs(claims(), { kid: 'ec-1', typ }))).toBe(
          'token_claims_invalid',
        )
    })

    test("3.12: an issuer's token never passes for ours, nor ours for an issuer's", async () => {
      await first.issuers.create(accountId, byKeys)
      const ours = await logIn(first, accountId, { email, password: 'password' })
      expect(await check(ours.token)).toBe(undefined)
      const payload = JSON.parse(
        Buffer.from(ours.token.split('.')[1] ?? '', 'base64url').toString(),
      )
      expect(await check(await signEs(payload))).toBe('token_unknown_key')
      const result = await first.auth.validateToken(accountId, await signEs(claims({ role: 'x' })))
      expect(result.trustedIssuerId).not.toBe(null)
      expect(result.claims).toMatchObject({ iss, role: 'x' })
    })
  })

  describe('time', () => {
    beforeEach(() => first.issuers.create(accountId, byKeys))

    test('expiry and time of issue are required and compared', async () => {
      expect(await check(await signEs(claims({ exp: undefined })))).toBe('token_claims_invalid')
      expect(await check(await signEs(claims({ iat: undefined })))).toBe('token_claims_invalid')
      expect(await check(await signEs(claims({ exp: seconds() - 5 })))).toBe('token_expired')
      expect(await check(await signEs(claims({ iat: seconds() + 6 })))).toBe('token_not_yet_valid')
      expect(await check(await signEs(claims({ nbf: seconds() + 6 })))).toBe('token_not_yet_valid')
      expect(await check(await signEs(claims({ nbf: seconds() + 5 })))).toBe(undefined)
    })

    test('a new password revokes what was issued before, to the same second', async () => {
      const before = await signEs()
      await first.users.patch(accountId, userId, { password: 'another password' })
      const sameSecond = await signEs()
      now += 1_000
      const after = await signEs()
      expect(await check(before)).toBe('token_revoked')
      expect(await check(sameSecond)).toBe('token_revoked')
      expect(await check(after)).toBe(undefined)
    })

    test('deactivation holds at once, and what was issued before it stays revoked', async () => {
      const token = await signEs()
      await first.users.deactivate(accountId, userId)
      expect(await check(token)).toBe('token_user_inactive')
      await first.users.activate(accountId, userId)
      expect(await check(token)).toBe('token_revoked')
    })

    test('deletion holds at once', async () => {
      const token = await signEs()
      await first.users.delete(accountId, userId)
      expect(await check(token)).toBe('token_user_not_found')
    })
  })

  describe('the claim that names the user', () => {
    test('user_id is an id, email an address, and no other claim will do', async () => {
      const { id } = await first.issuers.create(accountId, { ...byKeys, user_claim: 'user_id' })
      expect(await check(await signEs(claims({ sub: 'x', user_id: userId })))).toBe(undefined)
      expect(await check(await signEs())).toBe('token_claims_invalid')
      await first.issuers.update(accountId, id, { user_claim: 'email' })
      expect(await check(await signEs(claims({ email: ' ADA@Example.com' })))).toBe(undefined)
      expect(await check(await signEs(claims({ email, email_verified: true })))).toBe(undefined)
      expect(await check(await signEs(claims({ email, email_verified: false })))).toBe(
        'token_claims_invalid',
      )
      expect(await check(await signEs(claims({ email: 'eve@example.com' })))).toBe(
        'token_user_not_found',
      )
      expect(await check(await signEs(claims({ email: [email] })))).toBe('token_claims_invalid')
      expect(await check(await signEs())).toBe('token_claims_invalid')
    })

    test('a user made anew under the same address does not inherit tokens', async () => {
      await first.issuers.create(accountId, { ...byKeys, user_claim: 'email' })
      const token = await signEs(claims({ email, exp: seconds() + 3600 }))
      expect(await check(token)).toBe(undefined)
      await first.users.delete(accountId, userId)
      expect(await check(token)).toBe('token_user_not_found')
      now += 10_000
      await first.users.create(accountId, { name: 'Ada', email, password: 'password' })
      expect(await check(token)).toBe('token_revoked')
    })
  })

  test('over HTTP and in the guard of an account, the token is accepted like ours', async () => {
    await first.issuers.create(accountId, byKeys)
    // A session id that is not one of the user's changes nothing: it is the issuer's.
    const token = await signEs(claims({ sid: randomUUID() }))
    const ask = (text: string) =>
      send(first, 'POST', '/client/user/auth/validation-token', {
        key: apiKey,
        body: { token: `Bearer ${text}` },
      })
    expect(await ask(token)).toMatchObject({
      status: 200,
      body: { isValid: true, user: { id: userId } },
    })
    expect(await ask(await signEs(claims({ aud: 'x' })))).toMatchObject({
      status: 401,
      body: { isValid: false, code: 'token_claims_invalid' },
    })
    const authorization = `Bearer ${token}`
    const request = { headers: { authorization }, rawHeaders: ['Authorization', authorization] }
    expect(await first.guard(request, { accountId })).toMatchObject({
      user: { id: userId },
      accountId,
    })
    expect(await first.guard(request)).toMatchObject({ response: { status: 401 } })
  })

  test('the shared secret is kept encrypted, and follows a change of the secret', async () => {
    await first.issuers.create(accountId, bySecret)
    const [old, fresh] = [
      'a secret of the tests, 32 characters',
      'another secret of the tests, longer',
    ]
    const between = await openClientele(database.url, { clock, secrets: [fresh, old] })
    expect(await check(await signHs(), between)).toBe(undefined)
    const after = await openClientele(database.url, { clock, secrets: [fresh] })
    expect(await check(await signHs(), after)).toBe(undefined)
    const back = await openClientele(database.url, { clock, secrets: [old, fresh] })
    await Promise.all([between.close(), after.close(), back.close()])
  })

  describe('keys behind a URL', () => {
    let requests: number
    let answer: (request: IncomingMessage, response: ServerResponse) => void
    let url: string
    let close: () => Promise<void>
    const serve = (...keys: PublicJwk[]) => {
      answer = (_, response) => response.end(JSON.stringify({ keys }))
    }

    beforeEach(async () => {
      requests = 0
      serve(ecJwk)
      const server = createServer((request, response) => {
        requests++
        answer(request, response)
      })
      await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
      url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/keys` // it listens on TCP
      close = () =>
        new Promise((resolve) => {
          server.closeAllConnections()
          server.close(() => resolve())
        })
      await first.issuers.create(accountId, {
        issuer: iss,
        audience: aud,
        algorithms: ['ES256', 'RS256'],
        jwks_url: url,
      })
      return () => close()
    })
    const signOther = () => signEs(claims(), { kid: 'ec-2' }, otherEc.privateKey)
    const signRsa = () =>
      new SignJWT(claims()).setProtectedHeader({ alg: 'RS256', kid: 'rsa-1' }).sign(rsa.privateKey)

    test('are read once, and again for an unknown key, but not more than every 30 s', async () => {
      const tokens = await Promise.all(Array.from({ length: 20 }, () => signEs()))
      expect(await Promise.all(tokens.map((token) => check(token)))).toEqual(
        tokens.map(() => undefined),
      )
      expect(requests).toBe(1)
      serve(ecJwk, otherEcJwk, rsaJwk)
      for (let round = 0; round < 5; round++)
        expect(await check(await signOther())).toBe('token_unknown_key')
      expect(requests).toBe(1)
      now += 30_000
      expect(await check(await signOther())).toBe(undefined)
      expect(await check(await signRsa())).toBe(undefined)
      expect(requests).toBe(2)
    })

    test('that the issuer has withdrawn are forgotten after ten minutes', async () => {
      expect(await check(await signEs())).toBe(undefined)
      serve(otherEcJwk)
      now += 10 * 60_000
      await check(await signEs())
      await expect.poll(() => requests).toBe(2)
      await expect.poll(async () => check(await signEs())).toBe('token_unknown_key')
    })

    const lies: Record<string, (response: ServerResponse) => void> = {
      'never answers': () => {},
      'answers 500': (response) => response.writeHead(500).end('{}'),
      'redirects elsewhere': (response) =>
        response.writeHead(302, { location: 'http://127.0.0.1:1/' }).end(),
      'answers with nonsense': (response) => response.end('<html>'),
      'answers with null': (response) => response.end('null'),
      'answers with no keys': (response) => response.end('{"keys":[]}'),
      'answers with junk for keys': (response) =>
        response.end('{"keys":[null,1,{"kty":"oct","k":"AAAA","kid":"ec-1"}]}'),
      'answers without end': (response) => response.end(`{"keys":[${'{},'.repeat(200_000)}{}]}`),
      'stops in the middle': (response) => void response.write('{"keys":['),
      'breaks the connection': (response) => void response.destroy(),
    }
    test.each(Object.entries(lies))('stay when the server %s', async (_, lie) => {
      expect(await check(await signEs())).toBe(undefined)
      answer = (_request, response) => lie(response)
      now += 10 * 60_000
      const started = performance.now()
      for (let round = 0; round < 20; round++) expect(await check(await signEs())).toBe(undefined)
      expect(performance.now() - started).toBeLessThan(1_500)
      const ours = await logIn(first, accountId, { email, password: 'password' })
      expect(await check(ours.token)).toBe(undefined)
      expect(requests).toBe(2)
      // An unknown key waits for the server, and no longer than the time limit.
      expect(await check(await signOther())).toBe('token_unknown_key')
      expect(performance.now() - started).toBeLessThan(5_000)
      expect(await check(await signEs())).toBe(undefined)
      serve(ecJwk, otherEcJwk)
      now += 30_000
      expect(await check(await signOther())).toBe(undefined)
    })
  })
})
