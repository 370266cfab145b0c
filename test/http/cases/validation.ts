import { invalid, oneUser } from '../support/answers.ts'
import { type Case, flow, newAda, row } from './case.ts'

const location = { location: '<prefix>/client/user/<id>' }
const created = (user: object) =>
  oneUser({ name: newAda.name, email: newAda.email, ...user }, 1, {
    status: 201,
    headers: location,
  })
type Issue = Parameters<typeof invalid>[number]

/** A create that is accepted, and how it comes back. */
const accepts = (name: string, input: object, stored: object = input): Case =>
  row(`create: ${name}`, { method: 'POST', json: { ...newAda, ...input } }, created(stored))

/** A create that is refused, for these reasons. */
const refuses = (name: string, input: object, ...issues: Issue[]): Case =>
  row(`create: ${name}`, { method: 'POST', json: { ...newAda, ...input } }, invalid(...issues))

/** The same for text that no JSON writer would write. */
const refusesText = (name: string, body: string, ...issues: Issue[]): Case =>
  row(
    `create: ${name}`,
    { method: 'POST', headers: ['content-type', 'application/json'], body },
    invalid(...issues),
  )

const text = 'must not contain NUL or a lone surrogate'
const notEmail: Issue = ['/email', 'format', 'must be an e-mail address']
const nest = (depth: number): unknown => (depth === 0 ? 1 : [nest(depth - 1)])
const entries = (count: number) =>
  Object.fromEntries(Array.from({ length: count }, (_, index) => [`k${index}`, index]))
const raw = (members: string): string =>
  `{"name":"Ada Lovelace","email":"ada@example.com","password":"correct horse",${members}}`

export const validationCases: readonly Case[] = [
  refuses(
    'all broken rules at once',
    { name: 'A', email: 'nobody', password: '12345', roles: 'admin', metadata: [] },
    ['/name', 'too_short', 'must have at least 2 characters'],
    notEmail,
    ['/roles', 'type', 'must be an array'],
    ['/metadata', 'type', 'must be an object'],
    ['/password', 'too_short', 'must have at least 6 characters'],
  ),
  row(
    'create: nothing',
    { method: 'POST', json: {} },
    invalid(
      ['/name', 'required', 'is required'],
      ['/email', 'required', 'is required'],
      ['/password', 'required', 'is required'],
    ),
  ),
  row('create: an array', { method: 'POST', json: [] }, invalid(['', 'type', 'must be an object'])),
  row('create: null', { method: 'POST', json: null }, invalid(['', 'type', 'must be an object'])),
  row(
    'create: a string',
    { method: 'POST', json: 'x' },
    invalid(['', 'type', 'must be an object']),
  ),
  row('create: a number', { method: 'POST', json: 5 }, invalid(['', 'type', 'must be an object'])),
  refuses(
    'types are not converted',
    { name: 12, email: true, password: 123456, roles: { 0: 'a' }, metadata: 'x' },
    ['/name', 'type', 'must be a string'],
    ['/email', 'type', 'must be a string'],
    ['/roles', 'type', 'must be an array'],
    ['/metadata', 'type', 'must be an object'],
    ['/password', 'type', 'must be a string'],
  ),
  refuses(
    'null is not missing',
    { roles: null, metadata: null },
    ['/roles', 'type', 'must be an array'],
    ['/metadata', 'type', 'must be an object'],
  ),

  // --- name
  accepts('a name of 2 code points', { name: '😀😀' }),
  refuses('a name of 1 code point', { name: '😀' }, [
    '/name',
    'too_short',
    'must have at least 2 characters',
  ]),
  accepts('a name of 50 code points', { name: '😀'.repeat(50) }),
  refuses('a name of 51 code points', { name: 'a'.repeat(51) }, [
    '/name',
    'too_long',
    'must have at most 50 characters',
  ]),
  accepts('a name is trimmed', { name: ' \t\u00a0Jo\u3000\n' }, { name: 'Jo' }),
  refuses('a name of blanks', { name: ' '.repeat(20) }, [
    '/name',
    'too_short',
    'must have at least 2 characters',
  ]),
  accepts('a name becomes NFC', { name: 'Rene\u0301' }, { name: 'Ren\u00e9' }),
  refuses('a name is counted in NFC', { name: 'e\u0301' }, [
    '/name',
    'too_short',
    'must have at least 2 characters',
  ]),
  accepts('a name of markup and SQL', { name: `<b>'; drop table users; --"\\` }),

  // --- e-mail
  accepts(
    'an e-mail is trimmed and lower-cased',
    { email: '  ADA.Lovelace+x@EXAMPLE.Com ' },
    { email: 'ada.lovelace+x@example.com' },
  ),
  accepts(
    'an e-mail with letters beyond ASCII',
    { email: 'JOSE\u0301@B\u00dcCHER.example' },
    { email: 'jos\u00e9@b\u00fccher.example' },
  ),
  accepts('an e-mail of 254 characters', {
    email: `${'a'.repeat(64)}@${'b'.repeat(63)}.${'c'.repeat(63)}.${'d'.repeat(61)}`,
  }),
  refuses(
    'an e-mail of 255 characters',
    { email: `${'a'.repeat(64)}@${'b'.repeat(63)}.${'c'.repeat(63)}.${'d'.repeat(62)}` },
    ['/email', 'too_long', 'must have at most 254 characters'],
  ),
  refuses('a local part of 65 characters', { email: `${'a'.repeat(65)}@example.com` }, notEmail),
  ...[
    'ada',
    'ada@',
    '@example.com',
    'ada@example',
    'ada@@example.com',
    'ada@example..com',
    '.ada@example.com',
    'ada.@example.com',
    'a..b@example.com',
    'ada@-example.com',
    'ada@example.com.',
    'ada@127.0.0.1',
    'ada@[127.0.0.1]',
    '"ada"@example.com',
    'ada lovelace@example.com',
    'ada@exa mple.com',
    'ada@example.com,eve@example.com',
    'Ada <ada@example.com>',
    'ada\u200b@example.com',
    'ada\u034f@example.com',
    'ada\u115f@example.com',
    'ada@exam\ufe0fple.com',
    '\uff41da@example.com',
    'ada@example.com\r\nBcc: eve@example.com',
  ].map((email) => refuses(`an e-mail like ${JSON.stringify(email)}`, { email }, notEmail)),
  refuses(
    'an empty e-mail',
    { email: ' ' },
    ['/email', 'too_short', 'must have at least 1 characters'],
    notEmail,
  ),

  // --- password
  accepts('a password of 6 code points', { password: '😀😀😀😀😀😀' }, {}),
  refuses('a password of 5 code points', { password: '😀😀😀😀😀' }, [
    '/password',
    'too_short',
    'must have at least 6 characters',
  ]),
  accepts('a password of 100 code points', { password: '😀'.repeat(100) }, {}),
  refuses('a password of 101 code points', { password: 'a'.repeat(101) }, [
    '/password',
    'too_long',
    'must have at most 100 characters',
  ]),
  refuses('a password is counted in NFC', { password: 'e\u0301e\u0301e\u0301' }, [
    '/password',
    'too_short',
    'must have at least 6 characters',
  ]),
  accepts('a password of blanks', { password: '      ' }, {}),
  flow('a password in NFD is the one in NFC', async (world) => {
    await world.createUser(undefined, { password: 'cafe\u0301 noir' })
    await world.clientele.auth.logIn(world.account.id, {
      email: newAda.email,
      password: 'caf\u00e9 noir',
    })
  }),

  // --- roles
  accepts(
    'roles keep their order, twins are dropped',
    { roles: ['b', 'a', 'b', 'A'] },
    { roles: ['b', 'a', 'A'] },
  ),
  accepts('50 roles', { roles: Array.from({ length: 50 }, (_, index) => `r${index}`) }),
  accepts(
    '100 roles that are 50',
    { roles: Array.from({ length: 100 }, (_, index) => `r${index % 50}`) },
    { roles: Array.from({ length: 50 }, (_, index) => `r${index}`) },
  ),
  refuses('51 roles', { roles: Array.from({ length: 51 }, (_, index) => `r${index}`) }, [
    '/roles',
    'too_many',
    'must have at most 50 items',
  ]),
  accepts('a role of 100 code points', { roles: ['😀'.repeat(100)] }),
  refuses(
    'roles of 0 and 101 code points, and of another type',
    { roles: ['', 'a'.repeat(101), 3, null] },
    ['/roles/0', 'too_short', 'must have at least 1 characters'],
    ['/roles/1', 'too_long', 'must have at most 100 characters'],
    ['/roles/2', 'type', 'must be a string'],
    ['/roles/3', 'type', 'must be a string'],
  ),

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

  // --- PUT and PATCH have the same rules
  flow('replace and patch: broken rules', async (world) => {
    const { id } = await world.createUser()
    const path = `/client/user/${id}`
    const wrong = { name: '', email: 'x', password: '1', roles: [''], metadata: entries(6) }
    const issues: Issue[] = [
      ['/name', 'too_short', 'must have at least 2 characters'],
      notEmail,
      ['/roles/0', 'too_short', 'must have at least 1 characters'],
      ['/metadata', 'too_many', 'must have at most 5 entries'],
      ['/password', 'too_short', 'must have at least 6 characters'],
    ]
    await world.check({ method: 'PUT', path, json: wrong }, invalid(...issues))
    await world.check(
      { method: 'PUT', path, json: {} },
      invalid(['/name', 'required', 'is required'], ['/email', 'required', 'is required']),
    )
    await world.check(
      { method: 'PATCH', path, json: { ...wrong, metadata: 5 } },
      invalid(
        ['/name', 'too_short', 'must have at least 2 characters'],
        notEmail,
        ['/password', 'too_short', 'must have at least 6 characters'],
        ['/roles/0', 'too_short', 'must have at least 1 characters'],
        ['/metadata', 'type', 'must be an object'],
      ),
    )
    await world.check(
      { method: 'PATCH', path, json: { metadata: entries(6) } },
      invalid(['/metadata', 'too_many', 'must have at most 5 entries']),
    )
  }),
]
