import { randomUUID } from 'node:crypto'
import {
  type Clientele,
  type ClientUser,
  HookRefusal,
  type NewTrustedIssuer,
} from '@clientele/core'
import { SignJWT } from 'jose'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { codeOf } from '../keys/open-clientele.ts'
import { eitherDatabase, type OpenDatabase } from '../support/databases.ts'
import { SignInWorld } from '../support/sign-in-world.ts'

const databases = eitherDatabase(import.meta.filename)

const sharedSecret = 'a shared secret of 32 bytes or more'
const issuer = {
  ...{ issuer: 'https://login.example.com', audience: 'app', algorithms: ['HS256'] },
  ...{ sharedSecret, signIn: true, nonce: 'optional', linkByEmail: true },
} satisfies NewTrustedIssuer

describe.each(databases)('an ID token that is trusted no more, on $name', ({ open }) => {
  let database: OpenDatabase
  const world = new SignInWorld(() => database.url)

  beforeAll(async () => {
    database = await open()
  })
  afterAll(() => database.close())

  function idTokenOf(email: string): Promise<string> {
    const iat = Math.floor(world.now / 1000)
    return new SignJWT({ iat, exp: iat + 60, email, email_verified: true, name: 'Ada' })
      .setProtectedHeader({ alg: 'HS256' })
      .setIssuer(issuer.issuer)
      .setAudience(issuer.audience)
      .setSubject(email)
      .setJti(randomUUID())
      .sign(new TextEncoder().encode(sharedSecret))
  }

  /** Signs in by a token, and does something in another process while the hook is asked. */
  async function start() {
    let meanwhile: (() => Promise<unknown>) | undefined
    const beforeSignIn = async ({ name }: ClientUser) => {
      const act = meanwhile
      meanwhile = undefined
      await act?.()
      if (name === 'Suspended') throw new HookRefusal('Suspended.')
    }
    const { clientele } = await world.start({ hooks: { beforeSignIn } })
    const { clientele: elsewhere } = await world.start()
    const { accountId, user, credentials } = await world.addUser(elsewhere)
    const { id: issuerId } = await elsewhere.trustedIssuers.create(accountId, issuer)
    world.now += 5_000
    const logInBeside = async (email: string, act: () => Promise<unknown>) => {
      meanwhile = act
      const input = { idToken: await idTokenOf(email), create: true }
      const code = await codeOf(clientele.auth.logInWithIdToken(accountId, input))
      world.now += 1_000
      return code
    }
    const { trustedIssuers, accounts } = elsewhere
    const untrust = {
      'the issuer is deleted': () => trustedIssuers.delete(accountId, issuerId),
      'the issuer signs nobody in': () =>
        trustedIssuers.update(accountId, issuerId, { signIn: false }),
      'the issuer has another secret': () =>
        trustedIssuers.update(accountId, issuerId, { sharedSecret: sharedSecret.toUpperCase() }),
      'the issuer has another audience': () =>
        trustedIssuers.update(accountId, issuerId, { audience: 'another app' }),
      'the policy allows passwords only': () =>
        accounts.setPolicy(accountId, { signIn: ['password'] }),
    }
    return { elsewhere, accountId, issuerId, user, credentials, logInBeside, untrust }
  }

  const isUntouched = async (
    clientele: Clientele,
    accountId: string,
    userId: string,
    credentials: { email: string; password: string },
  ) => {
    expect(await clientele.identities.list(accountId, userId)).toEqual([])
    expect(await codeOf(clientele.auth.logIn(accountId, credentials))).toBeUndefined()
  }

  test.each([
    ['the issuer is deleted', 'token_revoked'],
    ['the issuer signs nobody in', 'token_revoked'],
    ['the issuer has another secret', 'token_revoked'],
    ['the issuer has another audience', 'token_revoked'],
    ['the policy allows passwords only', 'sign_in_method_disabled'],
  ] as const)('links and creates no user while %s', async (how, code) => {
    const { elsewhere, accountId, user, credentials, logInBeside, untrust } = await start()
    expect(await logInBeside(credentials.email, untrust[how])).toBe(code)
    await isUntouched(elsewhere, accountId, user.id, credentials)
    const other = await start()
    const email = `${randomUUID()}@example.com`
    expect(await other.logInBeside(email, other.untrust[how])).toBe(code)
    expect((await other.elsewhere.users.list(other.accountId, { email })).data).toEqual([])
  })

  test.each(['the issuer has another secret', 'the issuer has another audience'] as const)(
    'opens no session of a linked user while %s',
    async (how) => {
      const { elsewhere, accountId, user, credentials, logInBeside, untrust } = await start()
      expect(await logInBeside(credentials.email, async () => {})).toBeUndefined()
      const before = await elsewhere.sessions.list(accountId, user.id)
      expect(await logInBeside(credentials.email, untrust[how])).toBe('token_revoked')
      const after = await elsewhere.sessions.list(accountId, user.id)
      expect(after).toEqual(before)
    },
  )

  test('links no user while the issuer stops to link by address', async () => {
    const { elsewhere, accountId, issuerId, user, credentials, logInBeside } = await start()
    const stop = () => elsewhere.trustedIssuers.update(accountId, issuerId, { linkByEmail: false })
    expect(await logInBeside(credentials.email, stop)).toBe('token_revoked')
    await isUntouched(elsewhere, accountId, user.id, credentials)
  })

  test('links no user in a process that knows the issuer still', async () => {
    const { clientele } = await world.start()
    const { elsewhere, accountId, issuerId, user, credentials } = await start()
    const logIn = async (email: string) =>
      codeOf(clientele.auth.logInWithIdToken(accountId, { idToken: await idTokenOf(email) }))
    expect(await logIn('nobody@example.com')).toBe('token_user_not_found')
    await elsewhere.trustedIssuers.delete(accountId, issuerId)
    expect(await logIn(credentials.email)).toBe('token_unknown_key')
    await isUntouched(elsewhere, accountId, user.id, credentials)
  })

  test('signs users in where another process has just changed the issuer', async () => {
    const { clientele } = await world.start()
    const { elsewhere, accountId, issuerId, user, credentials } = await start()
    const logIn = async (email: string) => {
      const input = { idToken: await idTokenOf(email), create: true }
      return codeOf(clientele.auth.logInWithIdToken(accountId, input))
    }
    const change = (maxLifetimeSeconds: number) =>
      elsewhere.trustedIssuers.update(accountId, issuerId, { maxLifetimeSeconds })
    expect(await logIn('first@example.com')).toBeUndefined()
    await change(1_000)
    expect(await logIn(credentials.email)).toBeUndefined()
    await change(2_000)
    expect(await logIn('second@example.com')).toBeUndefined()
    expect(await elsewhere.identities.list(accountId, user.id)).toHaveLength(1)
  })

  test('links no user whom the hook refuses after a change', async () => {
    const { elsewhere, accountId, user, credentials, logInBeside } = await start()
    const rename = (name: string) => () => elsewhere.users.patch(accountId, user.id, { name })
    expect(await logInBeside(credentials.email, rename('Suspended'))).toBe('refused_by_hook')
    await isUntouched(elsewhere, accountId, user.id, credentials)
    await rename('Ada')()
    expect(await logInBeside(credentials.email, rename('Ada Byron'))).toBeUndefined()
    expect(await elsewhere.identities.list(accountId, user.id)).toHaveLength(1)
  })

  test.each(['deactivate', 'change the password'])(
    'links no user whose tokens end meanwhile: %s',
    async (how) => {
      const { elsewhere, accountId, user, credentials, logInBeside } = await start()
      const { users } = elsewhere
      const end = async () => {
        world.now += 2_000
        if (how !== 'deactivate')
          return users.patch(accountId, user.id, { password: credentials.password })
        await users.deactivate(accountId, user.id)
        return users.activate(accountId, user.id)
      }
      expect(await logInBeside(credentials.email, end)).toBe('token_revoked')
      await isUntouched(elsewhere, accountId, user.id, credentials)
    },
  )

  test('is refused if the identity was linked, and the tokens of its user have ended, meanwhile', async () => {
    const { elsewhere, accountId, user, credentials, logInBeside } = await start()
    const { email } = credentials
    const end = async () => {
      world.now += 2_000
      await elsewhere.identities.link(accountId, user.id, { issuer: issuer.issuer, subject: email })
      await elsewhere.users.patch(accountId, user.id, { password: credentials.password })
    }
    expect(await logInBeside(email, end)).toBe('token_revoked')
  })

  test('links and creates users while nothing changes', async () => {
    const { elsewhere, accountId, user, credentials, logInBeside } = await start()
    const nothing = async () => undefined
    expect(await logInBeside(credentials.email, nothing)).toBeUndefined()
    expect(await elsewhere.identities.list(accountId, user.id)).toHaveLength(1)
    const email = `${randomUUID()}@example.com`
    expect(await logInBeside(email, nothing)).toBeUndefined()
    expect((await elsewhere.users.list(accountId, { email })).data).toHaveLength(1)
  })

  test('is revoked by a deactivation, also of a user who was created in the future', async () => {
    const { elsewhere, accountId } = await start()
    const email = `${randomUUID()}@example.com`
    const value = { name: 'Ada', email, createdAt: new Date('2100-01-01'), emailVerified: true }
    await elsewhere.users.import(accountId, [{ line: 1, value }])
    const [user] = (await elsewhere.users.list(accountId, { email })).data
    const userId = user?.id ?? ''
    await elsewhere.identities.link(accountId, userId, { issuer: issuer.issuer, subject: email })
    world.now += 5_000
    const idToken = await idTokenOf(email)
    world.now += 5_000
    await elsewhere.users.deactivate(accountId, userId)
    await elsewhere.users.activate(accountId, userId)
    world.now += 5_000
    const logIn = async (token: string) =>
      codeOf(elsewhere.auth.logInWithIdToken(accountId, { idToken: token }))
    expect(await logIn(idToken)).toBe('token_revoked')
    expect(await logIn(await idTokenOf(email))).toBeUndefined()
  })
})
