import type { Call } from './world.ts'

/** A request whose ids are still to be filled in: `{3}` is the fourth user that was made, `{next}` the last link. */
export interface Step extends Call {
  path: string
  /** Whose key it is sent with */
  as: 'first' | 'second'
}

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
const json = ['content-type', 'application/json']
const form = ['content-type', 'application/x-www-form-urlencoded']
const k0 = ['idempotency-key', 'k0']
const ada = { name: 'Ada Lovelace', email: 'certain@example.com' }
const grace = { name: 'Grace Hopper', email: 'repeated@example.com' }

const google = { issuer: 'https://accounts.google.com', subject: '110169484474386276334' }

// A public address: no name has to be looked up.
const hook = 'https://8.8.8.8/hook'

/** What the answers must have in them whatever the seed is; `{0}` is the user that the first step makes, `{1}` the webhook. */
const certain: readonly Step[] = (
  [
    { method: 'POST', path: '/client/user', json: { ...ada, password: 'secret1' } },
    { method: 'POST', path: '/client/user', json: { ...ada, password: 'secret2' } },
    { path: '/client/user/{0}', headers: ['if-none-match', '"1"'] },
    { method: 'PUT', path: '/client/user/{0}', json: ada, headers: ['if-match', '"2"'] },
    { method: 'PUT', path: '/client/user/{0}', json: { ...ada, name: 'Ada King' } },
    { method: 'POST', path: '/client/user/{0}' },
    { method: 'POST', path: '/client/user', json: { ...ada, name: '' } },
    { method: 'POST', path: '/client/user', body: '{', headers: json },
    { method: 'POST', path: '/client/user', body: 'x'.repeat(70_000), headers: json },
    { method: 'POST', path: '/client/user', body: '{}', headers: ['content-type', 'text/plain'] },
    { path: '/client/user/{0}', key: null },
    { path: '/client/user/{0}', as: 'second' },
    { method: 'DELETE', path: '/client/user/{0}' },
    { path: '/client/user/{0}' },
    { method: 'POST', path: '/client/webhook', json: { url: hook, types: ['user.*'] } },
    { path: '/client/webhook' },
    { path: '/client/webhook/{1}' },
    { path: '/client/webhook/{1}', as: 'second' },
    { method: 'PATCH', path: '/client/webhook/{1}', json: { description: 'CRM' } },
    { method: 'POST', path: '/client/webhook/{1}/secret/rotate' },
    { method: 'POST', path: '/client/webhook/{1}/test' },
    { method: 'POST', path: '/client/webhook/{1}/replay', json: { after: 'x' } },
    { path: '/client/webhook/{1}/attempt' },
    { method: 'PATCH', path: '/client/webhook/{1}', json: { is_active: false } },
    { method: 'DELETE', path: '/client/webhook/{1}' },
    { path: '/client/webhook/{1}' },
    { method: 'POST', path: '/client/user', json: { ...grace, password: 'secret1' }, headers: k0 },
    { method: 'POST', path: '/client/user', json: { ...grace, password: 'secret1' }, headers: k0 },
    { method: 'POST', path: '/client/user', json: { ...grace, password: 'secret2' }, headers: k0 },
    { method: 'POST', path: '/client/user/{2}/identity', json: google },
    { method: 'POST', path: '/client/user/{2}/identity', json: google },
    { method: 'POST', path: '/client/user/{2}/identity', json: { ...google, subject: '' } },
    { method: 'POST', path: '/client/user/{2}/identity', json: google, as: 'second' },
    { path: '/client/user/{2}/identity' },
    { path: '/client/user/{2}/identity', as: 'second' },
    { method: 'DELETE', path: '/client/user/{2}/identity/{3}', as: 'second' },
    { method: 'DELETE', path: '/client/user/{2}/identity/{3}' },
    { method: 'DELETE', path: '/client/user/{2}/identity/{3}' },
    { method: 'POST', path: '/client/user/auth/login/id-token', json: { id_token: 'x.y.z' } },
    { method: 'POST', path: '/client/user/auth/login/id-token', json: { nonce: '' } },
    { path: '/client/user/{2}/export' },
    { path: '/client/user/{2}/export', as: 'second' },
    { method: 'POST', path: '/client/user/{2}/erase', as: 'second' },
    { method: 'POST', path: '/client/user/{2}/erase', headers: k0 },
    { method: 'POST', path: '/client/user/{2}/erase', headers: k0 },
    { method: 'POST', path: '/client/user/{2}/erase' },
    { path: '/client/user/{2}/export' },
  ] as const
).map((step) => ({ as: 'first', ...step }))

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
