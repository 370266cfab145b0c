import { gzipSync } from 'node:zlib'
import { type Answer, created, invalid, oneUser, problem } from '../support/answers.ts'
import { ada, type Case, flow, newAda, row } from './case.ts'

const body = JSON.stringify(newAda)
const unsupported = problem('media_type_unsupported')
const malformed = problem('malformed_json')

/** A create whose content type, or another field, is this. */
const withHeaders = (name: string, headers: string[], answer: Answer, sent = body): Case =>
  row(name, { method: 'POST', headers, body: sent }, answer)

/** A create whose body is exactly this. */
const withBody = (name: string, sent: string | Buffer, answer: Answer): Case =>
  row(name, { method: 'POST', headers: ['content-type', 'application/json'], body: sent }, answer)

/** JSON of this number of bytes, most of them in a member that is ignored. */
const padded = (length: number): string => {
  const start = `${body.slice(0, -1)},"updated_at":"`
  return `${start}${'x'.repeat(length - start.length - 2)}"}`
}

const notUtf8 = Buffer.from(body.replace('Lovelace', 'L\u00f6velace'), 'latin1')

export const bodyCases: readonly Case[] = [
  row('create: an array', { method: 'POST', json: [] }, invalid(['', 'type', 'must be an object'])),
  row('create: null', { method: 'POST', json: null }, invalid(['', 'type', 'must be an object'])),
  row(
    'create: a string',
    { method: 'POST', json: 'x' },
    invalid(['', 'type', 'must be an object']),
  ),
  row('create: a number', { method: 'POST', json: 5 }, invalid(['', 'type', 'must be an object'])),
  // --- content types and encodings
  ...[
    'application/json',
    'application/json; charset=utf-8',
    'application/json;charset="UTF-8"',
    'APPLICATION/JSON ; Charset=utf8',
    'application/json; profile=x',
  ].map((type) => withHeaders(`content type ${type}`, ['content-type', type], created(ada))),
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
    'application/json; charset=utf-8; charset=latin1',
  ].map((type) => withHeaders(`content type ${type}`, ['content-type', type], unsupported)),
  withHeaders('no content type', [], unsupported),
  ...['gzip', 'deflate', 'br', 'zstd', 'x'].map((encoding) =>
    withHeaders(
      `a body that is compressed in name: ${encoding}`,
      ['content-type', 'application/json', 'content-encoding', encoding],
      unsupported,
    ),
  ),
  row(
    'a body that is compressed, and cut off',
    {
      method: 'POST',
      headers: ['content-type', 'application/json', 'content-encoding', 'gzip'],
      body: gzipSync(body).subarray(0, 30),
    },
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
    created(ada),
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
  withBody('a body with blanks around it', ` \r\n\t${body}\n`, created(ada)),
  withBody(
    'a member twice: the last counts',
    body.replace('{', '{"name":"Eve","roles":["x"],'),
    created({ ...ada, roles: ['x'] }),
  ),
  withBody('a body of 64 KiB', padded(65_536), created(ada)),
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
    created(ada),
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
  flow('a route without a body ignores one', async (world) => {
    const user = await world.createUser()
    const path = `/client/user/${user.id}`
    await world.check({ path, body: '{', headers: ['content-type', 'text/plain'] }, oneUser(user))
    await world.check(
      { method: 'POST', path: `${path}/deactivate`, body: 'x', headers: ['content-type', 'a/b'] },
      oneUser({ ...user, is_active: false }, 2),
    )
  }),
  flow('a connection continues after a response that left the body unread', async (world) => {
    for (let count = 0; count < 3; count++) {
      await world.check(
        { method: 'POST', key: null, body: padded(300_000) },
        problem('api_key_missing'),
      )
    }
  }),
]
