import { expect } from 'vitest'
import { type Case, flow } from './case.ts'
import { accepts, entries, refuses, refusesText } from './create-case.ts'

const text = 'must not contain NUL or a lone surrogate'
const nest = (depth: number): unknown => (depth === 0 ? 1 : [nest(depth - 1)])
const raw = (members: string): string =>
  `{"name":"Ada Lovelace","email":"ada@example.com","password":"correct horse",${members}}`

/** Metadata, and the values that any member may hold. */
export const jsonValueCases: readonly Case[] = [
  flow('the response to many errors is no longer than the request', async (world) => {
    const long = '~'.repeat(20_000)
    const deep = '['.repeat(31) + Array.from({ length: 14_000 }, () => '[]') + ']'.repeat(31)
    const bodies = [
      raw(`"${long}":${deep}`),
      raw(`"roles":[${Array.from({ length: 30_000 }, () => 1)}]`),
      raw(`"metadata":{"${'/'.repeat(60_000)}":1}`),
    ]
    for (const body of bodies) {
      const headers = ['content-type', 'application/json']
      const reply = await world.send({ method: 'POST', path: '/client/user', headers, body })
      expect(reply.status).toBe(422)
      expect(reply.body.length).toBeLessThan(body.length)
      const { errors } = JSON.parse(reply.body)
      expect(errors.length).toBeLessThanOrEqual(100)
    }
  }),
  // --- metadata
  accepts('metadata of 5 entries', { metadata: entries(5) }),
  refuses('metadata of 6 entries', { metadata: entries(6) }, [
    '/metadata',
    'too_many',
    'must have at most 5 entries',
  ]),
  accepts('metadata of any JSON values', {
    metadata: { a: null, b: [1, [2, []]], c: { d: { e: 'f' } }, g: false, h: -0.5e-7 },
  }),
  accepts('metadata names that look like methods', {
    metadata: { constructor: 1, toString: 2, hasOwnProperty: 3 },
  }),
  accepts('a metadata name of 64 code points', { metadata: { ['😀'.repeat(64)]: 1 } }),
  refuses(
    'metadata names of 0 and 65 code points',
    { metadata: { '': 1, [`${'k'.repeat(64)}~`]: 2 } },
    ['/metadata/', 'name_length', 'must have a name of 1 to 64 characters'],
    [`/metadata/${'k'.repeat(64)}~0`, 'name_length', 'must have a name of 1 to 64 characters'],
  ),
  accepts('metadata of 8 KiB', { metadata: { k: 'x'.repeat(8192 - 8) } }),
  refuses('metadata of 8 KiB and a byte', { metadata: { k: 'x'.repeat(8192 - 7) } }, [
    '/metadata',
    'too_long',
    'must be at most 8192 bytes as JSON',
  ]),
  refuses('metadata is measured in bytes', { metadata: { k: 'é'.repeat(4096) } }, [
    '/metadata',
    'too_long',
    'must be at most 8192 bytes as JSON',
  ]),
  refusesText('__proto__ in metadata', raw('"metadata":{"__proto__":{"a":1}}'), [
    '/metadata/__proto__',
    'name_not_allowed',
    'is not an allowed member name',
  ]),
  refusesText('__proto__ at the top', raw('"__proto__":{"roles":["admin"]}'), [
    '/__proto__',
    'name_not_allowed',
    'is not an allowed member name',
  ]),
  refusesText('a number beyond what JSON readers agree on', raw('"metadata":{"n":1e400}'), [
    '/metadata/n',
    'number_out_of_range',
    'must be a finite number',
  ]),

  // --- text and depth, wherever they stand
  refuses(
    'NUL in each string',
    {
      name: 'A\0b',
      email: 'a\0@example.com',
      password: 'secret\0',
      roles: ['a\0'],
      metadata: { k: '\0' },
    },
    ['/name', 'text_not_allowed', text],
    ['/email', 'text_not_allowed', text],
    ['/password', 'text_not_allowed', text],
    ['/roles/0', 'text_not_allowed', text],
    ['/metadata/k', 'text_not_allowed', text],
  ),
  refusesText('NUL in a name of a member', raw('"metadata":{"a\\u0000b":1}'), [
    '/metadata/a\ufffdb',
    'name_not_allowed',
    'is not an allowed member name',
  ]),
  refusesText(
    'lone surrogates',
    raw('"roles":["\\ud800","\\udc00a"],"metadata":{"k":["\\ud83d"]}'),
    ['/roles/0', 'text_not_allowed', text],
    ['/roles/1', 'text_not_allowed', text],
    ['/metadata/k/0', 'text_not_allowed', text],
  ),
  refusesText('a lone surrogate in a name of a member', raw('"metadata":{"a\\ud800":1}'), [
    '/metadata/a\ufffd',
    'name_not_allowed',
    'is not an allowed member name',
  ]),
  refuses('NUL in a member that is ignored otherwise', { other: ['\0'] }, [
    '/other/0',
    'text_not_allowed',
    text,
  ]),
  accepts('depth 32', { metadata: { k: nest(30) } }),
  refuses('depth 33', { metadata: { k: nest(31) } }, [
    `/metadata/k${'/0'.repeat(30)}`,
    'too_deep',
    'must not nest deeper than 32',
  ]),
  refusesText('depth 10,000', raw(`"other":${'['.repeat(10_000)}${']'.repeat(10_000)}`), [
    `/other${'/0'.repeat(31)}`,
    'too_deep',
    'must not nest deeper than 32',
  ]),
  refuses('members are pointed at as RFC 6901 wants', { metadata: { 'a/b~c': '\0' } }, [
    '/metadata/a~1b~0c',
    'text_not_allowed',
    text,
  ]),
]
