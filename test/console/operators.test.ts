import { ClienteleError } from '@clientele/core'
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from 'vitest'
import { createTenant, password } from '../http/support/world.ts'
import { anyDatabase, type OpenDatabase } from '../support/databases.ts'
import { repositoryOf } from '../support/open-repository.ts'
import { runSql } from '../support/run-sql.ts'
import { Browser, ConsoleWorld, outcome, readFile } from './console-world.ts'

const minute = 60_000
const ada = { name: 'Ada Lovelace', email: 'ada@example.com', password }
const absent = '019dfae2-6a4d-7c3e-9b1f-2f4a5c6d7e8f'
const missing = [401, 'console_session_missing']

describe.each(anyDatabase)('operators at the console on $name', ({ open }) => {
  let database: OpenDatabase
  const world = new ConsoleWorld()

  beforeAll(async () => {
    database = await open()
  })
  afterEach(() => world.close())
  afterAll(() => database.close())

  test('a link opens a session of all accounts, once', async () => {
    const clientele = await world.open(database.url)
    const { token, path, expiresAt } = await clientele.console.createLink()
    expect(Buffer.from(token, 'base64url')).toHaveLength(32)
    expect(path).toBe(`/client/console/#link=${token}`)
    expect(expiresAt).toEqual(new Date(world.clock.now + 10 * minute))
    const browser = new Browser(clientele)
    const opened = await browser.ask('POST', 'session', { body: { link: token } })
    expect([opened.status, opened.json]).toEqual([
      201,
      {
        kind: 'operator',
        name: 'Operator',
        account: null,
        scopes: expect.arrayContaining(['users:read', 'webhooks:write']),
        can_authorize: false,
        expires_at: new Date(world.clock.now + 60 * minute).toISOString(),
      },
    ])
    const again = await new Browser(clientele).ask('POST', 'session', { body: { link: token } })
    expect(outcome(again)).toEqual([401, 'console_link_invalid'])
    expect((await browser.ask('GET', 'session')).json).toEqual(opened.json)
    expect((await browser.ask('GET', 'accounts')).status).toBe(200)
  })

  test('a link expires after ten minutes, and is deleted', async () => {
    const clientele = await world.open(database.url)
    const follow = async (token: string) =>
      (await new Browser(clientele).ask('POST', 'session', { body: { link: token } })).status
    const [late, timely] = [
      await clientele.console.createLink(),
      await clientele.console.createLink(),
    ]
    world.clock.now += 10 * minute - 1
    expect(await follow(timely.token)).toBe(201)
    world.clock.now += 1
    expect(await follow(late.token)).toBe(401)
    const count = async () => {
      const rows = await runSql(database.url, 'select hash from clientele_console_links')
      return (rows as unknown[]).length // of a select
    }
    expect(await count()).toBeGreaterThan(0)
    const repository = repositoryOf(database.url)
    const { now } = world.clock
    await repository.storage.sweep(absent, { now, eventsBefore: 0 })
    await repository.storage.close()
    expect(await count()).toBe(0)
  })

  test('if several requests use one link at once, one succeeds', async () => {
    const url = database.url
    const clienteles = await Promise.all([1, 2].map(() => world.open(url)))
    const [first] = clienteles
    const { token } = (await first?.console.createLink()) ?? { token: '' }
    const answers = await Promise.all(
      Array.from({ length: 10 }, (_, index) => {
        const clientele = clienteles[index % 2] ?? expect.fail()
        return new Browser(clientele).ask('POST', 'session', { body: { link: token } })
      }),
    )
    expect(answers.map(({ status }) => status).toSorted()).toEqual([201, ...Array(9).fill(401)])
  })

  test("the customers' API serves operators as it serves keys, and events name the operator", async () => {
    const clientele = await world.open(database.url)
    const { account, key } = await createTenant(clientele)
    const browser = await new Browser(clientele).followLink(clientele)
    const { id: accountId } = account
    const made = await browser.ask('POST', 'api/client/user', { accountId, body: ada })
    expect(made.status).toBe(201)
    const user = `api/client/user/${made.json.id}`
    const read = await browser.ask('GET', user, { accountId })
    expect([read.status, read.headers.etag, read.json]).toEqual([200, '"1"', made.json])
    const conflict = await browser.ask('PATCH', user, {
      accountId,
      body: { name: 'Ada King' },
      headers: { 'if-match': '"7"' },
    })
    expect(outcome(conflict)).toEqual([412, 'precondition_failed'])
    const unchanged = await browser.ask('GET', user, {
      accountId,
      headers: { 'if-none-match': '"1"' },
    })
    expect([unchanged.status, unchanged.text]).toEqual([304, undefined])
    const { data } = (await browser.ask('GET', 'api/client/event', { accountId })).json
    expect(data).toMatchObject([
      { type: 'api_key.created' },
      { type: 'user.created', actor: { type: 'operator', id: null } },
    ])
    // A route that reads its subject together with the key
    const { token } = await clientele.auth
      .logIn(accountId, { email: ada.email, password })
      .then((result) => ('token' in result ? result : { token: '' }))
    const valid = await browser.ask('POST', 'api/client/user/auth/validation-token', {
      accountId,
      body: { token: `Bearer ${token}` },
    })
    expect([valid.status, valid.json.isValid]).toEqual([200, true])
    // What an account's session does, its key has done.
    const theirs = await new Browser(clientele).signIn(key)
    await theirs.ask('PATCH', user, { body: { name: 'Ada King' } })
    const later = (await theirs.ask('GET', 'api/client/event?type=user.updated')).json.data
    expect(later).toMatchObject([{ actor: { type: 'api_key' } }])
  })

  test('a request must name an account that exists and is enabled', async () => {
    const clientele = await world.open(database.url)
    const { account } = await createTenant(clientele)
    const browser = await new Browser(clientele).followLink(clientele)
    const ask = (accountId?: string, path = 'api/client/user') =>
      browser.ask('GET', path, accountId === undefined ? {} : { accountId })
    const unnamed = await ask()
    expect(outcome(unnamed)).toEqual([400, 'header_invalid'])
    expect(unnamed.json.detail).toContain('Clientele-Account')
    for (const id of ['x', '019dfae2-6a4d-7c3e-9b1f-2f4a5c6d7e8f'])
      expect(outcome(await ask(id))).toEqual([404, 'account_not_found'])
    expect((await ask(account.id.toUpperCase())).status).toBe(200)
    await clientele.accounts.disable(account.id)
    expect(outcome(await ask(account.id))).toEqual([403, 'account_disabled'])
    expect((await ask(account.id, 'api-keys')).status).toBe(200)
    expect((await ask(undefined, 'api/client/user/openapi.json')).status).toBe(200)
    expect(outcome(await ask(undefined, 'api-keys'))).toEqual([400, 'header_invalid'])
  })

  test('authorize decides with each request who is an operator', async () => {
    const clientele = await world.open(database.url)
    const { account } = await createTenant(clientele)
    const authorize = vi.fn(async ({ headers }: { headers: object }) =>
      'x-admin' in headers ? { name: 'Grace' } : undefined,
    )
    const browser = new Browser(clientele, { authorize })
    const admin = { headers: { 'x-admin': '1' } }
    expect(outcome(await browser.ask('GET', 'session'))).toEqual(missing)
    expect(outcome(await browser.ask('POST', 'session', { body: {} }))).toEqual(missing)
    expect(outcome(await browser.ask('GET', 'accounts'))).toEqual(missing)
    const session = await browser.ask('GET', 'session', admin)
    expect([session.status, session.json]).toMatchObject([
      200,
      { kind: 'operator', name: 'Grace', account: null, can_authorize: true, expires_at: null },
    ])
    const opened = await browser.ask('POST', 'session', { body: {}, ...admin })
    expect([opened.status, opened.json]).toEqual([201, session.json])
    // The host can change its mind: nothing is kept.
    expect(opened.headers['set-cookie']).toBeUndefined()
    expect((await browser.ask('GET', 'accounts', admin)).status).toBe(200)
    const clientAddress = '192.0.2.9'
    const asked = { ...admin, accountId: account.id, clientAddress }
    expect((await browser.ask('GET', 'api/client/user?page=2', asked)).status).toBe(200)
    expect(authorize).toHaveBeenLastCalledWith({
      method: 'GET',
      url: '/api/v1/client/console/api/client/user?page=2',
      headers: expect.objectContaining({ 'x-admin': '1' }),
      clientAddress,
    })
    // A session of the console goes first.
    authorize.mockClear()
    await browser.followLink(clientele)
    expect((await browser.ask('GET', 'session', admin)).json.name).toBe('Operator')
    expect(authorize).not.toHaveBeenCalled()
    // Forged requests do not call authorize.
    const forged = await browser.askPlainly('GET', '/client/console/accounts', admin)
    expect(outcome(forged)).toEqual([403, 'console_request_forged'])
    expect(authorize).not.toHaveBeenCalled()
  })

  test('an ended session of an account does not take precedence over authorize', async () => {
    const clientele = await world.open(database.url)
    const { account, key } = await createTenant(clientele)
    const authorize = async () => ({ name: 'Grace' })
    const browser = await new Browser(clientele, { authorize }).signIn(key)
    expect((await browser.ask('GET', 'session')).json.kind).toBe('account')
    expect(outcome(await browser.ask('GET', 'accounts'))).toEqual([
      403,
      'console_operator_required',
    ])
    for (const { id } of await clientele.apiKeys.list(account.id))
      await clientele.apiKeys.revoke(account.id, id)
    expect((await browser.ask('GET', 'session')).json.name).toBe('Grace')
    expect((await browser.ask('GET', 'accounts')).status).toBe(200)
    const opened = await browser.ask('POST', 'session', { body: {} })
    expect([opened.json.name, opened.headers['set-cookie']]).toEqual([
      'Grace',
      expect.stringContaining('clientele_console=; '),
    ])
  })

  test('an authorize function that never settles blocks no request forever', async () => {
    const clientele = await world.open(database.url)
    const browser = new Browser(clientele, { authorize: () => new Promise(() => {}) })
    expect(outcome(await browser.ask('GET', 'accounts'))).toEqual([500, 'internal_error'])
    expect(world.log).toContain('authorize')
  })

  test('the body of a refused request is not read', async () => {
    const clientele = await world.open(database.url)
    const mounted = clientele.console.routes({ readFile })
    let isRead = false
    const body = (async function* () {
      isRead = true
      yield Buffer.from('{}')
    })()
    for (const fields of [{}, { 'clientele-console': '1' }]) {
      const headers = { 'content-type': 'application/json', ...fields }
      const response = await mounted.handle({
        ...{ method: 'POST', url: '/client/console/import', mountPath: '', headers },
        ...{ rawHeaders: Object.entries(headers).flat(), body },
      })
      expect([response?.status, isRead]).toEqual([fields['clientele-console'] ? 401 : 403, false])
    }
  })

  test('an error or a wrong result of authorize is logged and not shown to the caller', async () => {
    const clientele = await world.open(database.url)
    const secret = 'a secret of the host'
    const fail = async (authorize: () => unknown) => {
      world.logged.length = 0
      const browser = new Browser(clientele, { authorize: authorize as never }) // whatever a host writes
      const answer = await browser.ask('GET', 'accounts')
      expect(answer.text).not.toContain(secret)
      return [...outcome(answer), world.log.includes(secret)]
    }
    const thrown = () => {
      throw new Error(secret)
    }
    expect(await fail(thrown)).toEqual([500, 'internal_error', true])
    expect(await fail(async () => thrown())).toEqual([500, 'internal_error', true])
    const told = async () => {
      throw new ClienteleError('api_key_invalid', secret)
    }
    expect(await fail(told)).toEqual([500, 'internal_error', true])
    const silent = async () => {
      throw new ClienteleError('storage_unavailable', secret)
    }
    expect((await fail(silent)).slice(0, 2)).toEqual([503, 'storage_unavailable'])
    for (const wrong of [true, { name: 7 }, { name: '' }, 'Grace', {}])
      expect(await fail(() => wrong)).toMatchObject([500, 'internal_error', false])
    for (const nobody of [null, false, undefined])
      expect((await fail(() => nobody)).slice(0, 2)).toEqual(missing)
  })
})
