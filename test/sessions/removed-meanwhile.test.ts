import { randomUUID } from 'node:crypto'
import type { NewTrustedIssuer } from '@clientele/core'
import { SignJWT } from 'jose'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { codeOf } from '../keys/open-clientele.ts'
import { SoftwareAuthenticator, site } from '../passkeys/software-authenticator.ts'
import { eitherDatabase, type OpenDatabase } from '../support/databases.ts'
import { SignInWorld } from '../support/sign-in-world.ts'

const databases = eitherDatabase(import.meta.filename)

const sharedSecret = 'a shared secret of 32 bytes or more'
const issuer = {
  ...{ issuer: 'https://login.example.com', audience: 'app', algorithms: ['HS256'] },
  ...{ sharedSecret, signIn: true, nonce: 'optional' },
} satisfies NewTrustedIssuer

describe.each(databases)('while a hook is asked about a sign-in, on $name', ({ open }) => {
  let database: OpenDatabase
  const world = new SignInWorld(() => database.url)
  beforeAll(async () => {
    database = await open()
  })
  afterAll(() => database.close())

  async function start() {
    let meanwhile: (() => Promise<unknown>) | undefined
    const beforeSignIn = async (): Promise<void> => {
      const run = meanwhile
      meanwhile = undefined
      await run?.()
    }
    const { clientele } = await world.start({ hooks: { beforeSignIn } })
    const { clientele: elsewhere } = await world.start()
    const added = await world.addUser(elsewhere)
    const { accountId, user } = added
    await elsewhere.accounts.setPasskeys(accountId, site)
    const { id: issuerId } = await elsewhere.trustedIssuers.create(accountId, issuer)
    const subject = { issuer: issuer.issuer, subject: 'ada' }
    await elsewhere.identities.link(accountId, user.id, subject)
    world.now += 5_000
    const enrol = async (use: 'first_factor' | 'second_factor') => {
      const device = new SoftwareAuthenticator()
      const { challenge, options } = await elsewhere.passkeys.beginEnrolment(accountId, user.id)
      const answer = { challenge, response: device.create(options), use }
      const passkey = await elsewhere.passkeys.enrol(accountId, user.id, answer)
      return { device, passkey }
    }
    const setMeanwhile = (run: () => Promise<unknown>) => {
      meanwhile = run
    }
    const count = async () => (await elsewhere.sessions.list(accountId, user.id)).length
    return { clientele, elsewhere, ...added, issuerId, enrol, setMeanwhile, count }
  }
  type Opened = Awaited<ReturnType<typeof start>>

  const byToken = async ({ clientele, accountId }: Opened): Promise<unknown> => {
    const idToken = await new SignJWT({ iat: Math.floor(world.now / 1000) })
      .setProtectedHeader({ alg: 'HS256' })
      .setIssuer(issuer.issuer)
      .setAudience(issuer.audience)
      .setSubject('ada')
      .setExpirationTime(Math.floor(world.now / 1000) + 60)
      .setJti(randomUUID())
      .sign(new TextEncoder().encode(sharedSecret))
    return clientele.auth.logInWithIdToken(accountId, { idToken })
  }
  const ends: [string, (opened: Opened) => Promise<unknown>][] = [
    [
      'unlinked',
      async ({ elsewhere, accountId, user }) => {
        const [identity] = await elsewhere.identities.list(accountId, user.id)
        await elsewhere.identities.unlink(accountId, user.id, identity?.id ?? '')
      },
    ],
    [
      "no longer its issuer's to sign in",
      ({ elsewhere, accountId, issuerId }) =>
        elsewhere.trustedIssuers.update(accountId, issuerId, { signIn: false }),
    ],
    [
      'without its issuer',
      ({ elsewhere, accountId, issuerId }) => elsewhere.trustedIssuers.delete(accountId, issuerId),
    ],
  ]

  test.each(ends)('an identity that is %s opens no session', async (_, end) => {
    const opened = await start()
    opened.setMeanwhile(() => end(opened))
    expect(await codeOf(byToken(opened))).toBe('token_revoked')
    expect(await opened.count()).toBe(0)
  })

  test('an identity that stays opens one', async () => {
    const opened = await start()
    await byToken(opened)
    expect(await opened.count()).toBe(1)
  })

  test.each([true, false])(
    'a passkey opens a session unless it is removed (removed: %s)',
    async (isRemoved) => {
      const opened = await start()
      const { clientele, elsewhere, accountId, user, setMeanwhile } = opened
      const { device, passkey } = await opened.enrol('first_factor')
      const { challenge, options } = await clientele.auth.beginPasskeyLogIn(accountId)
      const answer = { challenge, response: device.get(options) }
      if (isRemoved)
        setMeanwhile(async () => {
          await elsewhere.passkeys.remove(accountId, user.id, passkey.id)
          await elsewhere.sessions.revokeAll(accountId, user.id)
        })
      const signedIn = codeOf(clientele.auth.logInWithPasskey(accountId, answer))
      expect(await signedIn).toBe(isRemoved ? 'passkey_invalid' : undefined)
      expect(await opened.count()).toBe(isRemoved ? 0 : 1)
    },
  )

  test.each([true, false])(
    'a passkey as second factor opens a session unless it is removed (removed: %s)',
    async (isRemoved) => {
      const opened = await start()
      const { clientele, elsewhere, accountId, user, credentials, setMeanwhile } = opened
      const { device, passkey } = await opened.enrol('second_factor')
      const challenge = await world.challengeOf(clientele, accountId, credentials)
      const { options } = await clientele.auth.beginPasskeyMfa(accountId, { challenge })
      const response = device.get(options)
      if (isRemoved) setMeanwhile(() => elsewhere.passkeys.remove(accountId, user.id, passkey.id))
      const answer = { challenge, method: 'passkey', response } as const
      const signedIn = codeOf(clientele.auth.completeMfa(accountId, answer))
      expect(await signedIn).toBe(isRemoved ? 'challenge_invalid' : undefined)
      expect(await opened.count()).toBe(isRemoved ? 0 : 1)
    },
  )
})
