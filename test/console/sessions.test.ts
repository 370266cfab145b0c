import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { createTenant } from '../http/support/world.ts'
import { eitherDatabase, type OpenDatabase } from '../support/databases.ts'
import { Browser, ConsoleWorld, outcome } from './console-world.ts'

const databases = eitherDatabase(import.meta.filename)

const minute = 60_000
const hour = 60 * minute
const missing = [401, 'console_session_missing']
const scopes = [
  'users:read',
  'users:write',
  'tokens:validate',
  'tokens:issue',
  'events:read',
  'webhooks:write',
]

describe.each(databases)('sessions of the console on $name', ({ open }) => {
  let database: OpenDatabase
  const world = new ConsoleWorld()

  beforeAll(async () => {
    database = await open()
  })
  afterEach(() => world.close())
  afterAll(() => database.close())

  async function openAccount() {
    const clientele = await world.open(database.url)
    const { account, key } = await createTenant(clientele)
    return { clientele, account, key, browser: new Browser(clientele) }
  }

  test('an API key opens the session of its account', async () => {
    const { account, key, browser } = await openAccount()
    expect(outcome(await browser.ask('GET', 'session'))).toEqual(missing)
    const answer = await browser.ask('POST', 'session', { body: { api_key: key } })
    const session = {
      kind: 'account',
      name: 'Acme',
      account: { id: account.id, name: 'Acme' },
      scopes,
      can_authorize: false,
      expires_at: new Date(world.clock.now + hour).toISOString(),
    }
    expect([answer.status, answer.json]).toEqual([201, session])
    expect(answer.headers['set-cookie']).toMatch(
      /^clientele_console=v1\.[\w.-]+; Path=\/api\/v1\/client\/console; Max-Age=3600; HttpOnly; SameSite=Strict$/,
    )
    const again = await browser.ask('GET', 'session')
    expect([again.status, again.json]).toEqual([200, session])
    expect(again.headers['set-cookie']).toBeUndefined()
    const list = await browser.ask('GET', 'api/client/user')
    expect([list.status, list.json.total]).toEqual([200, 0])
  })

  test('signing out deletes the cookie, with or without a session', async () => {
    const { key, browser } = await openAccount()
    await browser.signIn(key)
    for (const _ of [1, 2]) {
      const answer = await browser.ask('DELETE', 'session')
      expect([answer.status, answer.text]).toEqual([204, undefined])
      expect(answer.headers['set-cookie']).toMatch(/^clientele_console=; .*Max-Age=0; HttpOnly/)
    }
    expect(outcome(await browser.ask('GET', 'session'))).toEqual(missing)
  })

  test('a copied cookie is invalid after signing out, and with another database', async () => {
    const { clientele, browser, key } = await openAccount()
    await browser.signIn(key)
    const { cookie } = browser
    const other = await open()
    const there = await world.open(other.url)
    const elsewhere = new Browser(there)
    elsewhere.cookie = cookie
    expect(outcome(await elsewhere.ask('GET', 'session'))).toEqual(missing)
    await there.close()
    await other.close()
    await browser.ask('DELETE', 'session')
    const thief = new Browser(clientele)
    thief.cookie = cookie
    expect(outcome(await thief.ask('GET', 'session'))).toEqual(missing)
    expect(world.log).toContain('A sign-in to the console succeeded.')
  })

  test('the 21st session of a key ends its oldest one, and no session of another key', async () => {
    const { clientele, account, key, browser: first } = await openAccount()
    const signIn = async (apiKey: string) => {
      world.clock.now += 1_000
      return new Browser(clientele).signIn(apiKey)
    }
    const isAlive = async (browser: Browser) => (await browser.ask('GET', 'session')).status === 200
    await first.signIn(key)
    const others = []
    for (let count = 0; count < 19; count++) others.push(await signIn(key))
    const { apiKey } = await clientele.apiKeys.create(account.id)
    const ofOtherKey = await signIn(apiKey)
    const operator = await new Browser(clientele).followLink(clientele)
    expect(await isAlive(first)).toBe(true)
    others.push(await signIn(key), await signIn(key))
    expect(await isAlive(first)).toBe(false)
    const alive = await Promise.all(others.map(isAlive))
    expect(alive).toEqual([false, ...new Array(20).fill(true)])
    for (const browser of [ofOtherKey, operator]) expect(await isAlive(browser)).toBe(true)
    await others[1]?.ask('DELETE', 'session')
    others.push(await signIn(key))
    expect((await Promise.all(others.map(isAlive))).filter(Boolean).length).toBe(20)
  })

  test('the cookie has the path that the page reports, even if a proxy rewrites paths', async () => {
    const { browser, key } = await openAccount()
    const setFor = async (page: string) => {
      const headers = { 'clientele-console': page }
      const answer = await browser.ask('POST', 'session', { body: { api_key: key }, headers })
      return answer.headers['set-cookie'] ?? answer.status
    }
    expect(await setFor('/inside/client/console/')).toContain('; Path=/inside/client/console;')
    expect(await setFor('1')).toContain('; Path=/api/v1/client/console;')
    for (const page of [
      '/',
      '//evil/client/console/',
      '/a;b/client/console/',
      '/client/user/',
      '2',
    ])
      expect(await setFor(page)).toBe(403)
  })

  test('the cookie is sent to the page only, and over https only if callers use that', async () => {
    const clientele = await world.open(database.url, { publicUrl: 'https://api.example.com/v1/' })
    const { key } = await createTenant(clientele)
    const answer = await new Browser(clientele).ask('POST', 'session', { body: { api_key: key } })
    expect(answer.headers['set-cookie']).toMatch(
      /; Path=\/v1\/client\/console; .*HttpOnly; SameSite=Strict; Secure$/,
    )
  })

  test('a mount path with characters that end a cookie does not break it', async () => {
    const { clientele, key } = await openAccount()
    const browser = new Browser(clientele, {}, '/a;Domain=example.com/ä')
    const answer = await browser.ask('POST', 'session', { body: { api_key: key } })
    expect(answer.headers['set-cookie']).toContain(
      '; Path=/a%3BDomain=example.com/%C3%A4/client/console; ',
    )
  })

  test('no key, a wrong key or link, both together, and malformed input are refused', async () => {
    const { clientele, key, browser } = await openAccount()
    const refuse = (body: unknown) => browser.ask('POST', 'session', { body }).then(outcome)
    expect(await refuse({})).toEqual(missing)
    expect(await refuse({ api_key: `${key}x` })).toEqual([401, 'api_key_invalid'])
    expect(await refuse({ link: 'x'.repeat(43) })).toEqual([401, 'console_link_invalid'])
    expect(await refuse({ api_key: key, link: key })).toEqual([422, 'validation_failed'])
    expect(await refuse({ api_key: 'x'.repeat(201) })).toEqual([422, 'validation_failed'])
    expect(await refuse({ key })).toEqual([422, 'validation_failed'])
    expect(await refuse('{')).toEqual([422, 'validation_failed'])
    const [listed] = await clientele.accounts.list()
    expect(listed).toBeDefined()
    expect(browser.cookie).toBeUndefined()
    expect(world.log).not.toContain(key.slice(12))
  })

  test('the session ends with its key: revoked, expired, its account disabled or deleted', async () => {
    const { clientele, account, browser } = await openAccount()
    const ask = async () => [
      outcome(await browser.ask('GET', 'session')),
      outcome(await browser.ask('GET', 'api/client/user')),
      outcome(await browser.ask('GET', 'export')),
    ]
    const ended = [missing, missing, missing]
    const revoked = await clientele.apiKeys.create(account.id)
    await browser.signIn(revoked.apiKey)
    await clientele.apiKeys.revoke(account.id, revoked.id)
    expect(await ask()).toEqual(ended)
    const expiresAt = new Date(world.clock.now + 5 * minute)
    await browser.signIn((await clientele.apiKeys.create(account.id, { expiresAt })).apiKey)
    world.clock.now += 5 * minute
    expect(await ask()).toEqual(ended)
    const { apiKey } = await clientele.apiKeys.create(account.id)
    await browser.signIn(apiKey)
    await clientele.accounts.disable(account.id)
    expect(await ask()).toEqual(ended)
    await clientele.accounts.enable(account.id)
    expect((await ask()).map(([status]) => status)).toEqual([200, 200, 200])
    await clientele.accounts.delete(account.id)
    expect(await ask()).toEqual(ended)
  })

  test('a key without a scope is refused only the operations that need the scope', async () => {
    const { clientele, account, browser } = await openAccount()
    const { user } = await clientele.users.create(account.id, {
      name: 'Ada Lovelace',
      email: 'ada@example.com',
      password: 'correct horse',
    })
    const key = await clientele.apiKeys.create(account.id, { scopes: ['users:read'] })
    await browser.signIn(key.apiKey)
    expect((await browser.ask('GET', 'session')).json.scopes).toEqual(['users:read'])
    const refused = [403, 'scope_insufficient']
    const path = `api/client/user/${user.id}`
    expect((await browser.ask('GET', path)).status).toBe(200)
    const patch = await browser.ask('PATCH', path, { body: { name: 'Ada King' } })
    expect(outcome(patch)).toEqual(refused)
    expect(patch.json.detail).toBe(
      'The API key lacks the scope users:write, which this operation needs.',
    )
    expect(outcome(await browser.ask('GET', 'api/client/event'))).toEqual(refused)
    expect(outcome(await browser.ask('GET', 'overview'))).toEqual(refused)
    expect((await browser.ask('GET', 'export')).status).toBe(200)
    const records = await browser.ask('POST', 'import', { body: { records: [{}] } })
    expect(outcome(records)).toEqual(refused)
  })

  test('use renews the session once a minute, up to twelve hours from the sign-in; waiting does not', async () => {
    const { clientele, key, browser } = await openAccount()
    await browser.signIn(key)
    const start = world.clock.now
    const path = 'api/client/user'
    world.clock.now = start + minute - 1
    expect((await browser.ask('GET', path)).headers['set-cookie']).toBeUndefined()
    world.clock.now = start + 59 * minute
    const { json } = await browser.ask('GET', 'api/client/event')
    const waiting = await browser.ask('GET', `api/client/event?after=${json.next_cursor}&wait=0`)
    expect(waiting.headers['set-cookie']).toBeUndefined() // renewed just before
    await clientele.console.createLink()
    world.clock.now += 59 * minute
    const held = browser.ask('GET', `api/client/event?wait=1`)
    expect((await held).headers['set-cookie']).toBeUndefined()
    expect((await browser.ask('GET', 'session')).headers['set-cookie']).toMatch(/Max-Age=3600/)
    while (world.clock.now < start + 11.5 * hour) {
      world.clock.now += 30 * minute
      expect((await browser.ask('GET', path)).status).toBe(200)
    }
    const last = await browser.ask('GET', 'session')
    expect(last.json.expires_at).toBe(new Date(start + 12 * hour).toISOString())
    world.clock.now = start + 12 * hour
    expect(outcome(await browser.ask('GET', path))).toEqual(missing)
  })

  test('a session ends an hour after its last use', async () => {
    const { key, browser } = await openAccount()
    await browser.signIn(key)
    world.clock.now += hour - 1
    const { cookie } = browser
    expect((await browser.ask('GET', 'session')).status).toBe(200)
    browser.cookie = cookie
    world.clock.now += 1
    expect(outcome(await browser.ask('GET', 'session'))).toEqual(missing)
  })

  test('many changed cookies are decrypted in several turns of the event loop', async () => {
    const { key, browser } = await openAccount()
    const { cookie = '' } = await browser.signIn(key)
    const changed = cookie.slice(0, -2) + (cookie.at(-2) === 'A' ? 'B' : 'A') + cookie.slice(-1)
    browser.cookie = new Array(50).fill(changed).join('; ')
    let turns = 0
    let next: NodeJS.Immediate | undefined
    const countTurns = (): void => {
      turns++
      next = setImmediate(countTurns)
    }
    countTurns()
    const answers = Array.from({ length: 200 }, async () => {
      const answer = await browser.ask('GET', 'overview')
      return { outcome: outcome(answer), turn: turns }
    })
    const ended = await Promise.all(answers)
    clearImmediate(next)
    for (const each of ended) expect(each.outcome).toEqual(missing)
    expect(new Set(ended.map(({ turn }) => turn)).size).toBeGreaterThan(2)
  })

  test('a cookie that was changed, cut, or made under another secret or purpose is refused', async () => {
    const { clientele, key, browser } = await openAccount()
    await browser.signIn(key)
    const { cookie = '' } = browser
    const other = await world.open(database.url, {
      secrets: ['another secret, which was not used here'],
      lazyKeys: true,
    })
    const elsewhere = await new Browser(other).signIn(key)
    // Not the last: some of its bits may say nothing.
    const changed = cookie.at(-2) === 'A' ? 'B' : 'A'
    const wrong = [
      cookie.slice(0, -2) + changed + cookie.slice(-1),
      cookie.slice(0, -6),
      `${cookie.slice(0, 24)}x${cookie.slice(25)}`,
      elsewhere.cookie,
      'clientele_console=',
      'clientele_console=v1.x.y.z',
      `clientele_console=${'v'.repeat(5000)}`,
      `clientele_console=${encodeURIComponent('{"kind":"operator"}')}`,
      cookie.replace('clientele_console', 'clientele_consol'),
    ]
    for (const each of wrong) {
      browser.cookie = each
      expect([each, outcome(await browser.ask('GET', 'session'))]).toEqual([each, missing])
      expect(outcome(await browser.ask('GET', 'api/client/user'))).toEqual(missing)
    }
    // Another path's cookie of the same name does not hide it.
    browser.cookie = `other=1; clientele_console=v1.x.y.z; ${cookie}`
    expect((await browser.ask('GET', 'session')).status).toBe(200)
    // Nor do many.
    browser.cookie = `${'clientele_console=v1.x.y.z; '.repeat(20)}${cookie}`
    expect((await browser.ask('GET', 'session')).status).toBe(200)
    await clientele.close()
  })

  test('a new secret beside the old one keeps sessions alive, and encrypts new ones', async () => {
    const old = 'an encryption secret for tests only, of no worth'
    const next = 'the secret that comes after it, for tests only too'
    const clientele = await world.open(database.url)
    const { key } = await createTenant(clientele)
    const { cookie } = await new Browser(clientele).signIn(key)
    const rotated = new Browser(
      await world.open(database.url, { secrets: [next, old], lazyKeys: true }),
    )
    rotated.cookie = cookie
    expect((await rotated.ask('GET', 'session')).status).toBe(200)
    world.clock.now += 2 * minute
    await rotated.ask('GET', 'session')
    const alone = new Browser(await world.open(database.url, { secrets: [next], lazyKeys: true }))
    alone.cookie = rotated.cookie
    expect((await alone.ask('GET', 'session')).status).toBe(200)
    alone.cookie = cookie
    expect(outcome(await alone.ask('GET', 'session'))).toEqual(missing)
  })

  test("a session reaches its own account, no other account and no operators' operations", async () => {
    const { clientele, account, key, browser } = await openAccount()
    const { account: theirs } = await createTenant(clientele, 'Globex')
    await browser.signIn(key)
    for (const path of ['api/client/user', 'export', 'overview']) {
      const ask = (accountId: string) => browser.ask('GET', path, { accountId })
      expect((await ask(account.id)).status).toBe(200)
      for (const id of [theirs.id, 'x', '', '019dfae2-6a4d-7c3e-9b1f-2f4a5c6d7e8f'])
        expect([path, id, ...outcome(await ask(id))]).toEqual([path, id, 404, 'account_not_found'])
    }
    for (const [method, path] of [
      ['GET', 'accounts'],
      ['GET', 'api-keys'],
      ['GET', 'issuers'],
      ['GET', 'signing-keys'],
      ['GET', 'passkey-settings'],
      ['GET', `accounts/${theirs.id}`],
      ['DELETE', `accounts/${theirs.id}`],
      ['POST', 'signing-keys/rotate'],
    ] as const) {
      const answer = await browser.ask(method, path, { body: {} })
      expect([path, ...outcome(answer)]).toEqual([path, 403, 'console_operator_required'])
    }
  })

  test('many wrong keys and links are rate-limited, and a correct one still signs in', async () => {
    const { key, browser } = await openAccount()
    const clientAddress = '192.0.2.1'
    const seen: unknown[] = []
    for (let tries = 0; tries < 24; tries++) {
      const body = tries % 2 === 0 ? { api_key: `${key}x` } : { link: 'x'.repeat(43) }
      const answer = await browser.ask('POST', 'session', { body, clientAddress })
      seen.push(answer.status)
      if (answer.status !== 429) continue
      expect(answer.json.code).toBe('rate_limited')
      expect(answer.headers).toMatchObject({
        'retry-after': '900',
        'ratelimit-policy': '"console";q=20;w=900',
      })
    }
    expect(seen).toEqual([...Array(20).fill(401), ...Array(4).fill(429)])
    const other = await browser.ask('POST', 'session', {
      body: { api_key: `${key}x` },
      clientAddress: '198.51.100.7',
    })
    expect(other.status).toBe(401)
    const right = await browser.ask('POST', 'session', { body: { api_key: key }, clientAddress })
    expect(right.status).toBe(201)
  })
})
