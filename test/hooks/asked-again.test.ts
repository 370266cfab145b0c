import { randomUUID } from 'node:crypto'
import { type ClienteleHooks, type ClientUser, HookRefusal } from '@clientele/core'
import { decodeJwt } from 'jose'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { codeOf, openRepository } from '../keys/open-clientele.ts'
import { eitherDatabase, type OpenDatabase } from '../support/databases.ts'
import { logIn } from '../support/log-in.ts'
import { SignInWorld } from '../support/sign-in-world.ts'

const databases = eitherDatabase(import.meta.filename)

describe.each(databases)('a hook that is asked while the user changes, on $name', ({ open }) => {
  let database: OpenDatabase
  const world = new SignInWorld(() => database.url)

  beforeAll(async () => {
    database = await open()
  })
  afterAll(() => database.close())

  /**
   * Users with the role `admin`, who may write by it. Who is suspended may neither sign in nor change the password.
   *
   * @param hook in which the user changes
   */
  async function start(hook: keyof ClienteleHooks) {
    let change: (() => Promise<unknown>) | undefined
    let changes = 0
    const asked: string[] = []
    const changeIn = async (name: string) => {
      asked.push(name)
      const act = name === hook ? change : undefined
      if (--changes <= 0) change = undefined
      await act?.()
    }
    const refuse = ({ metadata }: ClientUser) => {
      if (metadata.suspended === true) throw new HookRefusal('Suspended.')
    }
    const hooks: ClienteleHooks = {
      beforeSignIn: async (user) => {
        await changeIn('beforeSignIn')
        refuse(user)
      },
      tokenClaims: async ({ roles }) => {
        await changeIn('tokenClaims')
        return { mayWrite: roles.includes('admin') }
      },
    }
    const { clientele, mailed } = await world.start({ hooks })
    const { clientele: elsewhere } = await world.start()
    const { accountId, user, credentials } = await world.addUser(elsewhere)
    const userId = user.id
    await elsewhere.users.patch(accountId, userId, { roles: ['admin'] })
    const changing = (act: () => Promise<unknown>, times = 1) => {
      asked.length = 0
      change = act
      changes = times
    }
    const suspend = () =>
      elsewhere.users.patch(accountId, userId, { metadata: { suspended: true } })
    const demote = () => elsewhere.users.patch(accountId, userId, { roles: [] })
    const { auth } = clientele
    const sessions = () => elsewhere.sessions.list(accountId, userId)
    return {
      ...{ clientele, elsewhere, mailed, accountId, userId, credentials, auth, asked },
      ...{ changing, suspend, demote, sessions },
    }
  }
  const mayWrite = ({ token }: { token: string }) => decodeJwt(token).mayWrite

  test('is asked again before a session opens', async () => {
    const { auth, accountId, credentials, changing, suspend, sessions } =
      await start('beforeSignIn')
    changing(suspend)
    expect(await codeOf(auth.logIn(accountId, credentials))).toBe('refused_by_hook')
    expect(await sessions()).toEqual([])
  })

  test('is asked three times at most', async () => {
    const opened = await start('beforeSignIn')
    const { auth, elsewhere, accountId, userId, credentials, changing, asked, sessions } = opened
    const rename = () => elsewhere.users.patch(accountId, userId, { name: randomUUID() })
    changing(rename, 100)
    expect(await codeOf(auth.logIn(accountId, credentials))).toBe('overloaded')
    expect(asked.filter((name) => name === 'beforeSignIn')).toHaveLength(3)
    expect(await sessions()).toEqual([])
    changing(rename)
    expect(await codeOf(auth.logIn(accountId, credentials))).toBeUndefined()
    expect(await sessions()).toHaveLength(1)
  })

  test('is asked once while the user stays the same, also as an imported hash is replaced', async () => {
    const { clientele, elsewhere, accountId, asked } = await start('beforeSignIn')
    const email = `${randomUUID()}@example.com`
    const passwordHash = '$2b$04$TwHKXZQsMqZDFiook9o9ZePfuqw4e1bOBFZSGGVgyQuBGWWx0KmrG'
    const value = { name: 'Ada', email, passwordHash }
    await elsewhere.users.import(accountId, [{ line: 1, value }])
    await logIn(clientele, accountId, { email, password: 'password' })
    expect(asked).toEqual(['beforeSignIn', 'tokenClaims'])
  })

  test('gives a refreshed token no claim of a role that was taken away before', async () => {
    const { clientele, auth, accountId, credentials, changing, demote } = await start('tokenClaims')
    const { refreshToken } = await logIn(clientele, accountId, credentials)
    changing(demote)
    expect(mayWrite(await auth.refresh(accountId, { refreshToken }))).toBe(false)
  })

  test('gives none to a token that is refreshed a second time', async () => {
    const { clientele, auth, accountId, credentials, changing, demote } = await start('tokenClaims')
    const { refreshToken } = await logIn(clientele, accountId, credentials)
    const first = await auth.refresh(accountId, { refreshToken })
    changing(demote)
    const again = await auth.refresh(accountId, { refreshToken })
    expect(again.refreshToken).toBe(first.refreshToken)
    expect([mayWrite(first), mayWrite(again)]).toEqual([true, false])
  })

  test('gives none after the password, or a recovery code, was shown again', async () => {
    const opened = await start('tokenClaims')
    const { clientele, elsewhere, auth, accountId, userId, credentials, changing, demote } = opened
    const { refreshToken } = await logIn(clientele, accountId, credentials)
    changing(demote)
    const { password } = credentials
    const continued = await auth.reauthenticate(accountId, { refreshToken, password })
    expect(mayWrite(continued)).toBe(false)
    await elsewhere.users.patch(accountId, userId, { roles: ['admin'] })
    const { recoveryCodes } = await world.enrolTotp(elsewhere, accountId, userId)
    changing(demote)
    const code = recoveryCodes[0] ?? ''
    const shown = { refreshToken: continued.refreshToken, method: 'recovery_code', code } as const
    expect(mayWrite(await auth.reauthenticate(accountId, shown))).toBe(false)
  })

  test('is asked again before a second factor is stored', async () => {
    const opened = await start('beforeSignIn')
    const { auth, elsewhere, mailed, accountId, userId, credentials, changing, suspend } = opened
    await elsewhere.accounts.setPolicy(accountId, { secondFactor: 'required' })
    const challenge = await world.challengeOf(elsewhere, accountId, credentials)
    await auth.enrolToLogIn(accountId, { challenge, method: 'email' })
    const answer = { challenge, method: 'email', code: await mailed('two_factor_code') } as const
    changing(suspend)
    expect(await codeOf(auth.completeMfa(accountId, answer))).toBe('refused_by_hook')
    expect(await elsewhere.mfa.read(accountId, userId)).toMatchObject({ email: false })
  })

  test('is asked again before another password takes the place of an expired one', async () => {
    const opened = await start('beforeSignIn')
    const { auth, elsewhere, accountId, userId, credentials, changing, suspend, demote } = opened
    const change = async (password: string) => {
      const challenge = await world.challengeOf(elsewhere, accountId, credentials)
      return auth.changeExpiredPassword(accountId, { challenge, password })
    }
    await elsewhere.users.expirePassword(accountId, userId)
    changing(suspend)
    expect(await codeOf(change('another password'))).toBe('refused_by_hook')
    await elsewhere.users.patch(accountId, userId, { metadata: { suspended: false } })
    changing(demote)
    expect(mayWrite(await change('another password'))).toBe(false)
  })

  test('lets a sign-in go on once its factor is stored: nobody would have seen the recovery codes', async () => {
    const opened = openRepository(database.url)
    let change: (() => Promise<unknown>) | undefined
    const create: typeof opened.sessions.create = async (...input) => {
      await change?.()
      return opened.sessions.create(...input)
    }
    const repository = { ...opened, sessions: { ...opened.sessions, create } }
    const beforeSignIn = ({ metadata }: ClientUser) => {
      if (metadata.suspended === true) throw new HookRefusal('Suspended.')
    }
    const { clientele, mailed } = await world.start({ hooks: { beforeSignIn }, repository })
    const { accountId, user, credentials } = await world.addUser(clientele)
    await clientele.accounts.setPolicy(accountId, { secondFactor: 'required' })
    const challenge = await world.challengeOf(clientele, accountId, credentials)
    await clientele.auth.enrolToLogIn(accountId, { challenge, method: 'email' })
    const code = await mailed('two_factor_code')
    change = () => clientele.users.patch(accountId, user.id, { metadata: { suspended: true } })
    const answer = { challenge, method: 'email', code } as const
    expect((await clientele.auth.completeMfa(accountId, answer)).recoveryCodes).toHaveLength(10)
  })
})
