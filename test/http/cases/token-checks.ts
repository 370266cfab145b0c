import { expect } from 'vitest'
import { invalid, lacking, plain, problem, renderUser, time } from '../support/answers.ts'
import type { World } from '../support/world.ts'
import { type Case, flow, row } from './case.ts'

const manyPath = '/client/user/auth/validation-tokens'
const introspectPath = '/client/user/auth/introspect'
const formType = 'application/x-www-form-urlencoded'

const many = (tokens: unknown) => ({ method: 'POST', path: manyPath, json: { tokens } })
const form = (body: string, more: readonly string[] = []) => ({
  method: 'POST',
  path: introspectPath,
  body,
  headers: ['content-type', formType, ...more],
})
const inactive = plain('{"active":false}')
const wrongType = problem('media_type_unsupported', {
  detail: `Send the body as ${formType} in UTF-8, without a content encoding.`,
})

const basic = (name: string, password: string): string[] => [
  'authorization',
  `Basic ${Buffer.from(`${name}:${password}`).toString('base64')}`,
]
const refusedBasic = problem('api_key_invalid', {
  headers: { 'www-authenticate': 'Basic realm="clientele"' },
})

/** A form of exactly this number of bytes, most of them in a field that is ignored. */
const padded = (length: number): string => `token=x&pad=${'x'.repeat(length - 12)}`

/** What introspection says of the token of a user. */
function activeAnswer(world: World, token: string): string {
  const claims = JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString())
  return JSON.stringify({
    active: true,
    iss: claims.iss,
    sub: claims.sub,
    aud: world.account.id,
    client_id: world.account.id,
    exp: claims.exp,
    iat: claims.iat,
    jti: claims.jti,
    sid: claims.sid,
    auth_time: claims.auth_time,
    amr: claims.amr,
    username: 'ada@example.com',
    token_type: 'Bearer',
  })
}

export const tokenCheckCases: readonly Case[] = [
  // --- several tokens
  flow('tokens: each has its own answer, in their order', async (world) => {
    const user = await world.createUser()
    const token = await world.logIn()
    const other = await world.createUser('grace@example.com')
    const gone = await world.logIn('grace@example.com')
    await world.clientele.users.deactivate(world.account.id, other.id)
    const valid = `{"isValid":true,"success_code":200,"user":${renderUser(user)}}`
    const refused = (code: string) => `{"isValid":false,"code":"${code}"}`
    await world.check(
      many([`Bearer ${token}`, '', token, `Bearer ${gone}`, `bearer  ${token}`, 'Bearer x.y.z']),
      plain(
        `{"results":[${[
          valid,
          refused('token_malformed'),
          refused('token_malformed'),
          refused('token_user_inactive'),
          valid,
          refused('token_malformed'),
        ].join(',')}]}`,
      ),
    )
    const strange = await world.otherTenant()
    const { body } = await world.send({ ...many([`Bearer ${token}`]), key: strange.key })
    expect(JSON.parse(body).results).toMatchObject([{ isValid: false }])
  }),
  flow('tokens: a hundred of them', async (world) => {
    await world.createUser()
    const token = await world.logIn()
    const reply = await world.send(many(Array(100).fill(`Bearer ${token}`)))
    expect(reply.status).toBe(200)
    const { results } = JSON.parse(reply.body)
    expect(results.filter((each: { isValid: boolean }) => each.isValid)).toHaveLength(100)
  }),
  row('tokens: none', many([]), invalid(['/tokens', 'too_few', 'must not be empty'])),
  row(
    'tokens: 101',
    many(Array(101).fill('x')),
    invalid(['/tokens', 'too_many', 'must have at most 100 items']),
  ),
  row(
    'tokens: what is no string',
    many(['Bearer x', 5, null]),
    invalid(['/tokens/1', 'type', 'must be a string'], ['/tokens/2', 'type', 'must be a string']),
  ),
  row('tokens: no list', many('x'), invalid(['/tokens', 'type', 'must be an array'])),
  row(
    'tokens: too many bytes',
    many(['x'.repeat(256 * 1024)]),
    problem('body_too_large', { detail: 'The body is larger than 256 KiB.' }),
  ),

  // --- introspection
  flow('introspection: an active token, and one whose session has ended', async (world) => {
    const user = await world.createUser()
    const token = await world.logIn()
    const active = plain(activeAnswer(world, token))
    await world.check(form(`token=${token}`), active)
    await world.check(form(`token_type_hint=refresh_token&token=${token}&other=1`), active)
    await world.check(form(`token=${token}&token_type_hint=a&token_type_hint=b`), active)
    const charset = {
      ...form(`token=${token}`),
      headers: ['content-type', `${formType}; charset=UTF-8`],
    }
    await world.check(charset, active)
    await world.check({ ...form(`token=${token}`), key: (await world.otherTenant()).key }, inactive)
    await world.clientele.sessions.revokeAll(world.account.id, user.id)
    await world.check(form(`token=${token}`), inactive)
  }),
  ...['x', 'a.b.c', 'Bearer+x', '%zz', '%ff', '+', '%F0%9F%98%80', 'null'].map((token) =>
    row(`introspection: a token like ${token}`, form(`token=${token}`), inactive),
  ),
  row(
    'introspection: a form without a token',
    form('other=1'),
    invalid(['/token', 'required', 'is required']),
  ),
  row('introspection: an empty form', form(''), invalid(['/token', 'required', 'is required'])),
  row(
    'introspection: an empty token',
    form('token='),
    invalid(['/token', 'too_short', 'must not be empty']),
  ),
  row(
    'introspection: two tokens',
    form('token=a&token=b'),
    invalid(['/token', 'repeated', 'must be given once']),
  ),
  row(
    'introspection: JSON',
    { method: 'POST', path: introspectPath, json: { token: 'x' } },
    wrongType,
  ),
  row(
    'introspection: another character set',
    { ...form('token=x'), headers: ['content-type', `${formType}; charset=latin1`] },
    wrongType,
  ),
  row('introspection: a form of 64 KiB', form(padded(65_536)), inactive),
  row(
    'introspection: a form of 64 KiB and a byte',
    form(padded(65_537)),
    problem('body_too_large'),
  ),
  row(
    'introspection: a chunked form of 64 KiB and a byte',
    { ...form(padded(65_537)), chunked: true },
    problem('body_too_large'),
  ),
  row('introspection: a form of 2,000 fields', form(`token=x${'&x=1'.repeat(2_000)}`), inactive),
  row(
    'a form where JSON is asked for',
    { ...form('token=Bearer+x'), path: '/client/user/auth/validation-token' },
    problem('media_type_unsupported'),
  ),

  // --- revocations
  flow('revocations: a session, a user, and what follows', async (world) => {
    const tenSecondsLater = new Date(Date.parse(time) + 10_000).toISOString()
    const path = '/client/user/auth/revocation'
    const user = await world.createUser()
    const token = await world.logIn()
    const { sid } = JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString())
    await world.clientele.sessions.revokeAll(world.account.id, user.id)
    await world.clientele.users.deactivate(world.account.id, user.id)
    const reply = await world.check(
      { path: `${path}?limit=1` },
      plain(
        new RegExp(
          `^{"data":\\[{"type":"session","session_id":"${sid}","at":"${time}"}\\],"next_cursor":"[\\w-]+","has_more":true}$`,
        ),
      ),
    )
    const next = await world.check(
      { path: `${path}?after=${JSON.parse(reply.body).next_cursor}` },
      plain(
        new RegExp(
          `^{"data":\\[{"type":"user","user_id":"${user.id}","not_before":"${time}","own_tokens_not_before":"${tenSecondsLater}"}\\],"next_cursor":"[\\w-]+","has_more":false}$`,
        ),
      ),
    )
    await world.check(
      { path: `${path}?after=${JSON.parse(next.body).next_cursor}&wait=0` },
      plain(/^{"data":\[\],"next_cursor":"[\w-]+","has_more":false}$/),
    )
  }),
  flow('revocations: an invalid query is explained', async (world) => {
    const path = '/client/user/auth/revocation'
    await world.check(
      { path: `${path}?after=x&limit=0` },
      invalid(['/limit', 'too_small', 'must be at least 1']),
    )
    await world.check(
      { path: `${path}?after=x` },
      invalid(['/after', 'cursor', 'is not a cursor of this feed']),
    )
    await world.check(
      { path: `${path}?wait=26&type=x` },
      invalid(
        ['/type', 'unrecognized', 'is not known here'],
        ['/wait', 'too_large', 'must be at most 25'],
      ),
    )
    await world.check({ path, key: null }, problem('api_key_missing'))
    const { apiKey } = await world.clientele.apiKeys.create(world.account.id, {
      scopes: ['events:read'],
    })
    await world.check({ path, key: apiKey }, lacking('tokens:validate'))
  }),

  // --- the key as HTTP Basic
  flow('introspection: account and key as HTTP Basic', async (world) => {
    await world.createUser()
    const token = await world.logIn()
    const active = plain(activeAnswer(world, token))
    const send = (name: string, password: string) => ({
      ...form(`token=${token}`, basic(name, password)),
      key: null,
    })
    const { account, key } = world
    await world.check(send(account.id, key), active)
    // Both parts are form-encoded before they are joined.
    await world.check(send(account.id.replaceAll('-', '%2D'), key.replaceAll('_', '%5f')), active)
    const other = await world.otherTenant()
    await world.check(send(other.account.id, key), refusedBasic)
    await world.check(send('', key), refusedBasic)
    await world.check(send(key, ''), refusedBasic)
    await world.check(send(account.id, `${key}%`), refusedBasic)
    await world.check(send(account.id, `${key}x`), refusedBasic)
  }),
  ...['Basic', 'Basic ', 'basic YWJj', 'Basic Og=='].map((value) =>
    row(
      `introspection: a key like ${JSON.stringify(value)}`,
      { ...form('token=x', ['authorization', value]), key: null },
      refusedBasic,
    ),
  ),
  ...['Basic YTpi*', 'Digest x', 'Bearer x'].map((value) =>
    row(
      `introspection: a key like ${JSON.stringify(value)}`,
      { ...form('token=x', ['authorization', value]), key: null },
      problem('api_key_invalid'),
    ),
  ),
  row('introspection: no key', { ...form('token=x'), key: null }, problem('api_key_missing')),
  flow('HTTP Basic opens nothing else', async (world) => {
    const { account, key } = world
    const call = { key: null, headers: basic(account.id, key) }
    await world.check(call, problem('api_key_invalid'))
  }),
]
