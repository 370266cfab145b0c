import { invalid } from '../support/answers.ts'
import { type Case, flow, newAda, row } from './case.ts'
import { accepts, entries, type Issue, refuses } from './create-case.ts'

const notEmail: Issue = ['/email', 'format', 'must be an e-mail address']

export const userFieldCases: readonly Case[] = [
  refuses(
    'all broken rules at once',
    { name: 'A', email: 'nobody', password: '12345', roles: 'admin', metadata: [] },
    notEmail,
    ['/name', 'too_short', 'must have at least 2 characters'],
    ['/roles', 'type', 'must be an array'],
    ['/metadata', 'type', 'must be an object'],
    ['/password', 'too_short', 'must have at least 6 characters'],
  ),
  row(
    'create: nothing',
    { method: 'POST', json: {} },
    invalid(
      ['/email', 'required', 'is required'],
      ['/name', 'required', 'is required'],
      ['/password', 'required', 'is required'],
    ),
  ),
  refuses(
    'types are not converted',
    { name: 12, email: true, password: 123456, roles: { 0: 'a' }, metadata: 'x' },
    ['/email', 'type', 'must be a string'],
    ['/name', 'type', 'must be a string'],
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
    ['/email', 'too_short', 'must not be empty'],
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
  flow('a password in NFD equals the one in NFC', async (world) => {
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
    ['/roles/0', 'too_short', 'must not be empty'],
    ['/roles/1', 'too_long', 'must have at most 100 characters'],
    ['/roles/2', 'type', 'must be a string'],
    ['/roles/3', 'type', 'must be a string'],
  ),

  // --- PUT and PATCH have the same rules
  flow('replace and patch: broken rules', async (world) => {
    const { id } = await world.createUser()
    const path = `/client/user/${id}`
    const wrong = { name: '', email: 'x', password: '1', roles: [''], metadata: entries(6) }
    const issues: Issue[] = [
      notEmail,
      ['/name', 'too_short', 'must have at least 2 characters'],
      ['/roles/0', 'too_short', 'must not be empty'],
      ['/metadata', 'too_many', 'must have at most 5 entries'],
      ['/password', 'too_short', 'must have at least 6 characters'],
    ]
    await world.check({ method: 'PUT', path, json: wrong }, invalid(...issues))
    await world.check(
      { method: 'PUT', path, json: {} },
      invalid(['/email', 'required', 'is required'], ['/name', 'required', 'is required']),
    )
    await world.check(
      { method: 'PATCH', path, json: { ...wrong, metadata: 5 } },
      invalid(
        notEmail,
        ['/name', 'too_short', 'must have at least 2 characters'],
        ['/roles/0', 'too_short', 'must not be empty'],
        ['/metadata', 'type', 'must be an object'],
        ['/password', 'too_short', 'must have at least 6 characters'],
      ),
    )
    await world.check(
      { method: 'PATCH', path, json: { metadata: entries(6) } },
      invalid(['/metadata', 'too_many', 'must have at most 5 entries']),
    )
  }),
]
