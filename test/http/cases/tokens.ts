import { createHmac, generateKeyPairSync, hash, sign } from 'node:crypto'
import { expect } from 'vitest'
import { invalid, invalidToken, json, plain, problem, renderUser } from '../support/answers.ts'
import { requestId } from '../support/send.ts'
import type { World } from '../support/world.ts'
import { password } from '../support/world.ts'
import { absentId, ada, type Case, flow, row } from './case.ts'

const path = '/client/user/auth/validation-token'
const validation = (token: string) => ({ method: 'POST', path, json: { token } })
const shape: [string, string, string] = [
  '/token',
  'format',
  'must have the form: Bearer <JWT or cut_…>',
]
const short: [string, string, string] = ['/token', 'too_short', 'must have at least 6 characters']
const encode = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString('base64url')
const decode = (part: string): Record<string, unknown> =>
  JSON.parse(Buffer.from(part, 'base64url').toString())

/** Where an account's documents for verifiers are. */
const documentOf = (accountId: string, name: string) =>
  `/client/account/${accountId}/.well-known/${name}`

async function readKeys(world: World): Promise<Record<string, string>[]> {
  const path = documentOf(world.account.id, 'jwks.json')
  return JSON.parse((await world.send({ path })).body).keys
}

/** A user, and the parts of a token of the user's. */
async function signIn(world: World) {
  const user = await world.createUser()
  const token = await world.logIn()
  const [head = '', payload = '', signature = ''] = token.split('.')
  return { user, token, head, payload, signature, header: decode(head), claims: decode(payload) }
}

const login = (email: unknown, given: unknown = password) => ({
  method: 'POST',
  path: '/client/user/auth/login',
  json: { email, password: given },
})

export const tokenCases: readonly Case[] = [
  flow('login', async (world) => {
    const user = await world.createUser()
    const reply = await world.check(
      login(' ADA@example.com '),
      plain(
        /^\{"success_code":200,"data":\{"token":"[\w-]+\.[\w-]+\.[\w-]+","token_type":"Bearer","expires_in":7200,"refresh_token":"[\w-]{43,}","refresh_expires_in":2592000\},"user":\{.*\}\}$/,
      ),
    )
    expect(reply.body.endsWith(`"user":${renderUser(user)}}`)).toBe(true)
    const [head = '', payload = ''] = JSON.parse(reply.body).data.token.split('.')
    const [key] = await readKeys(world)
    expect(decode(head)).toEqual({ alg: 'ES256', typ: 'at+jwt', kid: key?.kid })
    const iat = Math.floor(world.clock.now / 1000)
    expect(decode(payload)).toEqual({
      iss: `urn:clientele:account:${world.account.id}`,
      aud: world.account.id,
      client_id: world.account.id,
      sub: user.id,
      iat,
      exp: iat + 7200,
      jti: expect.stringMatching(/^[0-9a-f-]{36}$/),
      sid: expect.stringMatching(/^[0-9a-f-]{36}$/),
      amr: ['pwd'],
      auth_time: iat,
    })
  }),
  flow(
    'login: one answer to a wrong e-mail, a wrong password and an inactive user',
    async (world) => {
      const user = await world.createUser()
      const refused = problem('credentials_invalid')
      await world.check(login('nobody@example.com'), refused)
      await world.check(login('no address at all'), refused)
      await world.check(login(ada.email, 'wrong password'), refused)
      await world.check(login(ada.email, `${password} `), refused)
      await world.check({ ...login(ada.email), key: (await world.otherTenant()).key }, refused)
      await world.clientele.users.deactivate(world.account.id, user.id)
      await world.check(login(ada.email), refused)
    },
  ),
  row(
    'login: broken rules',
    login(5, ''),
    invalid(
      ['/email', 'type', 'must be a string'],
      ['/password', 'too_short', 'must not be empty'],
    ),
  ),
  row(
    'login: nothing',
    { method: 'POST', path: '/client/user/auth/login', json: {} },
    invalid(['/email', 'required', 'is required'], ['/password', 'required', 'is required']),
  ),
  flow('a valid token', async (world) => {
    const { user, token } = await signIn(world)
    const answer = plain(`{"isValid":true,"success_code":200,"user":${renderUser(user)}}`)
    for (const form of [`Bearer ${token}`, `bearer ${token}`, `BEARER    ${token}`]) {
      await world.check(validation(form), answer)
    }
    // The user is as it is now, not as it was.
    const changed = await world.clientele.users.patch(world.account.id, user.id, {
      name: 'Ada King',
    })
    await world.check(
      validation(`Bearer ${token}`),
      plain(`{"isValid":true,"success_code":200,"user":${renderUser(changed.user)}}`),
    )
  }),
  row(
    'a token is missing',
    { method: 'POST', path, json: {} },
    invalid(['/token', 'required', 'is required']),
  ),
  row(
    'a token of another type',
    { method: 'POST', path, json: { token: 5 } },
    invalid(['/token', 'type', 'must be a string']),
  ),
  row('a token of 5 characters', validation('Beare'), invalid(short, shape)),
  ...[
    'Bearer',
    'Bearer ',
    'Bearer\tabc',
    'Basic abcdef',
    'abc.def.ghi',
    ' Bearer abc',
    'Bearer a b',
    'Bearer abc ',
    'Bearerabc',
  ].map((token) => row(`a token like ${JSON.stringify(token)}`, validation(token), invalid(shape))),
  ...[
    'Bearer x',
    'Bearer a.b',
    'Bearer a.b.c',
    'Bearer ..',
    'Bearer a.b.c.d',
    'Bearer e30.e30.',
    'Bearer e30.e30.e30',
    'Bearer bnVsbA.e30.e30',
    `Bearer ${'a'.repeat(20_000)}.e30.e30`,
  ].map((token) =>
    row(`malformed: ${token.slice(0, 30)}`, validation(token), invalidToken('token_malformed')),
  ),
  flow('tokens that were tampered with', async (world) => {
    const { token, head, payload, signature, header, claims } = await signIn(world)
    const check = (parts: string[], code: Parameters<typeof invalidToken>[0]) =>
      world.check(validation(`Bearer ${parts.join('.')}`), invalidToken(code))
    const flipped = (signature.startsWith('A') ? 'B' : 'A') + signature.slice(1)
    await check([head, payload, flipped], 'token_signature_invalid')
    await check([head, encode({ ...claims, sub: absentId }), signature], 'token_signature_invalid')
    await check(
      [head, encode({ ...claims, exp: 9_999_999_999 }), signature],
      'token_signature_invalid',
    )
    await check([head, payload, signature.slice(0, -2)], 'token_signature_invalid')
    await check([head, payload, ''], 'token_malformed')
    // Strict base64url: padding, stray bits, blanks and the other alphabet are not.
    await check([head, payload, `${signature}==`], 'token_malformed')
    await check([head, payload, signature.slice(0, -1) + strayBit(signature)], 'token_malformed')
    await check([head, payload, `${signature}\n`], 'token_malformed')
    await check([`${head}=`, payload, signature], 'token_malformed')
    await check([encode({ ...header, crit: ['exp'] }), payload, signature], 'token_malformed')
    await check([encode({ ...header, kid: 5 }), payload, signature], 'token_malformed')
    await check([encode({ ...header, alg: 5 }), payload, signature], 'token_malformed')
    await check([encode({ ...header, kid: 'unknown' }), payload, signature], 'token_unknown_key')
    await check([encode({ ...header, kid: undefined }), payload, signature], 'token_unknown_key')
    for (const alg of ['none', 'None', 'EdDSA', 'RS256', 'HS256', 'ES384', '']) {
      await check([encode({ ...header, alg }), payload, signature], 'token_unknown_key')
    }
    await check([encode({ alg: 'none' }), payload, ''], 'token_malformed')
    await check(token.split('.').toReversed(), 'token_malformed')
  }),
  flow('HS256 under the public key, and keys that a header brings along', async (world) => {
    const { header, claims } = await signIn(world)
    const [jwk = {}] = await readKeys(world)
    const signed = (head: object, make: (input: string) => string): string => {
      const input = `${encode({ ...header, ...head })}.${encode(claims)}`
      return `Bearer ${input}.${make(input)}`
    }
    for (const secret of [
      JSON.stringify(jwk),
      jwk.x ?? '',
      Buffer.from(jwk.x ?? '', 'base64url'),
    ]) {
      const token = signed({ alg: 'HS256' }, (input) =>
        createHmac('sha256', secret).update(input).digest('base64url'),
      )
      await world.check(validation(token), invalidToken('token_unknown_key'))
    }
    const own = generateKeyPairSync('ec', { namedCurve: 'P-256' })
    const options = { key: own.privateKey, dsaEncoding: 'ieee-p1363' } as const
    const byOwn = (input: string): string =>
      sign('sha256', Buffer.from(input), options).toString('base64url')
    const jwkOfOwn = own.publicKey.export({ format: 'jwk' })
    await world.check(
      validation(signed({ jwk: jwkOfOwn }, byOwn)),
      invalidToken('token_signature_invalid'),
    )
    await world.check(
      validation(signed({ jwk: jwkOfOwn, kid: undefined }, byOwn)),
      invalidToken('token_unknown_key'),
    )
    const jku = 'http://127.0.0.1:9/jwks.json'
    await world.check(
      validation(signed({ jku, x5u: jku, kid: 'own' }, byOwn)),
      invalidToken('token_unknown_key'),
    )
  }),
  flow('a token expires after exactly expires_in seconds', async (world) => {
    const { token, user } = await signIn(world)
    const answer = plain(`{"isValid":true,"success_code":200,"user":${renderUser(user)}}`)
    // The clock stands in the middle of a second; a token is as old as the second says.
    world.clock.now += 7_199_000
    await world.check(validation(`Bearer ${token}`), answer)
    world.clock.now += 1_000
    await world.check(validation(`Bearer ${token}`), invalidToken('token_expired'))
    await world.check(validation(`Bearer ${token}`), invalidToken('token_expired'))
    // Another token, which was not validated before.
    const other = await world.logIn()
    world.clock.now += 7_200_000
    await world.check(validation(`Bearer ${other}`), invalidToken('token_expired'))
  }),
  flow('a token from the future', async (world) => {
    const { token } = await signIn(world)
    world.clock.now -= 10_000
    // Not remembered: the first look at it is this one.
    await world.check(validation(`Bearer ${token}`), invalidToken('token_not_yet_valid'))
  }),
  flow('a token of another account’s user', async (world) => {
    const { token } = await signIn(world)
    const { account, key } = await world.otherTenant()
    const foreign = invalidToken('token_unknown_key')
    await world.check({ ...validation(`Bearer ${token}`), key }, foreign)
    await world.send(validation(`Bearer ${token}`))
    await world.check({ ...validation(`Bearer ${token}`), key }, foreign)
    // Nor once the other account has a key of its own.
    await world.clientele.signingKeys.rotate(account.id)
    await world.check({ ...validation(`Bearer ${token}`), key }, foreign)
  }),
  flow(
    'a token of a user who was deleted, and created again with the same e-mail',
    async (world) => {
      const { token, user } = await signIn(world)
      await world.clientele.users.delete(world.account.id, user.id)
      const gone = invalidToken('token_user_not_found')
      await world.check(validation(`Bearer ${token}`), gone)
      await world.createUser()
      await world.check(validation(`Bearer ${token}`), gone)
      expect((await world.send(validation(`Bearer ${await world.logIn()}`))).status).toBe(200)
    },
  ),
  flow('a token of a user who was deactivated, and activated again', async (world) => {
    const { token, user } = await signIn(world)
    await world.send(validation(`Bearer ${token}`))
    await world.clientele.users.deactivate(world.account.id, user.id)
    await world.check(validation(`Bearer ${token}`), invalidToken('token_user_inactive'))
    await world.clientele.users.activate(world.account.id, user.id)
    await world.check(validation(`Bearer ${token}`), invalidToken('token_revoked'))
    expect((await world.send(validation(`Bearer ${await world.logIn()}`))).status).toBe(200)
  }),
  flow('a new password ends the tokens before it, within the same second', async (world) => {
    const { token, user } = await signIn(world)
    await world.clientele.users.patch(world.account.id, user.id, { password })
    await world.check(validation(`Bearer ${token}`), invalidToken('token_revoked'))
    expect((await world.send(validation(`Bearer ${await world.logIn()}`))).status).toBe(200)
  }),
  flow('the public keys need no API key', async (world) => {
    const request = { path: documentOf(world.account.id, 'jwks.json'), key: null }
    const document = {
      status: 200,
      headers: { 'content-type': json, 'cache-control': 'public, max-age=300', ...requestId },
    }
    await world.check(request, { ...document, body: '{"keys":[]}' })
    await signIn(world)
    const answer = await world.check(request, { ...document, body: /^\{"keys":\[\{.*\}\]\}$/ })
    const { keys } = JSON.parse(answer.body)
    expect(keys).toHaveLength(1)
    expect(Object.keys(keys[0]).sort()).toEqual(['alg', 'crv', 'kid', 'kty', 'use', 'x', 'y'])
    const { account } = await world.otherTenant()
    const theirs = { path: documentOf(account.id, 'jwks.json'), key: null }
    await world.check(theirs, { ...document, body: '{"keys":[]}' })
  }),
  flow('the key set of an account that does not exist', async (world) => {
    for (const id of [absentId, 'none', `${world.account.id}x`]) {
      const path = documentOf(id, 'jwks.json')
      await world.check({ path, key: null }, problem('account_not_found'))
    }
  }),
  flow('without a public URL there is a key set, and no metadata', async (world) => {
    for (const name of ['openid-configuration', 'oauth-authorization-server']) {
      const path = documentOf(world.account.id, name)
      await world.check({ path, key: null }, problem('route_not_found'))
    }
    for (const path of ['/client/account', documentOf(world.account.id, 'other')]) {
      await world.check({ path, key: null }, problem('route_not_found'))
    }
  }),
  flow(
    'the OpenAPI document needs no API key, and is not sent again to a client that has it',
    async (world) => {
      const address = '/client/user/openapi.json'
      const { status, headers, body } = await world.send({ path: address, key: null })
      const etag = `"${hash('sha256', body, 'base64url')}"`
      const kept = { 'cache-control': 'public, max-age=300', etag, ...requestId }
      expect({ status, headers }).toEqual({
        status: 200,
        headers: { 'content-type': json, ...kept },
      })
      expect(body).toMatch(/^\{"openapi":"3\.1\./)
      const known = { path: address, key: null, headers: ['if-none-match', `"1", W/${etag}`] }
      await world.check(known, { status: 304, headers: kept, body: '' })
      await world.check(
        { ...known, method: 'HEAD', headers: ['if-none-match', '"1"'] },
        { status: 200, headers: { 'content-type': json, ...kept }, body: '' },
      )
    },
  ),
]

/** The last character with a bit set that no byte has. */
function strayBit(signature: string): string {
  const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_'
  return alphabet.charAt(alphabet.indexOf(signature.at(-1) ?? 'A') | 1)
}
