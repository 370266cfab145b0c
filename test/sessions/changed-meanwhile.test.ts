import type { Clientele, Repository } from '@clientele/core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { codeOf, openRepository } from '../keys/open-clientele.ts'
import { eitherDatabase, type OpenDatabase } from '../support/databases.ts'
import { type AddedUser, SignInWorld } from '../support/sign-in-world.ts'

const databases = eitherDatabase(import.meta.filename)

/** A process in which a user changes once, after the password is compared and before what follows is written. */
describe.each(databases)('a user who changes during a sign-in, on $name', ({ open }) => {
  let database: OpenDatabase
  const world = new SignInWorld(() => database.url)

  beforeAll(async () => {
    database = await open()
  })
  afterAll(() => database.close())

  async function start() {
    let change: (() => Promise<unknown>) | undefined
    const changing =
      <Args extends unknown[], Result>(write: (...args: Args) => Promise<Result>) =>
      async (...args: Args): Promise<Result> => {
        const next = change
        change = undefined
        world.now += 5
        await next?.()
        return write(...args)
      }
    const opened = openRepository(database.url)
    const repository: Repository = {
      ...opened,
      sessions: {
        ...opened.sessions,
        create: changing(opened.sessions.create),
        reauthenticate: changing(opened.sessions.reauthenticate),
      },
      mfa: { ...opened.mfa, createChallenge: changing(opened.mfa.createChallenge) },
    }
    const { clientele } = await world.start({ repository })
    const signInBeside = (
      { accountId, credentials }: AddedUser,
      next: (clientele: Clientele) => Promise<unknown>,
    ) => {
      change = () => next(clientele)
      return codeOf(clientele.auth.logIn(accountId, credentials))
    }
    const reauthenticateBeside = (
      accountId: string,
      input: Parameters<Clientele['auth']['reauthenticate']>[1],
      next: (clientele: Clientele) => Promise<unknown>,
    ) => {
      change = () => next(clientele)
      return codeOf(clientele.auth.reauthenticate(accountId, input))
    }
    return { clientele, signInBeside, reauthenticateBeside }
  }

  test('is signed in if the same password was set again', async () => {
    const { clientele, signInBeside } = await start()
    const added = await world.addUser(clientele)
    const { accountId, user, credentials } = added
    const { password } = credentials
    expect(
      await signInBeside(added, () => clientele.users.patch(accountId, user.id, { password })),
    ).toBeUndefined()
  })

  test('does not continue a session by a password that was given up', async () => {
    const { clientele, reauthenticateBeside } = await start()
    const { accountId, user, credentials, signedIn } = await world.signIn(clientele)
    const { refreshToken } = signedIn
    const [session] = await clientele.sessions.list(accountId, user.id)
    const options = { keepSessionId: session?.id ?? '' }
    const change = () =>
      clientele.users.patch(accountId, user.id, { password: 'another password' }, options)
    const shown = { refreshToken, password: credentials.password }
    expect(await reauthenticateBeside(accountId, shown, change)).toBe('credentials_invalid')
    // The session that was kept is as it was.
    const again = { refreshToken, password: 'another password' }
    await clientele.auth.reauthenticate(accountId, again)
  })

  test.each(['totp', 'recovery_code'] as const)(
    'does not continue a session by a code of a factor that was removed: %s',
    async (method) => {
      const { clientele, reauthenticateBeside } = await start()
      const { accountId, user, signedIn } = await world.signIn(clientele)
      const { generate, recoveryCodes } = await world.enrolTotp(clientele, accountId, user.id)
      const { refreshToken } = signedIn
      const code = method === 'totp' ? generate() : (recoveryCodes[0] ?? '')
      const remove = () => clientele.mfa.remove(accountId, user.id)
      expect(await reauthenticateBeside(accountId, { refreshToken, method, code }, remove)).toBe(
        'two_factor_code_invalid',
      )
      // The session is as it was.
      await clientele.auth.refresh(accountId, { refreshToken })
    },
  )

  test('does not continue a session that has ended', async () => {
    const { clientele, reauthenticateBeside } = await start()
    const { accountId, user, credentials, signedIn } = await world.signIn(clientele)
    const shown = { refreshToken: signedIn.refreshToken, password: credentials.password }
    const end = () => clientele.sessions.revokeAll(accountId, user.id)
    expect(await reauthenticateBeside(accountId, shown, end)).toBe('refresh_token_invalid')
  })

  test('is refused by an address that was given up', async () => {
    const { clientele, signInBeside } = await start()
    const added = await world.addUser(clientele)
    const { accountId, user } = added
    const email = `new.${added.credentials.email}`
    expect(
      await signInBeside(added, () => clientele.users.patch(accountId, user.id, { email })),
    ).toBe('credentials_invalid')
  })

  test('has an event of nobody for the sign-in that failed as the user was deleted', async () => {
    const { clientele, signInBeside } = await start()
    const added = await world.addUser(clientele)
    const { accountId, user } = added
    expect(await signInBeside(added, () => clientele.users.delete(accountId, user.id))).toBe(
      'credentials_invalid',
    )
    const { data } = await clientele.events.read(accountId, { types: ['user.*'] })
    const told = data.map(({ type, subject }) => [type, subject.id])
    expect(told).toEqual([
      ['user.created', user.id],
      ['user.deleted', user.id],
      ['user.login_failed', null],
    ])
  })

  test.each(['deactivated', 'given another password', 'given another address'] as const)(
    'gets no challenge for a second factor once %s',
    async (how) => {
      const { clientele, signInBeside } = await start()
      const added = await world.addUser(clientele)
      const { accountId, user } = added
      await world.enrolTotp(clientele, accountId, user.id)
      const changes = {
        deactivated: () => clientele.users.deactivate(accountId, user.id),
        'given another password': () =>
          clientele.users.patch(accountId, user.id, { password: 'another' }),
        'given another address': () =>
          clientele.users.patch(accountId, user.id, { email: `new.${user.email}` }),
      }
      const code = await signInBeside(added, changes[how])
      expect(code).toBe('credentials_invalid')
    },
  )
})
