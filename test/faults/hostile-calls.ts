import type { Clientele } from '@clientele/core'

/** Marks that NFC puts in another order, each one before all that stand in front of it: what costs it most. */
export function createMarks(length: number): string {
  return `a${'\u0315\u0300'.repeat(length / 2)}`
}

const long = createMarks(480_000)
const many = 100_000
const ada = { name: 'Ada', email: 'ada@example.com', password: 'password' }
const userId = '019dfae2-6a4d-7c3e-9b1f-2f4a5c6d7e8f'
const issuer = { issuer: 'https://login.example.com', audience: 'api' }
const membersByName = Object.fromEntries(
  Array.from({ length: many }, (_, index) => [`m${index}`, 1]),
)
const manyMembers = { ...ada, ...membersByName }
const manyRoles = Array.from({ length: many }, (_, index) => `role ${index}`)
const zeros = 'A'.repeat(480_000)
const manyDots = '.'.repeat(480_000)

type Call = (clientele: Clientele, accountId: string) => Promise<unknown>
/** What no type allows is tried, too. */
type Wrong = never

/** Calls of the library's API with what is far too long or far too much, by name. */
export const hostileCalls: Record<string, Call> = {
  /** Ours, to see that it is seen */
  'a hold': async () => {
    // Of its own CPU time: on a busy machine it may get little of a second.
    const before = process.cpuUsage()
    while (process.cpuUsage(before).user < 300_000);
  },
  'a name': ({ users }, id) => users.create(id, { ...ada, name: long }),
  'an e-mail': ({ users }, id) => users.create(id, { ...ada, email: `${long}@example.com` }),
  'a password': ({ users }, id) => users.create(id, { ...ada, password: long }),
  'a role': ({ users }, id) => users.create(id, { ...ada, roles: [long] }),
  'many roles': ({ users }, id) => users.create(id, { ...ada, roles: manyRoles }),
  'many empty roles': ({ users }, id) =>
    users.create(id, { ...ada, roles: new Array<string>(many).fill('') }),
  'many roles that are none': ({ users }, id) =>
    users.create(id, { ...ada, roles: new Array(many).fill(1) as Wrong }),
  'a name in metadata': ({ users }, id) => users.create(id, { ...ada, metadata: { [long]: 1 } }),
  'a value in metadata': ({ users }, id) => users.create(id, { ...ada, metadata: { a: long } }),
  'many names in metadata': ({ users }, id) =>
    users.create(id, { ...ada, metadata: membersByName }),
  'many values in metadata': ({ users }, id) =>
    users.create(id, { ...ada, metadata: { a: new Array(many).fill([]) } }),
  'many unknown members': ({ users }, id) => users.create(id, manyMembers),
  'a replacement': ({ users }, id) => users.replace(id, userId, { ...ada, name: long }),
  'a patch': ({ users }, id) => users.patch(id, userId, { name: long, email: long }),
  'an id': ({ users }, id) => users.find(id, long),
  "an account's id": ({ users }) => users.list(long),
  "an account's name": ({ accounts }) => accounts.create({ name: long }),
  'allowed roles': ({ accounts }) => accounts.create({ name: 'Acme', allowedRoles: manyRoles }),
  "a key's name": ({ apiKeys }, id) => apiKeys.create(id, { name: long }),
  'many scopes': ({ apiKeys }, id) => apiKeys.create(id, { scopes: manyRoles as Wrong }),
  'a search': ({ users }, id) => users.list(id, { q: long }),
  'an e-mail that is looked for': ({ users }, id) => users.list(id, { email: long }),
  'a role that is looked for': ({ users }, id) => users.list(id, { role: long }),
  'a cursor': ({ users }, id) => users.list(id, { cursor: long }),
  'a sign-in': ({ auth }, id) => auth.logIn(id, { email: long, password: long }),
  'a password that is tried': ({ auth }, id) => auth.logIn(id, { ...ada, password: long }),
  'a forgotten password': ({ auth }, id) => auth.forgotPassword(id, { email: long }),
  'a new password': ({ auth }, id) => auth.resetPassword(id, { token: long, password: long }),
  'a refresh token': ({ auth }, id) => auth.refresh(id, { refreshToken: long }),
  'a code': ({ mfa }, id) => mfa.confirmTotp(id, userId, { code: long }),
  'a token': ({ auth }, id) => auth.validateToken(id, long),
  'a token of dots': ({ auth }, id) => auth.validateToken(id, manyDots),
  "an issuer's name": ({ trustedIssuers }, id) =>
    trustedIssuers.create(id, {
      issuer: long,
      audience: long,
      algorithms: ['ES256'],
      jwksUrl: long,
    }),
  'long keys of an issuer': ({ trustedIssuers }, id) =>
    trustedIssuers.create(id, {
      ...issuer,
      algorithms: ['RS256'],
      publicKeys: new Array(20).fill({ kty: 'RSA', n: zeros, e: zeros }),
    }),
  'many keys of an issuer': ({ trustedIssuers }, id) =>
    trustedIssuers.create(id, {
      ...issuer,
      algorithms: ['RS256'],
      publicKeys: new Array(many).fill({ kty: 'RSA', n: 'AQAB', e: 'AQAB' }),
    }),
  'a record of an import': ({ users }, id) => users.import(id, readRecords([createLongRecord()])),
  'many records of an import': ({ users }, id) =>
    users.import(id, readRecords(largeRecords), { onError: 'skip' }),
  'an export': async ({ users }, id) => {
    for await (const _ of users.export(id));
  },
}

function createLongRecord(): object {
  return { ...ada, name: long, email: long, password: long, roles: [long], metadata: { [long]: 1 } }
}

/** Of the users that the rules allow, those that cost most to read and to write. */
const largeRecords = Array.from({ length: 500 }, (_, index) => ({
  name: 'Ada',
  email: `ada-${index}@example.com`,
  roles: Array.from({ length: 50 }, (_, role) => `${role}`.padEnd(100, '"')),
  metadata: { a: new Array<never[]>(2_700).fill([]) },
}))

async function* readRecords(values: readonly object[]) {
  for (const [index, value] of values.entries()) yield { line: index + 1, value }
}
