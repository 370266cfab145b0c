import type { Clientele } from '@clientele/core'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { createTenant, password } from '../http/support/world.ts'
import { toRecords } from '../import/import-world.ts'
import { anyDatabase, type OpenDatabase } from '../support/databases.ts'
import { logIn } from '../support/log-in.ts'
import { insertUsers } from '../support/run-sql.ts'
import { type Asked, Browser, ConsoleWorld, outcome } from './console-world.ts'

const day = 86_400_000
const absent = '019dfae2-6a4d-7c3e-9b1f-2f4a5c6d7e8f'
const iso = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/)

const noPolicy = {
  sign_in: ['password', 'passkey', 'id_token'],
  second_factor: 'optional',
  password_required: true,
  min_password_length: null,
  verified_email: 'optional',
  remember_device_days: 0,
  session_ttl_seconds: null,
  session_max_seconds: null,
}

describe.each(anyDatabase)('operations of the console on $name', ({ open }) => {
  let database: OpenDatabase
  let clientele: Clientele
  let operator: Browser
  let accountId: string
  let key: string
  const world = new ConsoleWorld()

  beforeAll(async () => {
    database = await open()
  })
  beforeEach(async () => {
    clientele = await world.open(database.url)
    const tenant = await createTenant(clientele)
    accountId = tenant.account.id
    key = tenant.key
    operator = await new Browser(clientele).followLink(clientele)
  })
  afterEach(() => world.close())
  afterAll(() => database.close())

  const ask = (method: string, path: string, body?: unknown) =>
    operator.ask(method, path, { accountId, ...(body !== undefined && { body }) } as Asked)

  function addUser(email: string) {
    return clientele.users.create(accountId, { name: 'Ada Lovelace', email, password })
  }

  test("a user's names of SCIM are those of the e-mail address until an identity provider names others", async () => {
    const { user } = await addUser('ada@example.com')
    const answer = await ask('GET', `scim-names/${user.id}`)
    expect([answer.status, answer.json]).toEqual([
      200,
      {
        user_name: 'ada@example.com',
        external_id: null,
        given_name: 'Ada',
        family_name: 'Lovelace',
      },
    ])
    expect((await ask('GET', `scim-names/${absent}`)).status).toBe(404)
  })

  test('the overview has figures for each day, also for days without activity', async () => {
    const today = world.clock.now
    world.clock.now = today - 40 * day
    await addUser('a@example.com')
    world.clock.now = today - 2 * day
    const { user } = await addUser('b@example.com')
    await logIn(clientele, accountId, { email: 'b@example.com', password })
    world.clock.now = today
    await addUser('c@example.com')
    await clientele.users.deactivate(accountId, user.id)
    await logIn(clientele, accountId, { email: 'c@example.com', password })
    for (let tries = 0; tries < 2; tries++) {
      const wrong = { email: 'c@example.com', password: 'a wrong one' }
      await expect(clientele.auth.logIn(accountId, wrong)).rejects.toThrow()
    }
    const name = (time: number) => new Date(time).toISOString().slice(0, 10)
    const days = [today - 2 * day, today - day, today].map(name)
    const visitor = await new Browser(clientele).signIn(key)
    for (const browser of [operator, visitor, visitor]) {
      const asked = browser === operator ? { accountId } : {}
      const { status, json } = await browser.ask('GET', 'overview?days=3', asked)
      expect([status, json]).toEqual([
        200,
        {
          users: {
            total: 3,
            active: 2,
            by_day: [
              { day: days[0], created: 1, total: 2 },
              { day: days[1], created: 0, total: 2 },
              { day: days[2], created: 1, total: 3 },
            ],
          },
          sign_ins: {
            by_day: [
              { day: days[0], succeeded: 1, failed: 0 },
              { day: days[1], succeeded: 0, failed: 0 },
              { day: days[2], succeeded: 1, failed: 2 },
            ],
          },
          // Deactivating has ended the other.
          sessions: { alive: 1 },
        },
      ])
    }
    // What has been counted is counted on, and more days are there when they are asked for.
    await logIn(clientele, accountId, { email: 'c@example.com', password })
    const more = (await visitor.ask('GET', 'overview?days=90')).json as {
      sign_ins: { by_day: { succeeded: number }[] }
      users: { by_day: { total: number }[] }
    } // as above
    expect(more.sign_ins.by_day).toHaveLength(90)
    const signedIn = more.sign_ins.by_day.map(({ succeeded }) => succeeded)
    expect(signedIn.slice(-3)).toEqual([1, 0, 2])
    expect(more.users.by_day.map(({ total }) => total)).toEqual([
      ...Array(49).fill(0),
      ...Array(38).fill(1),
      2,
      2,
      3,
    ])
    world.clock.now += day
    const next = (await visitor.signIn(key).then(() => visitor.ask('GET', 'overview'))).json
    expect(next).toMatchObject({ users: { total: 3 } })
    const later = (next as typeof more).sign_ins.by_day.map(({ succeeded }) => succeeded) // as above
    expect([later.length, ...later.slice(-4)]).toEqual([30, 1, 0, 2, 0])
    for (const wrong of ['0', '91', 'x', '1.5', ''])
      expect((await visitor.ask('GET', `overview?days=${wrong}`)).status).toBe(422)
    expect((await visitor.ask('GET', 'overview?day=1')).status).toBe(422)
  })

  test('the health of webhooks, whose URLs may hold secrets, needs their scope', async () => {
    const webhook = await clientele.webhooks.create(accountId, {
      url: 'https://93.184.216.34/hook',
    })
    const visitor = await new Browser(clientele).signIn(key)
    for (const browser of [operator, visitor]) {
      const asked = browser === operator ? { accountId } : {}
      const { status, json } = await browser.ask('GET', 'webhook-health', asked)
      expect([status, json]).toEqual([
        200,
        {
          data: [
            {
              id: webhook.id,
              url: webhook.url,
              is_active: true,
              failing_since: null,
              pending: 0,
              last_attempt_at: null,
              last_status: null,
              last_reason: null,
            },
          ],
        },
      ])
    }
    const { apiKey } = await clientele.apiKeys.create(accountId, {
      name: 'reports',
      scopes: ['users:read', 'events:read'],
    })
    const reader = await new Browser(clientele).signIn(apiKey)
    const refused = await reader.ask('GET', 'webhook-health')
    expect([refused.status, refused.json]).toMatchObject([403, { code: 'scope_insufficient' }])
    expect(JSON.stringify((await reader.ask('GET', 'overview')).json)).not.toContain('93.184')
  })

  test('the overview of a large account is counted once in ten seconds', async () => {
    // Every second is not active, and is counted.
    await insertUsers(database.url, accountId, 42_000)
    await clientele.accounts.recount(accountId)
    const visitor = await new Browser(clientele).signIn(key)
    const totals = async (days = 30) =>
      ((await visitor.ask('GET', `overview?days=${days}`)).json as { users: object }).users // as above
    expect(await totals()).toMatchObject({ total: 42_000, active: 21_000 })
    await addUser('new@example.com')
    expect(await totals()).toMatchObject({ total: 42_000, active: 21_000 })
    // Another question is counted by itself.
    expect(await totals(3)).toMatchObject({ total: 42_001, active: 21_001 })
    world.clock.now += 10_000
    expect(await totals()).toMatchObject({ total: 42_001, active: 21_001 })
  })

  test('users are exported page by page in the format of the import, without hashes', async () => {
    for (const name of ['a', 'b', 'c', 'd', 'e']) await addUser(`${name}@example.com`)
    const records: unknown[] = []
    let after = ''
    for (;;) {
      const { status, json, text } = await ask('GET', `export?limit=2${after}`)
      expect([status, json.total]).toEqual([200, 5])
      expect(text).not.toContain('hash')
      records.push(...(json.records as unknown[])) // a list, by its contract
      if (json.next === null) break
      after = `&after=${json.next}`
    }
    expect(records).toHaveLength(5)
    expect(records[0]).toEqual({
      id: expect.any(String),
      email: 'a@example.com',
      name: 'Ada Lovelace',
      roles: [],
      metadata: {},
      is_active: true,
      created_at: iso,
      updated_at: iso,
      email_verified: false,
    })
    const { account } = await createTenant(clientele, 'Globex')
    const moved = await operator.ask('POST', 'import', {
      accountId: account.id,
      body: { records: records.map((record) => ({ ...Object(record), id: undefined })) },
    })
    expect(moved.json).toMatchObject({ imported: 5, without_password: 5 })
    expect((await ask('GET', 'export')).json).toMatchObject({ next: null, total: 5 })
    for (const wrong of ['limit=1001', 'limit=0', 'after=x', 'limits=1'])
      expect((await ask('GET', `export?${wrong}`)).status).toBe(422)
  })

  test('records are imported in batches, whose lines the page counts', async () => {
    await addUser('ada@example.com')
    const records = [
      { email: 'grace@example.com', name: 'Grace Hopper', password },
      { email: 'ada@example.com', name: 'Ada King' },
      { email: 'no address', name: 'Nobody' },
      { email: 'nul@example.com', name: 'Nobody\0' },
      'no record',
    ]
    const body = { records, first_line: 501, on_error: 'skip', on_conflict: 'update' }
    const expected = {
      imported: 1,
      updated: 1,
      skipped: 3,
      conflicts: 0,
      without_password: 0,
      stopped_at_line: null,
      errors: [503, 504, 505].map((line) => ({
        line,
        code: expect.any(String),
        message: expect.any(String),
      })),
    }
    const rehearsed = await ask('POST', 'import', { ...body, dry_run: true })
    expect([rehearsed.status, rehearsed.json]).toEqual([200, expected])
    expect((await clientele.users.list(accountId)).total).toBe(1)
    expect((await ask('POST', 'import', body)).json).toEqual(expected)
    const { data } = await clientele.users.list(accountId)
    expect(data.map(({ name }) => name)).toEqual(['Ada King', 'Grace Hopper'])
    const stopped = await ask('POST', 'import', { records })
    expect(stopped.json).toMatchObject({ imported: 0, stopped_at_line: 1 })
    const feed = await clientele.events.read(accountId)
    const told = feed.data.slice(-2).map(({ type, actor }) => [type, actor.type])
    expect(told).toEqual([
      ['users.imported', 'operator'],
      ['user.updated', 'operator'],
    ])
  })

  test('a batch has up to 500 records, 512 KiB and 20,000 values', async () => {
    const record = (index: number) => ({
      email: `user-${index}@example.com`,
      name: 'Ada Lovelace',
      metadata: { note: 'x'.repeat(700), list: Array.from({ length: 30 }, () => index) },
    })
    const most = Array.from({ length: 500 }, (_, index) => record(index))
    const done = await ask('POST', 'import', { records: most })
    expect([done.status, done.json.imported]).toEqual([200, 500])
    const refuse = async (body: unknown) => outcome(await ask('POST', 'import', body))
    const invalid = [422, 'validation_failed']
    expect(await refuse({ records: [...most.slice(0, 10), ...Array(491).fill({})] })).toEqual(
      invalid,
    )
    expect(await refuse({ records: [] })).toEqual(invalid)
    expect(await refuse({ records: [{}], on_error: 'ignore' })).toEqual(invalid)
    expect(await refuse({ records: [{}], first_line: 0 })).toEqual(invalid)
    expect(await refuse({ records: [{}], with_hashes: true })).toEqual(invalid)
    const large = Array.from({ length: 500 }, () => ({ name: 'x'.repeat(1100) }))
    expect(await refuse({ records: large })).toEqual([413, 'body_too_large'])
  })

  test('a batch that holds too many values, or nests too deep, is refused before it is parsed', async () => {
    const refuse = async (record: unknown) => {
      const { status, json } = await ask('POST', 'import', { records: [record] })
      return [status, json.errors]
    }
    const tooMany = [expect.objectContaining({ pointer: '', code: 'too_many' })]
    expect(await refuse(Array.from({ length: 20_000 }, () => []))).toEqual([422, tooMany])
    expect((await refuse(Array.from({ length: 19_990 }, () => [])))[0]).toBe(200)
    const nest = (depth: number): unknown => (depth === 0 ? 0 : [nest(depth - 1)])
    const tooDeep = [expect.objectContaining({ pointer: '', code: 'too_deep' })]
    expect(await refuse(nest(33))).toEqual([422, tooDeep])
    expect((await refuse(nest(32)))[0]).toBe(200)
  })

  test('a batch of many different names, or orders of names, is refused before it is parsed', async () => {
    const problem = {
      pointer: '',
      code: 'too_many',
      message: 'must not hold more than 2500 different member names or orders of names',
    }
    const send = async (records: unknown[]) => {
      const { status, json } = await ask('POST', 'import', { records })
      return status === 200 ? 200 : json.errors
    }
    const namesOf = (count: number, from = 0) =>
      Object.fromEntries(Array.from({ length: count }, (_, index) => [`n${from + index}`, 0]))
    expect(await send([namesOf(19_000)])).toEqual([problem])
    expect(await send([{ metadata: namesOf(2_600) }])).toEqual([problem])
    expect(await send(Array.from({ length: 300 }, (_, at) => namesOf(9, at * 9)))).toEqual([
      problem,
    ])
    const shifted = Array.from({ length: 300 }, (_, at) => ({ [`n${at % 9}`]: 0, ...namesOf(9) }))
    expect(await send(shifted)).toBe(200)
    const rotated = Array.from({ length: 300 }, (_, at) =>
      Object.fromEntries(Array.from({ length: 30 }, (_, i) => [`n${(i * at + at) % 301}`, 0])),
    )
    expect(await send(rotated)).toEqual([problem])
    expect(await send(Array.from({ length: 300 }, () => namesOf(60)))).toBe(200)
    expect(await send([namesOf(2_400)])).toBe(200)
  })

  test('a page of an export ends after about a megabyte, and no user is missing', async () => {
    const metadata = { note: 'x'.repeat(8_000) }
    const records = Array.from({ length: 150 }, (_, index) => ({
      email: `user-${index}@example.com`,
      name: 'Ada Lovelace',
      metadata,
    }))
    await clientele.users.import(accountId, toRecords(records))
    const emails: string[] = []
    const sizes: number[] = []
    for (let next: string | null | undefined; next !== null; ) {
      const { json } = await ask('GET', next === undefined ? 'export' : `export?after=${next}`)
      const page = json as { records: { email: string }[]; next: string | null } // as the operation answers
      sizes.push(JSON.stringify(page.records).length)
      emails.push(...page.records.map(({ email }) => email))
      next = page.next
    }
    expect(emails).toEqual(records.map(({ email }) => email))
    expect(sizes.length).toBeGreaterThan(1)
    expect(Math.max(...sizes)).toBeLessThan(1.2 * 1024 * 1024)
  })

  test("today's total counts users with a creation time in the future", async () => {
    const today = world.clock.now
    const created = new Date(today + 10 * day).toISOString()
    const value = { email: 'later@example.com', name: 'Ada Lovelace', created_at: created }
    await clientele.users.import(accountId, toRecords([value]), { fromWire: true })
    await addUser('now@example.com')
    const { users } = (await ask('GET', 'overview?days=2')).json as {
      users: { total: number; by_day: { created: number; total: number }[] }
    } // as the operation answers
    expect(users.total).toBe(2)
    expect(users.by_day).toMatchObject([
      { created: 0, total: 0 },
      { created: 1, total: 2 },
    ])
  })

  test('accounts are created, renamed, disabled and deleted', async () => {
    const made = await operator.ask('POST', 'accounts', { body: { name: 'Initech' } })
    const account = {
      id: expect.any(String),
      name: 'Initech',
      slug: null,
      external_id: null,
      metadata: {},
      allowed_roles: null,
      created_at: iso,
      disabled_at: null,
      passkeys: null,
      policy: noPolicy,
    }
    expect([made.status, made.json]).toEqual([
      201,
      { account, api_key: expect.stringMatching(/^cu_live_/) },
    ])
    const { id } = made.json.account as { id: string } // as seen above
    const list = async () => (await operator.ask('GET', 'accounts')).json.accounts
    const { metadata: _, allowed_roles, passkeys, policy, ...summary } = account
    expect(await list()).toContainEqual({ ...summary, id })
    const path = `accounts/${id}`
    const read = await operator.ask('GET', path)
    expect([read.status, read.json]).toEqual([200, { ...account, id }])
    const change = (body: unknown) => operator.ask('PATCH', path, { body })
    expect((await change({ name: 'Initech Inc.', is_disabled: true })).json).toEqual({
      ...account,
      id,
      name: 'Initech Inc.',
      disabled_at: iso,
    })
    expect((await change({ is_disabled: false })).json.disabled_at).toBeNull()
    expect((await change({})).status).toBe(200)
    const names = { slug: 'initech', external_id: 'customer-17', metadata: { plan: 'pro' } }
    expect((await change(names)).json).toMatchObject({ name: 'Initech Inc.', ...names })
    const taken = { name: 'Initech', slug: 'initech' }
    expect(outcome(await operator.ask('POST', 'accounts', { body: taken }))).toEqual([
      409,
      'slug_taken',
    ])
    const all = (await list()) as { name: string }[] // what the operation answers
    expect(all.filter(({ name }) => name.startsWith('Initech'))).toMatchObject([
      { id, slug: 'initech', external_id: 'customer-17' },
    ])
    for (const wrong of [{ name: '' }, { is_disabled: 'no' }, { id }, { slug: 'A' }])
      expect(outcome(await change(wrong))).toEqual([422, 'validation_failed'])
    const wrongName = await operator.ask('DELETE', path, { body: { name: 'Initech' } })
    expect(wrongName.json).toMatchObject({
      code: 'validation_failed',
      errors: [{ pointer: '/name', code: 'value' }],
    })
    const gone = await operator.ask('DELETE', path, { body: { name: 'Initech Inc.' } })
    expect([gone.status, gone.text]).toEqual([204, undefined])
    expect(await list()).not.toContainEqual(expect.objectContaining({ id }))
    for (const each of [path, 'accounts/x', `accounts/${absent}`]) {
      const answer = await operator.ask('PATCH', each, { body: { name: 'Initech' } })
      expect(outcome(answer)).toEqual([404, 'account_not_found'])
      expect(outcome(await operator.ask('GET', each))).toEqual([404, 'account_not_found'])
    }
    const limited = { name: 'Acme', allowed_roles: ['admin'] }
    const other = await operator.ask('POST', 'accounts', { body: limited })
    expect(other.json.account).toMatchObject(limited)
  })

  test('API keys are created, rotated and revoked; a secret is shown once', async () => {
    const expires = new Date(world.clock.now + day).toISOString()
    const body = { name: 'backend', scopes: ['users:read'], expires_at: expires }
    const made = await ask('POST', 'api-keys', body)
    const described = {
      id: made.json.id,
      ...body,
      prefix: expect.stringMatching(/^cu_live_/),
      created_at: iso,
      revoked_at: null,
      last_used_at: null,
    }
    const { api_key: secret } = made.json
    expect([made.status, made.json]).toEqual([201, { id: made.json.id, api_key: secret }])
    expect(String(secret)).toMatch(/^cu_live_\w{71}$/)
    const listed = await ask('GET', 'api-keys')
    expect(listed.json.api_keys).toHaveLength(2)
    expect(listed.json.api_keys).toContainEqual(described)
    expect(listed.text).not.toContain(String(secret))
    const rotated = await ask('POST', `api-keys/${made.json.id}/rotate`, { overlap_seconds: 60 })
    const madeAgain = { id: rotated.json.id, api_key: expect.stringMatching(/^cu_live_/) }
    expect([rotated.status, rotated.json]).toEqual([201, madeAgain])
    const { api_keys: keys } = (await ask('GET', 'api-keys')).json
    expect(keys).toContainEqual({ ...described, id: rotated.json.id })
    expect(keys).toContainEqual({
      ...described,
      expires_at: new Date(world.clock.now + 60_000).toISOString(),
    })
    const path = `api-keys/${rotated.json.id}`
    for (const _ of [1, 2]) expect((await ask('DELETE', path)).status).toBe(204)
    expect(outcome(await ask('POST', `${path}/rotate`, {}))).toEqual([404, 'api_key_not_found'])
    for (const id of [absent, 'x'])
      expect(outcome(await ask('DELETE', `api-keys/${id}`))).toEqual([404, 'api_key_not_found'])
    const { account: other } = await createTenant(clientele, 'Globex')
    const theirs = await operator.ask('DELETE', `api-keys/${made.json.id}`, { accountId: other.id })
    expect(outcome(theirs)).toEqual([404, 'api_key_not_found'])
    const past = await ask('POST', 'api-keys', { expires_at: '2020-01-01T00:00:00Z' })
    expect(past.json.errors).toMatchObject([{ pointer: '/expires_at', code: 'too_small' }])
    for (const wrong of [{ scopes: [] }, { scopes: ['all'] }, { expiresAt: null }, { name: 7 }])
      expect(outcome(await ask('POST', 'api-keys', wrong))).toEqual([422, 'validation_failed'])
    const { data } = (await ask('GET', 'api/client/event?type=api_key.*')).json
    expect(data).toMatchObject([
      { type: 'api_key.created' },
      { type: 'api_key.created', actor: { type: 'operator' } },
      { type: 'api_key.rotated', actor: { type: 'operator' } },
      { type: 'api_key.revoked', actor: { type: 'operator' } },
    ])
  })

  test('issuers are created, changed and deleted, in the wire format', async () => {
    const body = {
      issuer: 'https://login.example.com',
      audience: 'api',
      algorithms: ['HS256'],
      shared_secret: 'a secret that two share, 32 bytes or more',
      user_claim: 'email',
    }
    const made = await ask('POST', 'issuers', body)
    expect([made.status, made.json]).toEqual([
      201,
      {
        id: expect.any(String),
        issuer: body.issuer,
        audience: ['api'],
        client_id_as_audience: false,
        algorithms: ['HS256'],
        user_claim: 'email',
        user_lookup: 'email',
        key_source: 'shared_secret',
        public_keys: null,
        jwks_url: null,
        max_lifetime_seconds: 86_400,
        trust_unverified_email: false,
        sign_in: false,
        link_by_email: false,
        nonce: 'required',
        max_age_seconds: null,
        created_at: iso,
        updated_at: iso,
      },
    ])
    expect((await ask('GET', 'issuers')).json).toEqual({ issuers: [made.json] })
    expect(outcome(await ask('POST', 'issuers', body))).toEqual([409, 'issuer_taken'])
    const path = `issuers/${made.json.id}`
    const changed = await ask('PATCH', path, { max_lifetime_seconds: 60 })
    expect([changed.status, changed.json.max_lifetime_seconds]).toEqual([200, 60])
    const refuse = async (method: string, where: string, input: object) =>
      (await ask(method, where, input)).json.errors
    expect(await refuse('POST', 'issuers', { ...body, link_by_email: true })).toEqual([
      { pointer: '/link_by_email', code: 'sign_in', message: 'needs sign_in: true' },
    ])
    expect(await refuse('PATCH', path, { sharedSecret: 'x', nonce: 'none' })).toMatchObject([
      { pointer: '/nonce', code: 'value' },
      { pointer: '/sharedSecret', code: 'unrecognized' },
    ])
    expect(await refuse('PATCH', path, { shared: 'x', nonce: 'none' })).toMatchObject([
      { pointer: '/nonce', code: 'value' },
      { pointer: '/shared', code: 'unrecognized' },
    ])
    expect(await refuse('PATCH', path, { shared_secret: 'short' })).toMatchObject([
      { pointer: '/shared_secret', code: 'too_short' },
    ])
    for (const wrong of [[], 'x', null])
      expect((await ask('POST', 'issuers', wrong)).status).toBe(422)
    expect((await ask('DELETE', path)).status).toBe(204)
    for (const each of [path, 'issuers/x']) {
      expect(outcome(await ask('DELETE', each))).toEqual([404, 'issuer_not_found'])
      expect(outcome(await ask('PATCH', each, {}))).toEqual([404, 'issuer_not_found'])
    }
    expect((await ask('GET', 'issuers')).json).toEqual({ issuers: [] })
  })

  test('signing keys are rotated, retired and removed', async () => {
    expect((await ask('GET', 'signing-keys')).json).toEqual({ signing_keys: [] })
    const first = await ask('POST', 'signing-keys/rotate', {})
    const described = {
      id: expect.any(String),
      algorithm: 'ES256',
      status: 'active',
      created_at: iso,
      signs_at: iso,
      retired_at: null,
      public_jwk: expect.objectContaining({ kty: 'EC' }),
    }
    expect([first.status, first.json]).toEqual([201, described])
    expect(first.text).not.toContain('"d"')
    world.clock.now += 1000
    const second = await ask('POST', 'signing-keys/rotate', { now: true })
    const { signing_keys: keys } = (await ask('GET', 'signing-keys')).json
    expect(keys).toMatchObject([
      { id: first.json.id, status: 'retired' },
      { id: second.json.id, status: 'active' },
    ])
    expect((await ask('POST', `signing-keys/${second.json.id}/retire`)).status).toBe(204)
    expect((await ask('DELETE', `signing-keys/${first.json.id}`)).status).toBe(204)
    const absentKey = [404, 'signing_key_not_found']
    expect(outcome(await ask('DELETE', `signing-keys/${first.json.id}`))).toEqual(absentKey)
    expect(outcome(await ask('POST', 'signing-keys/none/retire'))).toEqual(absentKey)
    expect(outcome(await ask('POST', 'signing-keys/rotate', { all: true }))).toEqual([
      422,
      'validation_failed',
    ])
  })

  test('the passkey settings are changed and read', async () => {
    expect((await ask('GET', 'passkey-settings')).json).toEqual({ passkeys: null })
    const settings = {
      rp_id: 'example.com',
      rp_name: 'Acme',
      origins: ['https://example.com'],
      require_token: true,
    }
    const said = await ask('PUT', 'passkey-settings', settings)
    expect([said.status, said.json]).toEqual([200, { passkeys: settings }])
    expect((await ask('GET', 'passkey-settings')).json).toEqual({ passkeys: settings })
    const forced = await ask('PUT', 'passkey-settings', { ...settings, force: true })
    expect(forced.status).toBe(200)
    const wrong = await ask('PUT', 'passkey-settings', { ...settings, rp_id: 'https://x' })
    expect(wrong.json.errors).toMatchObject([{ pointer: '/rp_id', code: 'format' }])
    const { account } = await createTenant(clientele, 'Globex')
    const theirs = await operator.ask('GET', 'passkey-settings', { accountId: account.id })
    expect(theirs.json).toEqual({ passkeys: null })
  })

  test('the policy is changed and read, and a wider value is named', async () => {
    const service = {
      min_password_length: 6,
      session_ttl_seconds: 30 * 86_400,
      session_max_seconds: 90 * 86_400,
    }
    expect((await ask('GET', 'policy')).json).toEqual({ policy: noPolicy, service })
    const changes = { sign_in: ['passkey'], session_ttl_seconds: 600, password_required: false }
    const policy = { ...noPolicy, ...changes }
    const said = await ask('PATCH', 'policy', changes)
    expect([said.status, said.json]).toEqual([200, { policy, service }])
    expect((await ask('PATCH', 'policy', {})).json).toEqual({ policy, service })
    expect((await ask('GET', 'policy')).json).toEqual({ policy, service })
    const wrong: [body: object, pointer: string, code: string][] = [
      [{ session_max_seconds: 91 * 86_400 }, '/session_max_seconds', 'too_large'],
      [{ sign_in: [] }, '/sign_in', 'too_few'],
      [{ signIn: ['passkey'] }, '/signIn', 'unrecognized'],
    ]
    for (const [body, pointer, code] of wrong)
      expect((await ask('PATCH', 'policy', body)).json.errors).toMatchObject([{ pointer, code }])
    const { data } = await clientele.events.read(accountId, { types: ['account.updated'] })
    expect(data).toMatchObject([{ actor: { type: 'operator' } }])
    const { account } = await createTenant(clientele, 'Globex')
    const theirs = await operator.ask('GET', 'policy', { accountId: account.id })
    expect(theirs.json).toEqual({ policy: noPolicy, service })
    // A user of this account is created by the same rules here.
    const user = { name: 'Ada', email: 'ada@example.com' }
    expect((await ask('POST', 'api/client/user', user)).status).toBe(201)
  })
})
