import { randomUUID } from 'node:crypto'
import { type Clientele, ClienteleError, type ClienteleOptions } from '@clientele/core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { codeOf, send } from '../keys/open-clientele.ts'
import { eitherDatabase, type OpenDatabase } from '../support/databases.ts'
import { logIn } from '../support/log-in.ts'
import { SignInWorld } from '../support/sign-in-world.ts'

const databases = eitherDatabase(import.meta.filename)

const wrong = 'a wrong password'

describe.each(databases)('limits on failed sign-ins, counted on $name', ({ open }) => {
  let database: OpenDatabase
  const world = new SignInWorld(() => database.url)

  beforeAll(async () => {
    database = await open()
  })
  afterAll(() => database.close())

  async function start(options: Partial<ClienteleOptions> = {}): Promise<Clientele> {
    const rateLimits = { login: { points: 3, windowSeconds: 60 } }
    return (await world.start({ rateLimits, ...options })).clientele
  }

  async function addUser(clientele: Clientele) {
    const { accountId, credentials } = await world.addUser(clientele)
    const { email } = credentials
    const tryPassword = (password: string, clientAddress?: string, instance = clientele) =>
      codeOf(instance.auth.logIn({ accountId, clientAddress }, { email, password }))
    return { accountId, email, tryPassword }
  }

  test('several processes share one count, and it ends when its window does', async () => {
    const [first, second] = [await start(), await start()]
    const { tryPassword } = await addUser(first)
    expect(await tryPassword(wrong)).toBe('credentials_invalid')
    expect(await tryPassword(wrong, undefined, second)).toBe('credentials_invalid')
    world.now += 30_000
    expect(await tryPassword(wrong)).toBe('credentials_invalid')
    expect(await tryPassword('password', undefined, second)).toBe('rate_limited')
    // Refused attempts do not lengthen the pause.
    expect(await tryPassword(wrong)).toBe('rate_limited')
    world.now += 29_999
    expect(await tryPassword('password')).toBe('rate_limited')
    world.now += 1
    expect(await tryPassword('password')).toBeUndefined()
  })

  test('a success clears the failures before it', async () => {
    const clientele = await start()
    const { tryPassword } = await addUser(clientele)
    for (let round = 0; round < 3; round++) {
      expect(await tryPassword(wrong)).toBe('credentials_invalid')
      expect(await tryPassword(wrong)).toBe('credentials_invalid')
      expect(await tryPassword('password')).toBeUndefined()
    }
  })

  test('strangers who fail do not keep a user who is signed in from showing the password again', async () => {
    const clientele = await start()
    const { accountId, email, tryPassword } = await addUser(clientele)
    const signedIn = await logIn(clientele, accountId, { email, password: 'password' })
    for (let attempt = 0; attempt < 3; attempt++) await tryPassword(wrong)
    expect(await tryPassword('password')).toBe('rate_limited')
    const { refreshToken } = signedIn
    const show = (password: string) =>
      clientele.auth.reauthenticate(accountId, { refreshToken, password })
    expect(await codeOf(show(wrong))).toBe('credentials_invalid')
    expect(await codeOf(show('password'))).toBeUndefined()
  })

  test('no e-mail that a stranger types counts for a user whose id is known', async () => {
    const clientele = await start()
    const { accountId, email, tryPassword } = await addUser(clientele)
    const signedIn = await logIn(clientele, accountId, { email, password: 'password' })
    const { refreshToken, user } = signedIn
    for (const typed of [user.id, `reauthentication of ${user.id}`])
      for (let attempt = 0; attempt < 3; attempt++) {
        const failed = clientele.auth.logIn(accountId, { email: typed, password: wrong })
        expect(await codeOf(failed)).toBe('credentials_invalid')
      }
    const shown = clientele.auth.reauthenticate(accountId, { refreshToken, password: 'password' })
    expect(await codeOf(shown)).toBeUndefined()
    expect(await tryPassword('password')).toBeUndefined()
  })

  test('a wrong password that is shown again counts as a failed sign-in, and apart', async () => {
    const clientele = await start()
    const { accountId, email, tryPassword } = await addUser(clientele)
    const { refreshToken } = await logIn(clientele, accountId, { email, password: 'password' })
    const show = (password: string) =>
      codeOf(clientele.auth.reauthenticate(accountId, { refreshToken, password }))
    for (let attempt = 0; attempt < 3; attempt++)
      expect(await show(wrong)).toBe('credentials_invalid')
    expect(await show('password')).toBe('rate_limited')
    expect(await tryPassword('password')).toBe('rate_limited')
    world.now += 60_000
    expect(await show('password')).toBeUndefined()
  })

  test('an unknown e-mail is limited like any other', async () => {
    const clientele = await start()
    const { accountId } = await addUser(clientele)
    const answers: unknown[] = []
    const nobody = { email: `${randomUUID()}@example.com`, password: wrong }
    for (let attempt = 0; attempt < 4; attempt++) {
      answers.push(await codeOf(clientele.auth.logIn(accountId, nobody)))
    }
    expect(answers).toEqual([
      'credentials_invalid',
      'credentials_invalid',
      'credentials_invalid',
      'rate_limited',
    ])
  })

  test('an account and an e-mail have counts of their own', async () => {
    const clientele = await start()
    const { tryPassword, email } = await addUser(clientele)
    const other = await world.addUser(clientele, { email })
    for (let attempt = 0; attempt < 4; attempt++) await tryPassword(wrong)
    expect(await tryPassword('password')).toBe('rate_limited')
    await clientele.auth.logIn(other.accountId, other.credentials)
  })

  test('an attacker at another address does not lock the user out', async () => {
    const clientele = await start()
    const { tryPassword } = await addUser(clientele)
    for (let attempt = 0; attempt < 4; attempt++) await tryPassword(wrong, '203.0.113.9')
    expect(await tryPassword('password', '203.0.113.9')).toBe('rate_limited')
    expect(await tryPassword('password', '::ffff:203.0.113.9')).toBe('rate_limited')
    expect(await tryPassword('password', '198.51.100.7')).toBeUndefined()
  })

  test('the spellings and the neighbours of an IPv6 address count as one', async () => {
    const clientele = await start()
    const { tryPassword } = await addUser(clientele)
    await tryPassword(wrong, '2001:db8::1')
    await tryPassword(wrong, '2001:0DB8:0:0:0::2')
    await tryPassword(wrong, '2001:db8:0:0:ffff::3')
    expect(await tryPassword('password', '2001:db8::4')).toBe('rate_limited')
    expect(await tryPassword('password', '2001:db8:0:1::1')).toBeUndefined()
  })

  test('of forty simultaneous attempts, no correct one succeeds beyond the limit', async () => {
    const clientele = await start()
    const { tryPassword } = await addUser(clientele)
    const attempts = Array.from({ length: 40 }, (_, index) =>
      tryPassword(index === 39 ? 'password' : wrong),
    )
    const answers = await Promise.all(attempts)
    expect(answers[39]).toBe('rate_limited')
  })

  test('the response has the limit and the time until the next attempt', async () => {
    const clientele = await start()
    const { accountId, email } = await addUser(clientele)
    const { apiKey: key } = await clientele.apiKeys.create(accountId)
    const body = { email, password: wrong }
    const logIn = () => send(clientele, 'POST', '/client/user/auth/login', { key, body })
    for (let attempt = 0; attempt < 3; attempt++) expect((await logIn()).status).toBe(401)
    world.now += 10_000
    const refused = await clientele.auth.logIn(accountId, body).catch((error: unknown) => error)
    expect(refused).toBeInstanceOf(ClienteleError)
    expect(refused).toMatchObject({
      code: 'rate_limited',
      retryAfterSeconds: 50,
      headers: { ratelimit: '"login";r=0;t=50', 'ratelimit-policy': '"login";q=3;w=60' },
    })
    expect(await logIn()).toMatchObject({ status: 429, body: { code: 'rate_limited' } })
  })

  test('counting in memory is one setting', async () => {
    const login = { points: 3, windowSeconds: 60 }
    const clientele = await start({ rateLimits: { store: 'memory', login } })
    const { tryPassword } = await addUser(clientele)
    for (let attempt = 0; attempt < 3; attempt++) await tryPassword(wrong)
    expect(await tryPassword('password')).toBe('rate_limited')
    expect(await tryPassword('password', undefined, await start())).toBeUndefined()
  })

  test.each([undefined, '203.0.113.9'])(
    'a recreated user starts with no failures, from %s',
    async (address) => {
      const login = { points: 3, windowSeconds: 60 }
      for (const store of ['database', 'memory'] as const) {
        const clientele = await start({ rateLimits: { store, login } })
        const { accountId, user, credentials } = await world.addUser(clientele)
        const tryPassword = (password: string) =>
          codeOf(
            clientele.auth.logIn(
              { accountId, clientAddress: address },
              { ...credentials, password },
            ),
          )
        for (let attempt = 0; attempt < 3; attempt++) await tryPassword(wrong)
        expect(await tryPassword('password')).toBe('rate_limited')
        await clientele.users.delete(accountId, user.id)
        await clientele.users.create(accountId, { name: 'Ada', ...credentials })
        expect(await tryPassword('password')).toBeUndefined()
      }
    },
  )
})
