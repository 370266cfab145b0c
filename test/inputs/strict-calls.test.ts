import { randomUUID } from 'node:crypto'
import { Readable } from 'node:stream'
import type { Clientele, ClienteleEvents, ClientUser } from '@clientele/core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { LogRecorder, openClientele } from '../keys/open-clientele.ts'
import { anyDatabase, type OpenDatabase } from '../support/databases.ts'

const absentId = '019dfae2-6a4d-7c3e-9b1f-2f4a5c6d7e8f'

/** The pointers and codes of what is wrong with a call. */
async function faultsOf(call: () => unknown): Promise<string[]> {
  try {
    await call()
    return []
  } catch (error) {
    const { code, issues } = error as { code: string; issues: { pointer: string; code: string }[] } // a ClienteleError
    expect(code).toBe('validation_failed')
    return issues.map((issue) => `${issue.pointer} ${issue.code}`)
  }
}

describe.each(anyDatabase)('calls in process, on $name', ({ open }) => {
  let database: OpenDatabase
  let clientele: Clientele
  let account: string
  let user: ClientUser
  const logger = new LogRecorder()

  beforeAll(async () => {
    database = await open()
    clientele = await openClientele(database.url, { logger })
    account = (await clientele.accounts.create({ name: 'Acme' })).id
    user = await addUser()
  })
  afterAll(async () => {
    await clientele.close()
    await database.close()
  })

  async function addUser(more: object = {}): Promise<ClientUser> {
    const email = `${randomUUID()}@example.com`
    const input = { name: 'Ada', email, password: 'password', ...more }
    return (await clientele.users.create(account, input)).user
  }

  /** What has a member or an option too much; the compiler refuses each where it is written so. */
  function misspelt(): [name: string, pointer: string, call: () => unknown][] {
    const { accounts, apiKeys, trustedIssuers, users, auth, mfa } = clientele
    const x = { x: 1 } as object
    const credentials = { email: 'ada@example.com', password: 'password' }
    const profile = { name: 'Ada', ...credentials }
    const issuer = { issuer: 'i', audience: 'a', algorithms: ['HS256' as const] }
    const records = (async function* () {})()
    return [
      ['accounts.create', '/x', () => accounts.create({ name: 'A', ...x })],
      ['accounts.bootstrap', '/x', () => accounts.bootstrap({ name: 'A', ...x })],
      ['apiKeys.create', '/x', () => apiKeys.create(account, { ...x })],
      ['apiKeys.rotate', '/x', () => apiKeys.rotate(account, absentId, { ...x })],
      [
        'trustedIssuers.create',
        '/x',
        () => trustedIssuers.create(account, { ...issuer, sharedSecret: 's'.repeat(32), ...x }),
      ],
      ['trustedIssuers.update', '/x', () => trustedIssuers.update(account, absentId, { ...x })],
      ['users.create', '/x', () => users.create(account, { ...profile, ...x })],
      ['users.replace', '/x', () => users.replace(account, user.id, { ...profile, ...x })],
      ['users.patch', '/x', () => users.patch(account, user.id, { ...x })],
      ['users.list', '/x', () => users.list(account, { ...x })],
      ['users.replace', '/options/x', () => users.replace(account, user.id, profile, { ...x })],
      ['users.patch', '/options/x', () => users.patch(account, user.id, {}, { ...x })],
      ['users.delete', '/options/x', () => users.delete(account, user.id, { ...x })],
      ['users.import', '/options/x', () => users.import(account, records, { ...x })],
      ['users.export', '/options/x', () => users.export(account, { ...x })],
      ['auth.logIn', '/x', () => auth.logIn(account, { ...credentials, ...x })],
      ['auth.logIn', '/call/x', () => auth.logIn({ accountId: account, ...x }, credentials)],
      [
        'auth.completeMfa',
        '/x',
        () => auth.completeMfa(account, { challenge: 'c', method: 'totp', code: '1', ...x }),
      ],
      ['auth.mailMfaCode', '/x', () => auth.mailMfaCode(account, { challenge: 'c', ...x })],
      [
        'auth.forgotPassword',
        '/x',
        () => auth.forgotPassword(account, { email: user.email, ...x }),
      ],
      [
        'auth.forgotPassword',
        '/call/actor/x',
        () =>
          auth.forgotPassword(
            { accountId: account, actor: { type: 'operator', id: null, ...x } },
            { email: user.email },
          ),
      ],
      [
        'auth.resetPassword',
        '/x',
        () => auth.resetPassword(account, { token: 't', password: 'password', ...x }),
      ],
      [
        'auth.requestEmailVerification',
        '/x',
        () => auth.requestEmailVerification(account, { email: user.email, ...x }),
      ],
      ['auth.verifyEmail', '/x', () => auth.verifyEmail(account, { token: 't', ...x })],
      ['auth.refresh', '/x', () => auth.refresh(account, { refreshToken: 't', ...x })],
      ['auth.logOut', '/x', () => auth.logOut(account, { refreshToken: 't', ...x })],
      ['mfa.enrolTotp', '/options/x', () => mfa.enrolTotp(account, user.id, { ...x })],
      ['mfa.confirmTotp', '/x', () => mfa.confirmTotp(account, user.id, { code: '1', ...x })],
    ]
  }

  test('an account in place of its id, and an access token as refresh token, are named', async () => {
    const made = await clientele.accounts.find(account)
    const list = Reflect.apply(clientele.users.list, clientele.users, [made])
    await expect(list).rejects.toThrow('/call must be the id of an account: pass account.id')
    const refreshToken = 'eyJhbGciOiJ9.eyJzdWIi.c2ln'
    const refreshed = clientele.auth.refresh(account, { refreshToken })
    await expect(refreshed).rejects.toThrow('/refreshToken must be a refresh token: this is a JWT')
  })

  test('an event that does not exist is refused, with the names of those that do', async () => {
    const listen = (...values: unknown[]) =>
      faultsOf(() => Reflect.apply(clientele.events.on, clientele.events, values))
    expect(await listen('user.craeted', () => {})).toEqual(['/name value'])
    expect(await listen('user.created')).toEqual(['/listener type'])
    expect(await listen('user.created', () => {})).toEqual([])
  })

  test('unknown members are refused by name', async () => {
    for (const [name, pointer, call] of misspelt()) {
      expect([name, await faultsOf(call)]).toEqual([name, [`${pointer} unrecognized`]])
    }
    expect((await clientele.users.find(account, user.id)).user).toEqual(user)
    const { data } = await clientele.users.list(account, { email: 'ada@example.com' })
    expect(data).toEqual([])
  })

  test('a name in the spelling of the wire is refused by that name', async () => {
    const { accounts, apiKeys, trustedIssuers, users, auth } = clientele
    const profile = { name: 'Ada', email: 'wire@example.com', password: 'password' }
    const issuer = { issuer: 'i', audience: 'a', algorithms: ['HS256' as const] }
    const sharedSecret = 's'.repeat(32)
    const wire = (name: string, value: unknown) => ({ [name]: value }) as object
    const calls: [pointer: string, call: () => unknown][] = [
      ['/allowed_roles', () => accounts.create({ name: 'A', ...wire('allowed_roles', []) })],
      ['/expires_at', () => apiKeys.create(account, wire('expires_at', new Date()))],
      ['/is_active', () => users.create(account, { ...profile, ...wire('is_active', false) })],
      [
        '/is_active',
        () => users.replace(account, user.id, { ...profile, ...wire('is_active', false) }),
      ],
      ['/is_active', () => users.patch(account, user.id, wire('is_active', false))],
      ['/is_active', () => users.list(account, wire('is_active', true))],
      ['/created_after', () => users.list(account, wire('created_after', new Date()))],
      ['/options/if_version', () => users.delete(account, user.id, wire('if_version', 1))],
      [
        '/user_claim',
        () =>
          trustedIssuers.create(account, { ...issuer, sharedSecret, ...wire('user_claim', 'sub') }),
      ],
      [
        '/refresh_token',
        () => auth.logOut(account, { refreshToken: 't', ...wire('refresh_token', 't') }),
      ],
      [
        '/call/request_id',
        () => users.find({ accountId: account, ...wire('request_id', 'a') }, user.id),
      ],
    ]
    for (const [pointer, call] of calls) {
      expect(await faultsOf(call)).toEqual([`${pointer} unrecognized`])
    }
    expect((await users.find(account, user.id)).user).toEqual(user)
  })

  test('an invalid Date is refused, and so is one that ISO 8601 cannot write', async () => {
    const { apiKeys, users } = clientele
    const importOne = async (more: object) => {
      const value = { name: 'Ada', email: 'date@example.com', ...more }
      const result = await users.import(account, Readable.from([{ line: 1, value }]), {
        onError: 'skip',
      })
      return result.errors.map(({ message }) => message)
    }
    const invalid = new Date(Number.NaN)
    expect(await faultsOf(() => apiKeys.create(account, { expiresAt: invalid }))).toEqual([
      '/expiresAt type',
    ])
    expect(await faultsOf(() => users.list(account, { createdAfter: invalid }))).toEqual([
      '/createdAfter type',
    ])
    for (const name of ['createdAt', 'updatedAt', 'emailVerified']) {
      expect(await importOne({ [name]: invalid })).toEqual([
        expect.stringMatching(new RegExp(`^/${name} must be .*a valid Date$`)),
      ])
    }
    const far = new Date(8.64e15)
    expect(await faultsOf(() => apiKeys.create(account, { expiresAt: far }))).toEqual([
      '/expiresAt value',
    ])
    expect(await importOne({ createdAt: far })).toEqual([
      '/createdAt must be in the years 0000 to 9999, UTC',
    ])
  })

  test('every wrong option is reported', async () => {
    const { users, auth } = clientele
    const wrong: [pointer: string, call: () => unknown][] = [
      [
        '/options/ifVersion type',
        () => users.patch(account, user.id, {}, { ifVersion: '1' as never }),
      ],
      [
        '/options/keepSessionId format',
        () => users.patch(account, user.id, {}, { keepSessionId: 'x' }),
      ],
      ['/options type', () => users.delete(account, user.id, 5 as never)],
      [
        '/options/onError value',
        () => users.import(account, [] as never, { onError: 'go' as never }),
      ],
      [
        '/call/clientAddress type',
        () =>
          auth.logIn(
            { accountId: account, clientAddress: 5 as never },
            { email: 'a', password: 'b' },
          ),
      ],
      [
        '/call/actor/type value',
        () => users.find({ accountId: account, actor: { type: 'x' as never, id: null } }, user.id),
      ],
      ['/call/accountId format', () => users.find({ accountId: 'x' }, user.id)],
      [
        '/call/requestId format',
        () => users.find({ accountId: account, requestId: 'a b' }, user.id),
      ],
      ['/token type', () => auth.validateToken(account, 5 as never)],
    ]
    for (const [fault, call] of wrong) expect(await faultsOf(call)).toEqual([fault])
  })

  test('an invalid id is named by its argument', async () => {
    const { accounts, apiKeys, trustedIssuers, users, mfa, sessions, auth } = clientele
    const calls: [argument: string, call: (id: string) => unknown][] = [
      ['accountId', (id) => accounts.find(id)],
      ['accountId', (id) => apiKeys.create(id)],
      ['keyId', (id) => apiKeys.revoke(account, id)],
      ['issuerId', (id) => trustedIssuers.delete(account, id)],
      ['accountId', (id) => users.find(id, user.id)],
      ['userId', (id) => users.find(account, id)],
      ['userId', (id) => users.patch(account, id, {})],
      ['userId', (id) => users.activate(account, id)],
      ['userId', (id) => users.delete(account, id)],
      ['accountId', (id) => users.export(id)],
      ['userId', (id) => mfa.read(account, id)],
      ['sessionId', (id) => sessions.revoke(account, user.id, id)],
      ['accountId', (id) => auth.validateToken(id, 'x')],
    ]
    for (const [argument, call] of calls) {
      expect(await faultsOf(() => call('x'))).toEqual([`/${argument} format`])
      expect(await faultsOf(() => call(undefined as never))).toEqual([`/${argument} required`])
    }
    // A call may have several at once; the first that is read is told.
    await expect(users.find(account, 'x')).rejects.toMatchObject({
      issues: [{ pointer: '/userId', code: 'format', message: 'must be a UUID' }],
    })
  })

  test('an id of a signing key is a text of one line', async () => {
    const { retire, remove } = clientele.signingKeys
    for (const method of [retire, remove]) {
      const call = (keyId: string) => method(account, keyId)
      expect(await faultsOf(() => call(undefined as never))).toEqual(['/keyId required'])
      expect(await faultsOf(() => call({ keyId: 'x' } as never))).toEqual(['/keyId type'])
      expect(await faultsOf(() => call('x'.repeat(500_000)))).toEqual(['/keyId too_long'])
      expect(await faultsOf(() => call('x\0'))).toEqual(['/keyId text_not_allowed'])
      await expect(call('x')).rejects.toMatchObject({ code: 'signing_key_not_found' })
    }
  })

  test('methods without an account take an optional call without an account', async () => {
    const { create, bootstrap, list } = clientele.accounts
    const { signingKeys } = clientele
    const wrong = { accountId: account, requestId: 'a b' } as never // what must be refused
    const faults = ['/call/requestId format', '/call/accountId unrecognized']
    for (const call of [
      () => create(wrong, { name: 'A' }),
      () => bootstrap(wrong, { name: 'A' }),
      () => list(wrong),
      async () => signingKeys.rotateAll({}, wrong),
    ]) {
      expect(await faultsOf(call)).toEqual(faults)
    }
    const call = { requestId: 'req-1' }
    expect(await create(call, { name: 'Said' })).toMatchObject({ name: 'Said' })
    expect(await list(call)).toHaveLength((await list()).length)
    expect(await faultsOf(() => create(call, undefined as never))).toEqual([' required'])
    expect(await faultsOf(() => create(call as never))).toEqual([
      '/name required',
      '/requestId unrecognized',
    ])
    expect(await faultsOf(() => signingKeys.rotate(account, { urgent: true } as never))).toEqual([
      '/options/urgent unrecognized',
    ])
  })

  test('a guard with wrong options is refused, with the reason', async () => {
    const { token } = (await clientele.auth.logIn(account, {
      email: user.email,
      password: 'password',
    })) as { token: string } // no MFA factor is enrolled
    const authorization = `Bearer ${token}`
    const request = { headers: { authorization }, rawHeaders: ['authorization', authorization] }
    expect(await clientele.guard(request, { accountId: account })).toHaveProperty('user')
    for (const options of [{ acountId: absentId }, { accountId: 'x' }]) {
      const refused = await clientele.guard(request, options as never) // what must be refused
      expect(refused).toMatchObject({ response: { status: 500 } })
      expect(logger.lines.at(-1)?.details).toMatchObject({
        error: { code: 'configuration_invalid' },
      })
    }
  })

  test('a change of isActive, alone or with other members, writes at most one event', async () => {
    const seen: [name: string, event: unknown][] = []
    const names = ['user.updated', 'user.activated', 'user.deactivated'] as const
    const ends = names.map((name) =>
      clientele.events.on(name, (event: ClienteleEvents[typeof name]) => seen.push([name, event])),
    )
    const { users } = clientele
    const { id, email } = await addUser()
    const profile = { name: 'Ada', email }
    const told = async (change: Promise<unknown>) => {
      await change
      return seen.splice(0).map(([name]) => name)
    }
    expect(await told(users.patch(account, id, { isActive: false }))).toEqual(['user.deactivated'])
    expect(await told(users.patch(account, id, { isActive: false }))).toEqual([])
    expect(await told(users.patch(account, id, { isActive: true }))).toEqual(['user.activated'])
    expect(await told(users.patch(account, id, {}))).toEqual([])
    expect(await told(users.patch(account, id, { isActive: false, name: 'Bob' }))).toEqual([
      'user.updated',
    ])
    expect(
      await told(users.replace(account, id, { ...profile, name: 'Bob', isActive: true })),
    ).toEqual(['user.activated'])
    expect(await told(users.replace(account, id, { ...profile, isActive: false }))).toEqual([
      'user.updated',
    ])
    const withPassword = { ...profile, password: 'another', isActive: true }
    expect(await told(users.replace(account, id, withPassword))).toEqual(['user.updated'])
    for (const end of ends) end()
  })

  test('names of accounts and keys are bounded before they are read, and of one line', async () => {
    const { accounts, apiKeys } = clientele
    const long = `${' '.repeat(398)}Ada`
    const marks = 'e\u0301'.repeat(240_000)
    for (const name of [long, marks]) {
      expect(await faultsOf(() => accounts.create({ name }))).toEqual(['/name too_long'])
      expect(await faultsOf(() => apiKeys.create(account, { name }))).toEqual(['/name too_long'])
    }
    for (const name of ['A\nB', 'A\u2029B', 'A\u0000B']) {
      expect(await faultsOf(() => accounts.create({ name }))).toEqual(['/name text_not_allowed'])
      expect(await faultsOf(() => apiKeys.create(account, { name }))).toEqual([
        '/name text_not_allowed',
      ])
    }
    expect((await accounts.create({ name: long.slice(1) })).name).toBe('Ada')
    expect(await faultsOf(() => accounts.create({ name: 'A', allowedRoles: ['a\tb'] }))).toEqual([
      '/allowedRoles/0 text_not_allowed',
    ])
  })
})
