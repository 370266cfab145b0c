import type { Clientele, SignedIn } from '@clientele/core'
import { decodeJwt } from 'jose'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { codeOf } from '../keys/open-clientele.ts'
import { eitherDatabase, type OpenDatabase } from '../support/databases.ts'
import { logIn } from '../support/log-in.ts'
import { SignInWorld } from '../support/sign-in-world.ts'
import { SoftwareAuthenticator, site } from './software-authenticator.ts'

const databases = eitherDatabase(import.meta.filename)

describe.each(databases)('an enrolment that a session began, on $name', ({ open }) => {
  let database: OpenDatabase
  const world = new SignInWorld(() => database.url)

  beforeAll(async () => {
    database = await open()
  })
  afterAll(() => database.close())

  async function start(requireToken: boolean) {
    const { clientele } = await world.start()
    const { accountId, user, credentials, signedIn } = await world.signIn(clientele)
    await clientele.accounts.setPasskeys(accountId, { ...site, requireToken })
    const begin = async ({ token }: { token?: string }) => {
      const device = new SoftwareAuthenticator()
      const given = token === undefined ? {} : { token: `Bearer ${token}` }
      const begun = await clientele.passkeys.beginEnrolment(accountId, user.id, given)
      const response = device.create(begun.options)
      const input = { challenge: begun.challenge, response }
      return { device, finish: () => clientele.passkeys.enrol(accountId, user.id, input) }
    }
    return { clientele, accountId, user, credentials, signedIn, begin }
  }

  interface Ended {
    clientele: Clientele
    accountId: string
    userId: string
    signedIn: SignedIn
  }
  const sidOf = ({ token }: SignedIn) => String(decodeJwt(token).sid)
  const ends: [string, (ended: Ended) => Promise<unknown>][] = [
    [
      'a logout',
      ({ clientele, accountId, signedIn: { refreshToken } }) =>
        clientele.auth.logOut(accountId, { refreshToken }),
    ],
    [
      'the end of the session by its id',
      ({ clientele, accountId, userId, signedIn }) =>
        clientele.sessions.revoke(accountId, userId, sidOf(signedIn)),
    ],
    [
      'the end of all sessions',
      ({ clientele, accountId, userId }) => clientele.sessions.revokeAll(accountId, userId),
    ],
    [
      'a refresh token that is used twice',
      async ({ clientele, accountId, signedIn: { refreshToken } }) => {
        await clientele.auth.refresh(accountId, { refreshToken })
        world.now += 60_000
        const again = clientele.auth.refresh(accountId, { refreshToken })
        expect(await codeOf(again)).toBe('refresh_token_invalid')
      },
    ],
  ]

  describe.each([true, false])('requireToken: %s', (requireToken) => {
    test.each(ends)('ends with it: %s', async (_, end) => {
      const { clientele, accountId, user, signedIn, begin } = await start(requireToken)
      const { device, finish } = await begin(signedIn)
      await end({ clientele, accountId, userId: user.id, signedIn })
      expect(await codeOf(finish())).toBe('challenge_invalid')
      expect(await clientele.passkeys.list(accountId, user.id)).toEqual([])
      const { challenge, options } = await clientele.auth.beginPasskeyLogIn(accountId)
      const response = device.get(options)
      const used = clientele.auth.logInWithPasskey(accountId, { challenge, response })
      expect(await codeOf(used)).toBe('passkey_invalid')
    })
  })

  test('survives a refresh, and the end of another session', async () => {
    const { clientele, accountId, user, credentials, signedIn, begin } = await start(true)
    const other = await logIn(clientele, accountId, credentials)
    const { finish } = await begin(signedIn)
    await clientele.auth.refresh(accountId, { refreshToken: signedIn.refreshToken })
    await clientele.sessions.revoke(accountId, user.id, sidOf(other))
    expect(await codeOf(finish())).toBeUndefined()
  })

  test('without a token it outlives every session', async () => {
    const { clientele, accountId, user, begin } = await start(false)
    const { finish } = await begin({})
    await clientele.sessions.revokeAll(accountId, user.id)
    expect(await codeOf(finish())).toBeUndefined()
  })

  test('is complete before a logout at the same moment, or fails', async () => {
    const { clientele, accountId, user, credentials, begin } = await start(true)
    const outcomes = await Promise.all(
      Array.from({ length: 8 }, async () => {
        const session = await logIn(clientele, accountId, credentials)
        const { finish } = await begin(session)
        const { refreshToken } = session
        const [enrolled, ended] = await Promise.all([
          codeOf(finish()),
          codeOf(clientele.auth.logOut(accountId, { refreshToken })),
        ])
        expect(ended).toBeUndefined()
        return enrolled
      }),
    )
    for (const outcome of outcomes) expect([undefined, 'challenge_invalid']).toContain(outcome)
    const passkeys = await clientele.passkeys.list(accountId, user.id)
    expect(passkeys).toHaveLength(outcomes.filter((outcome) => outcome === undefined).length)
  })
})
