import {
  absentAccount,
  certain,
  documents,
  form,
  google,
  hook,
  json,
  type Step,
} from './certain-steps.ts'

/** Numbers from 0 to 1 that a seed decides (mulberry32). */
export function createRandom(seed: number): () => number {
  let state = seed
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296
  }
}

const edges = [
  '',
  ' ',
  'a',
  'ab',
  '\0',
  'a\0b',
  '\ud800',
  'a\udc00b',
  '\ufeff',
  '\u202eabc',
  'e\u0301',
  '\u0130',
  'ß',
  'ﬁ',
  '😀'.repeat(50),
  'x'.repeat(51),
  'x'.repeat(101),
  '__proto__',
  'constructor',
  "'; drop table clientele_users; --",
  '%',
  '_',
  '\\',
  '../../etc/passwd',
  '{"$gt":""}',
  'null',
  '١٢٣',
]
const types: unknown[] = [null, true, 0, -1, 1e308, 0.1, [], {}, [[]], { a: [null] }]
const passwords = ['secret1', 'secret2', 'e\u0301e\u0301e\u0301e\u0301e\u0301e\u0301']
const sorts = ['created_at', '-created_at', 'email', '-email', 'name', '-name', 'id', '']
const userCount = 60

/** Makes the one stream of requests that everything has to answer alike. */
export function createRequestStream(
  seed: number,
  length: number,
  strings: readonly string[],
  addresses: readonly string[],
): Step[] {
  const random = createRandom(seed)
  const pick = <T>(from: readonly T[]): T => from[Math.floor(random() * from.length)] as T // never empty
  const text = (): string => pick(random() < 0.5 ? edges : [...edges, ...strings])
  const address = (): string =>
    random() < 0.7
      ? `User.${Math.floor(random() * userCount)}@Example.com`
      : pick([...addresses, text()])
  const value = (usual: unknown): unknown =>
    random() < 0.75 ? usual : random() < 0.6 ? text() : pick(types)
  const encoded = (): string => encodeURIComponent(text().toWellFormed())
  const user = (): string => `/client/user/{${Math.floor(random() * userCount)}}`
  const webhook = (): string => `/client/webhook/{${Math.floor(random() * userCount)}}`
  const keys = ['k1', 'k2', 'k3', '"k1"', '"', '', 'a b']
  const idempotency = (): string[] => (random() < 0.4 ? ['idempotency-key', pick(keys)] : [])
  const tags = ['"1"', '"2"', 'W/"1"', '*', '"x"', '']

  function profile(): Record<string, unknown> {
    return {
      name: value(`Name ${text()}`),
      email: value(address()),
      roles: value([pick(['admin', 'ops', text()]), text()]),
      metadata: value({ [text()]: text(), k: pick(types) }),
      ...(random() < 0.5 ? { [pick(['id', 'is_active', 'userId', 'created_at'])]: text() } : {}),
    }
  }

  function query(): string {
    const names = ['page', 'limit', 'q', 'email', 'role', 'is_active', 'sort', 'cursor', 'other']
    const parts = Array.from({ length: Math.floor(random() * 4) }, () => {
      const name = pick(names)
      const usual = { page: '2', limit: '7', q: 'n', role: 'admin', is_active: 'true' }
      if (name === 'sort') return `sort=${pick(sorts)}`
      const known =
        name in usual ? usual[name as keyof typeof usual] : encodeURIComponent(address()) // looked at just before
      return `${name}=${random() < 0.7 ? known : encoded()}`
    })
    return parts.length === 0 ? '' : `?${parts.join('&')}`
  }

  const kinds: (() => Omit<Step, 'as'>)[] = [
    () => ({
      method: 'POST',
      path: '/client/user',
      json: { ...profile(), password: value(pick(passwords)) },
    }),
    () => ({
      method: 'POST',
      path: '/client/user',
      json: {
        name: `Name ${Math.floor(random() * 9)}`,
        email: address(),
        password: pick(passwords),
        roles: ['admin'],
      },
      headers: idempotency(),
    }),
    () => ({ path: `/client/user${query()}` }),
    () => ({ path: `/client/user${query()}` }),
    () => ({ path: '{next}' }),
    () => ({ path: user(), headers: random() < 0.3 ? ['if-none-match', pick(tags)] : [] }),
    () => ({ method: 'HEAD', path: user() }),
    () => ({
      method: 'PUT',
      path: user(),
      json: profile(),
      headers: random() < 0.3 ? ['if-match', pick(tags)] : [],
    }),
    () => ({
      method: 'PATCH',
      path: user(),
      json: { [pick(['name', 'email', 'roles', 'metadata', 'password'])]: value(text()) },
    }),
    () => ({
      method: 'DELETE',
      path: user(),
      headers: random() < 0.7 ? ['if-match', pick(tags)] : [],
    }),
    () => ({
      method: 'POST',
      path: `${user()}/${pick(['activate', 'deactivate', 'Activate', 'x'])}`,
      headers: idempotency(),
    }),
    () =>
      random() < 0.5
        ? { path: `${user()}/export${pick(['', '?limit=1', '?limit=501', '?after=x', '?x=1'])}` }
        : { method: 'POST', path: `${user()}/erase`, headers: idempotency() },
    () => ({
      method: 'POST',
      path: `${user()}/identity`,
      json: { issuer: value(google.issuer), subject: value(pick(['ada', 'grace', text()])) },
    }),
    () => ({ path: `${user()}/identity` }),
    () => ({ method: 'DELETE', path: `${user()}/identity/{${Math.floor(random() * userCount)}}` }),
    () => ({
      method: 'POST',
      path: '/client/user/auth/login',
      json: { email: value(address()), password: value(pick(passwords)) },
    }),
    () => ({
      method: 'POST',
      path: '/client/user/auth/validation-token',
      json: { token: random() < 0.6 ? 'Bearer {token}' : value(`Bearer ${text()}`) },
    }),
    () => ({
      method: 'POST',
      path: '/client/user/auth/validation-tokens',
      json: { tokens: value(['Bearer {token}', `Bearer ${text()}`, text(), value('{token}')]) },
    }),
    // An answer names the account in its cursor, which differs from run to run: only what is refused is the same.
    () => ({
      path: `/client/user/auth/revocation?${pick(['limit=0', 'wait=26', 'after=', 'x=1'])}&after=x`,
    }),
    () => ({
      method: 'POST',
      path: '/client/user/auth/introspect',
      body: `${pick(['token', 'token', 'Token', ''])}=${pick([encoded(), '', 'a&token=b', 'e30.e30.e30'])}`,
      headers: pick([form, form, json, []]),
    }),
    () => ({
      method: pick(['GET', 'GET', 'HEAD', 'DELETE']),
      path: pick(documents)(pick(['{account}', '{account}', absentAccount, encoded()])),
      key: pick([null, 'x']),
    }),
    () => ({ path: `/client/user/${encoded()}${pick(['', '/', '/activate', '?page=1'])}` }),
    () => ({
      method: pick(['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']),
      path: `${user()}${pick(['', '//', '/auth', '/%2e%2e'])}`,
      body: pick(['', '{', '[]', '"x"', '{"name":1}']),
    }),
    () => ({
      method: 'POST',
      path: '/client/user',
      body: pick(['', '{', 'x=1', '\ufeff{}']),
      headers: pick([
        [],
        ['content-type', 'text/plain'],
        ['content-type', 'application/json'],
        ['content-type', text().replaceAll(/[^\x20-\x7e]/g, '?')],
      ]),
    }),
    () => ({
      method: 'POST',
      path: '/client/webhook',
      json: {
        url: value(hook),
        types: value(pick([['*'], ['user.*', text()], [text()], []])),
        description: value(text()),
        ...(random() < 0.3 ? { [pick(['is_active', 'secret', 'id'])]: pick(types) } : {}),
      },
    }),
    () => ({
      method: pick(['GET', 'PATCH', 'DELETE', 'HEAD']),
      path: random() < 0.2 ? '/client/webhook' : webhook(),
      json: { [pick(['url', 'types', 'description', 'is_active'])]: value(text()) },
    }),
    () => ({
      method: pick(['GET', 'POST']),
      path: `${webhook()}${pick(['/secret/rotate', '/test', '/replay', '/attempt', '/x'])}`,
      json: { after: value(text()) },
    }),
    () => ({
      path: user(),
      key: pick([null, 'cu_live_x', 'x', text().replaceAll(/[^\x20-\x7e]/g, '?')]),
    }),
  ]

  const create = (email: string): Step => ({
    as: 'first',
    method: 'POST',
    path: '/client/user',
    json: { name: 'Name', email, password: 'secret1' },
  })
  const hostile = strings.map((string): Step => {
    const field = pick(['name', 'email', 'password', 'roles', 'metadata'])
    const given =
      field === 'roles' ? [string] : field === 'metadata' ? { [string]: string } : string
    const json = { name: 'Name', email: address(), password: 'secret1', [field]: given }
    return { as: pick(['first', 'second']), method: 'POST', path: '/client/user', json }
  })
  const mixed = Array.from(
    { length },
    (): Step => ({ as: random() < 0.8 ? 'first' : 'second', ...pick(kinds)() }),
  )
  return [
    ...certain,
    ...mixed,
    ...addresses.flatMap((one) => [create(one), create(` ${one.toUpperCase()} `)]),
    ...hostile,
    ...sorts.flatMap((sort) =>
      [1, 2, 3].map(
        (page): Step => ({ as: 'first', path: `/client/user?limit=100&sort=${sort}&page=${page}` }),
      ),
    ),
  ]
}
