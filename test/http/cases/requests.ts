import { gzipSync } from 'node:zlib'
import { expect } from 'vitest'
import { invalid, notAllowed, oneUser, problem } from '../support/answers.ts'
import { send } from '../support/send.ts'
import type { World } from '../support/world.ts'
import { absentId, ada, type Case, flow, newAda, row } from './case.ts'

const body = JSON.stringify(newAda)
const created = oneUser(ada, 1, {
  status: 201,
  headers: { location: '<prefix>/client/user/<id>' },
})
const unsupported = problem('media_type_unsupported')
const malformed = problem('malformed_json')

/** A create whose content type, or another field, is this. */
const withHeaders = (name: string, headers: string[], answer: typeof created, sent = body): Case =>
  row(name, { method: 'POST', headers, body: sent }, answer)

/** A create whose body is exactly this. */
const withBody = (name: string, sent: string | Buffer, answer: typeof created): Case =>
  row(name, { method: 'POST', headers: ['content-type', 'application/json'], body: sent }, answer)

/** JSON of so many bytes, its password left out of the padding. */
const padded = (length: number): string => {
  const start = `${body.slice(0, -1)},"padding":"`
  return `${start}${'x'.repeat(length - start.length - 2)}"}`
}

const notUtf8 = Buffer.from(body.replace('Lovelace', 'L\u00f6velace'), 'latin1')

export const requestCases: readonly Case[] = [
  // --- content types and encodings
  ...[
    'application/json',
    'application/json; charset=utf-8',
    'application/json;charset="UTF-8"',
    'APPLICATION/JSON ; Charset=utf8',
    'application/json; profile=x',
  ].map((type) => withHeaders(`content type ${type}`, ['content-type', type], created)),
  ...[
    'text/plain',
    'application/x-www-form-urlencoded',
    'multipart/form-data; boundary=x',
    'application/merge-patch+json',
    'application/problem+json',
    'application/jsonp',
    'application/json, text/plain',
    'json',
    '/',
    '*/*',
    'application/json; charset=latin1',
    'application/json; charset=utf-16',
  ].map((type) => withHeaders(`content type ${type}`, ['content-type', type], unsupported)),
  withHeaders('no content type', [], unsupported),
  withHeaders(
    'a body that is compressed in name',
    ['content-type', 'application/json', 'content-encoding', 'gzip'],
    unsupported,
  ),
  row(
    'a body that is compressed',
    {
      method: 'POST',
      headers: ['content-type', 'application/json', 'content-encoding', 'gzip'],
      body: gzipSync(body),
    },
    unsupported,
  ),
  withHeaders(
    'content encoding identity',
    ['content-type', 'application/json', 'content-encoding', 'identity'],
    created,
  ),

  // --- bodies
  withBody('an empty body', '', malformed),
  withBody('a body of blanks', '  \n', malformed),
  withBody('a body that is cut off', body.slice(0, -1), malformed),
  withBody('a body with something behind it', `${body}x`, malformed),
  withBody('a body in single quotes', "{'name':1}", malformed),
  withBody('a body with a trailing comma', '{"name":"a",}', malformed),
  withBody('NaN in a body', '{"metadata":{"a":NaN}}', malformed),
  withBody('a byte order mark', `\ufeff${body}`, malformed),
  withBody('a body that is not UTF-8', notUtf8, malformed),
  withBody('a body with overlong UTF-8', Buffer.from([0x22, 0xc0, 0xaf, 0x22]), malformed),
  withBody('a body with blanks around it', ` \r\n\t${body}\n`, created),
  withBody(
    'a member twice: the last counts',
    body.replace('{', '{"name":"Eve","roles":["x"],'),
    oneUser({ ...ada, roles: ['x'] }, 1, {
      status: 201,
      headers: { location: '<prefix>/client/user/<id>' },
    }),
  ),
  withBody('a body of 64 KiB', padded(65_536), created),
  withBody('a body of 64 KiB and a byte', padded(65_537), problem('body_too_large')),
  withBody('a body of 500 KB', padded(500_000), problem('body_too_large')),
  row(
    'a chunked body of 64 KiB',
    {
      method: 'POST',
      headers: ['content-type', 'application/json'],
      body: padded(65_536),
      chunked: true,
    },
    created,
  ),
  row(
    'a chunked body of 64 KiB and a byte',
    {
      method: 'POST',
      headers: ['content-type', 'application/json'],
      body: padded(65_537),
      chunked: true,
    },
    problem('body_too_large'),
  ),
  row(
    'a chunked body without a byte',
    { method: 'POST', headers: ['content-type', 'application/json'], chunked: true },
    malformed,
  ),
  flow('a body where none is asked for is ignored', async (world) => {
    const user = await world.createUser()
    const path = `/client/user/${user.id}`
    await world.check({ path, body: '{', headers: ['content-type', 'text/plain'] }, oneUser(user))
    await world.check(
      { method: 'POST', path: `${path}/activate`, body: 'x', headers: ['content-type', 'a/b'] },
      oneUser(user, 2),
    )
  }),
  flow('a connection serves on after an answer that left the body unread', async (world) => {
    for (let count = 0; count < 3; count++) {
      await world.check(
        { method: 'POST', key: null, body: padded(300_000) },
        problem('api_key_missing'),
      )
    }
  }),

  // --- paths and methods
  ...[
    '/client/user/',
    `/client/user/${absentId}/`,
    '/client/user//',
    '/client/user/auth/login/',
    '/client/user/auth/LOGIN/x',
    `/client/user/${absentId}/nothing`,
    `/client/user/${absentId}//activate`,
    '/client/user/./x',
    `/client/user/${absentId}/Activate`,
  ].map((path) => row(`no route: ${path}`, { path }, problem('route_not_found'))),
  ...['/client/user/%', '/client/user/%zz', '/client/user/%ff', '/client/user/%c0%af'].map((path) =>
    row(`broken percent-encoding: ${path}`, { path }, problem('route_not_found')),
  ),
  flow('what is not below our path is the host’s', async (world) => {
    const paths = [
      '/Client/user',
      '/client/User',
      '/client/users',
      '/client',
      '/',
      '/nothing',
      '//client/user',
      '/client//user',
      '/client/user%2F',
      '/%63lient/user',
    ]
    for (const path of paths) {
      expect([path, await world.send({ path })]).toEqual([
        path,
        { status: 404, headers: expect.anything(), body: 'nothing here' },
      ])
    }
    const origin = world.combination.server.origin
    expect((await send(origin, { path: '/host' })).body).toBe('the host')
    if (world.prefix !== '') {
      expect((await send(origin, { path: '/client/user' })).body).toBe('nothing here')
      expect((await send(origin, { path: `${world.prefix}x/client/user` })).body).toBe(
        'nothing here',
      )
    }
  }),
  row('405 on the collection', { method: 'DELETE' }, notAllowed('POST, GET, HEAD')),
  row('405 on the collection: PUT', { method: 'PUT', json: {} }, notAllowed('POST, GET, HEAD')),
  row('405 on the collection: OPTIONS', { method: 'OPTIONS' }, notAllowed('POST, GET, HEAD')),
  row(
    '405 on a user',
    { method: 'POST', path: `/client/user/${absentId}`, json: {} },
    notAllowed('GET, HEAD, PUT, PATCH, DELETE'),
  ),
  row('405 on activate', { path: `/client/user/${absentId}/activate` }, notAllowed('POST')),
  row('405 on login', { path: '/client/user/auth/login' }, notAllowed('POST')),
  row(
    '405 on login: HEAD',
    { method: 'HEAD', path: '/client/user/auth/login' },
    { ...notAllowed('POST'), body: '' },
  ),
  row(
    '405 on jwks',
    { method: 'POST', path: '/client/user/auth/jwks.json', json: {} },
    notAllowed('GET, HEAD'),
  ),
  row('405 for a method that few know', { method: 'PROPFIND' }, notAllowed('POST, GET, HEAD')),
  row(
    'no such route comes before the key',
    { path: '/client/user/a/b', key: null },
    problem('route_not_found'),
  ),

  // --- API keys
  row('no key', { key: null }, problem('api_key_missing')),
  row(
    'no key: the body’s faults stay unsaid',
    { key: null, method: 'POST', body: '{', headers: ['content-type', 'application/json'] },
    problem('api_key_missing'),
  ),
  row(
    'no key: a user id in the body opens nothing',
    { key: null, method: 'POST', json: { ...newAda, userId: absentId } },
    problem('api_key_missing'),
  ),
  row(
    'no key, a wrong content type',
    { key: null, method: 'POST', body: 'x' },
    problem('api_key_missing'),
  ),
  ...[
    'Bearer',
    'Bearer ',
    'Basic YTpi',
    'Bearer x',
    'Bearer cu_live_short',
    'Bearer null',
    'bearer\tx',
    `Bearer ${'x'.repeat(2000)}`,
  ].map((value) =>
    row(
      `a key like ${JSON.stringify(value.slice(0, 24))}`,
      { key: null, headers: ['authorization', value] },
      problem('api_key_invalid'),
    ),
  ),
  flow('a key with a typo, cut off, with more, of another case', async (world) => {
    const { key } = world
    const typo = key.slice(0, -1) + (key.endsWith('a') ? 'b' : 'a')
    for (const wrong of [typo, key.slice(0, -1), `${key}a`, key.toUpperCase(), `${key} x`]) {
      await world.check({ key: wrong }, problem('api_key_invalid'))
    }
  }),
  flow('the scheme in any case, one or more spaces', async (world) => {
    for (const value of [`bearer ${world.key}`, `BEARER   ${world.key}`]) {
      await world.check(
        { key: null, path: `/client/user/${absentId}`, headers: ['authorization', value] },
        problem('user_not_found'),
      )
    }
  }),
  flow(
    'two Authorization headers, whichever comes first and however they are written',
    async (world) => {
      const bad = 'Bearer x'
      const good = `Bearer ${world.key}`
      for (const [first, second] of [
        [good, bad],
        [bad, good],
        [good, good],
      ] as const) {
        await world.check(
          { key: null, headers: ['Authorization', first, 'AUTHORIZATION', second] },
          problem('header_repeated'),
        )
      }
    },
  ),
  flow('a revoked and an expired key', async (world) => {
    const { account, clientele } = world
    const revoked = await clientele.apiKeys.create(account.id)
    await clientele.apiKeys.revoke(account.id, revoked.id)
    await world.check({ key: revoked.api_key }, problem('api_key_invalid'))
    const expires_at = new Date(world.clock.now + 1000).toISOString()
    const expiring = await clientele.apiKeys.create(account.id, { expires_at })
    const path = `/client/user/${absentId}`
    await world.check({ path, key: expiring.api_key }, problem('user_not_found'))
    world.clock.now += 1000
    await world.check({ path, key: expiring.api_key }, problem('api_key_invalid'))
  }),
  flow('scopes', async (world) => {
    const { id } = await world.createUser()
    const user = `/client/user/${id}`
    const needed: [string, object][] = [
      ['users:read', {}],
      ['users:read', { path: user }],
      ['users:read', { path: user, method: 'HEAD' }],
      ['users:write', { method: 'POST', json: newAda }],
      ['users:write', { method: 'PUT', path: user, json: ada }],
      ['users:write', { method: 'PATCH', path: user, json: {} }],
      ['users:write', { method: 'DELETE', path: user }],
      ['users:write', { method: 'POST', path: `${user}/activate` }],
      ['users:write', { method: 'POST', path: `${user}/deactivate` }],
      [
        'tokens:validate',
        { method: 'POST', path: '/client/user/auth/validation-token', json: { token: 'Bearer x' } },
      ],
      ['tokens:issue', { method: 'POST', path: '/client/user/auth/login', json: newAda }],
    ]
    const all = ['users:read', 'users:write', 'tokens:validate', 'tokens:issue'] as const
    for (const [scope, call] of needed) {
      const { api_key: key } = await world.clientele.apiKeys.create(world.account.id, {
        scopes: all.filter((other) => other !== scope),
      })
      const refused = problem('scope_insufficient')
      const isHead = 'method' in call && call.method === 'HEAD'
      await world.check({ ...call, key }, isHead ? { ...refused, body: '' } : refused)
    }
  }),

  // --- the guard of the host's own route
  flow('the guard', async (world) => {
    await world.createUser()
    const token = await world.logIn()
    const me = (headers: string[]) =>
      send(world.combination.server.origin, { path: '/me', headers })
    expect(await me(['authorization', `bearer  ${token}`])).toMatchObject({
      status: 200,
      body: 'ada@example.com',
    })
    const challenge = { 'www-authenticate': 'Bearer' }
    const detail = "Send the user's token: Authorization: Bearer <JWT>."
    expect(await me([])).toEqual(problem('token_malformed', { headers: challenge, detail }))
    expect(await me(['authorization', `Bearer ${token}x`])).toMatchObject({ status: 401 })
    expect(await me(['authorization', `Bearer ${token}`, 'authorization', 'x'])).toEqual(
      problem('header_repeated'),
    )
    await world.clientele.users.deactivate(world.account.id, (await firstUser(world)).id)
    expect(await me(['authorization', `Bearer ${token}`])).toEqual(
      problem('token_user_inactive', { headers: challenge }),
    )
  }),
  flow('the host’s own header fields stay', async (world) => {
    const { origin } = world.combination.server
    const response = await fetch(`${origin}${world.prefix}/client/user`)
    expect(response.headers.get('x-host')).toBeTruthy()
    expect(response.status).toBe(401)
  }),
]

async function firstUser({ clientele, account }: World): Promise<{ id: string }> {
  return (await clientele.users.list(account.id)).data[0] ?? { id: '' }
}

export const queryCases: readonly Case[] = [
  ...['0', '-1', '1.5', '01x', '1e3', '%201', '+1', '0x1', 'a', '1000000000000000', '\u0661'].map(
    (value) =>
      row(
        `page=${value}`,
        { path: `/client/user?page=${encodeURI(value)}` },
        value === '0'
          ? invalid(['/page', 'too_small', 'must be at least 1'])
          : invalid(['/page', 'format', 'must be a whole number in decimal digits']),
      ),
  ),
  row(
    'limit=0',
    { path: '/client/user?limit=0' },
    invalid(['/limit', 'too_small', 'must be at least 1']),
  ),
  row(
    'limit=101',
    { path: '/client/user?limit=101' },
    invalid(['/limit', 'too_large', 'must be at most 100']),
  ),
  row(
    'a repeated parameter',
    { path: '/client/user?page=1&page=1' },
    invalid(['/page', 'repeated', 'must be given once']),
  ),
  row(
    'a repeated parameter in another spelling',
    { path: '/client/user?q=a&%71=b' },
    invalid(['/q', 'repeated', 'must be given once']),
  ),
  row(
    'empty parameters',
    { path: '/client/user?page=&limit&q=&email=&role=&is_active=&sort=&cursor=' },
    invalid(
      ...['page', 'limit', 'q', 'email', 'role', 'is_active', 'sort', 'cursor'].map(
        (name): [string, string, string] => [`/${name}`, 'empty', 'must not be empty'],
      ),
    ),
  ),
  row(
    'broken percent-encoding in a parameter',
    { path: '/client/user?q=%zz' },
    invalid(['/q', 'encoding', 'must be valid percent-encoded UTF-8']),
  ),
  row(
    'a parameter that is not UTF-8',
    { path: '/client/user?q=%ff' },
    invalid(['/q', 'encoding', 'must be valid percent-encoded UTF-8']),
  ),
  row(
    'NUL in a parameter',
    { path: '/client/user?q=a%00' },
    invalid(['/q', 'text_not_allowed', 'must not contain NUL or a lone surrogate']),
  ),
  row(
    'an order that is none',
    { path: '/client/user?sort=password' },
    invalid([
      '/sort',
      'value',
      'must be one of created_at, -created_at, email, -email, name, -name',
    ]),
  ),
  row(
    'is_active=1',
    { path: '/client/user?is_active=1' },
    invalid(['/is_active', 'value', 'must be one of true, false']),
  ),
  row(
    'email that is none',
    { path: '/client/user?email=x' },
    invalid(['/email', 'format', 'must be an e-mail address']),
  ),
  row(
    'a cursor that is none',
    { path: '/client/user?cursor=abc' },
    invalid(['/cursor', 'value', 'is not a cursor of a list in this order']),
  ),
  row(
    'all broken rules of a query at once',
    { path: '/client/user?page=x&limit=0&sort=a' },
    invalid(
      ['/page', 'format', 'must be a whole number in decimal digits'],
      ['/limit', 'too_small', 'must be at least 1'],
      ['/sort', 'value', 'must be one of created_at, -created_at, email, -email, name, -name'],
    ),
  ),
]
