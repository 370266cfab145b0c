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

describe.each(databases)('a sign-in that waits, on $name', ({ open }) => {
  let database: OpenDatabase
  const world = new SignInWorld(() => database.url)
  beforeAll(async () => {
    database = await open()
  })
  afterAll(() => database.close())

  /** A user with a passkey and an identity that sign in, of an account with passkeys and an issuer */
  async function start() {
    const opened = await world.start()
    const { clientele } = opened
    const added = await world.addUser(clientele)
    const { accountId, user } = added
    await clientele.accounts.setPasskeys(accountId, site)
    const { id: issuerId } = await clientele.trustedIssuers.create(accountId, issuer)
    const subject = { issuer: issuer.issuer, subject: 'ada' }
    const { id: identityId } = await clientele.identities.link(accountId, user.id, subject)
    const enrol = async (use: 'first_factor' | 'second_factor') => {
      const device = new SoftwareAuthenticator()
      const { challenge, options } = await clientele.passkeys.beginEnrolment(accountId, user.id)
      const answer = { challenge, response: device.create(options), use }
      return { device, passkey: await clientele.passkeys.enrol(accountId, user.id, answer) }
    }
    const { passkey } = await enrol('first_factor')
    world.now += 5_000
    return { ...opened, ...added, issuerId, identityId, passkeyId: passkey.id, enrol }
  }
  type Opened = Awaited<ReturnType<typeof start>>

  /** Signs in with a token of the issuer. */
  async function byToken({ clientele, accountId }: Opened) {
    const iat = Math.floor(world.now / 1000)
    const idToken = await new SignJWT({ iat, exp: iat + 60 })
      .setProtectedHeader({ alg: 'HS256' })
      .setIssuer(issuer.issuer)
      .setAudience(issuer.audience)
      .setSubject('ada')
      .setJti(randomUUID())
      .sign(new TextEncoder().encode(sharedSecret))
    return clientele.auth.logInWithIdToken(accountId, { idToken })
  }

  const unlink = ({ clientele, accountId, user, identityId }: Opened) =>
    clientele.identities.unlink(accountId, user.id, identityId)
  const deleteIssuer = ({ clientele, accountId, issuerId }: Opened) =>
    clientele.trustedIssuers.delete(accountId, issuerId)
  const forbidIssuer = ({ clientele, accountId, issuerId }: Opened) =>
    clientele.trustedIssuers.update(accountId, issuerId, { signIn: false })
  const changeEmail = ({ clientele, accountId, user }: Opened) =>
    clientele.users.patch(accountId, user.id, { email: `safe-${user.email}` })

  const ends: [string, (opened: Opened) => Promise<unknown>][] = [
    ['an identity that is unlinked', unlink],
    ['an issuer that is deleted', deleteIssuer],
    ['an issuer that signs in no more', forbidIssuer],
    ['another address', changeEmail],
    [
      'another address by an import',
      async ({ clientele, accountId, user }) => {
        const records = [
          { line: 1, value: { id: user.id, name: 'Ada', email: `safe-${user.email}` } },
        ]
        const result = await clientele.users.import(accountId, records, { onConflict: 'update' })
        expect(result).toMatchObject({ updated: 1, errors: [] })
      },
    ],
    [
      'a passkey that is removed',
      ({ clientele, accountId, user, passkeyId }) =>
        clientele.passkeys.remove(accountId, user.id, passkeyId),
    ],
    ['a passkey as second factor', ({ enrol }) => enrol('second_factor')],
    [
      'codes by e-mail',
      ({ clientele, accountId, user }) => clientele.mfa.enrolEmail(accountId, user.id),
    ],
    [
      'an authenticator app',
      ({ clientele, accountId, user }) => world.enrolTotp(clientele, accountId, user.id),
    ],
    [
      'the end of all sessions',
      ({ clientele, accountId, user }) => clientele.sessions.revokeAll(accountId, user.id),
    ],
    [
      'the end of all devices',
      ({ clientele, accountId, user }) => clientele.devices.removeAll(accountId, user.id),
    ],
  ]

  test.each(ends)('starts over after %s', async (_, end) => {
    const opened = await start()
    const { clientele, accountId, credentials } = opened
    await clientele.accounts.setPolicy(accountId, { secondFactor: 'required' })
    const asked = await clientele.auth.logIn(accountId, credentials)
    if (!('mfaEnrolmentRequired' in asked)) throw new Error('Another answer.')
    const app = { challenge: asked.challenge, method: 'totp' } as const
    await clientele.auth.enrolToLogIn(accountId, app)
    await end(opened)
    expect(await codeOf(clientele.auth.enrolToLogIn(accountId, app))).toBe('challenge_invalid')
  })

  test('goes on after what takes nothing away', async () => {
    const opened = await start()
    const { clientele, accountId, user, credentials, issuerId } = opened
    await clientele.accounts.setPolicy(accountId, { secondFactor: 'required' })
    const other = await world.addUser(clientele, { accountId })
    const asked = await clientele.auth.logIn(accountId, credentials)
    if (!('mfaEnrolmentRequired' in asked)) throw new Error('Another answer.')
    await clientele.sessions.revokeAll(accountId, other.user.id)
    await clientele.trustedIssuers.update(accountId, issuerId, { maxLifetimeSeconds: 60 })
    await clientele.identities.link(accountId, user.id, { issuer: issuer.issuer, subject: 'bob' })
    await clientele.users.patch(accountId, user.id, { name: 'Ada Lovelace' })
    const app = { challenge: asked.challenge, method: 'totp' } as const
    const { secret = '' } = Object(await clientele.auth.enrolToLogIn(accountId, app))
    const answer = { ...app, code: world.totpCode(secret) }
    expect(await clientele.auth.completeMfa(accountId, answer)).toHaveProperty('token')
  })

  test.each([
    ['is unlinked', unlink],
    ['has a deleted issuer', deleteIssuer],
    ['has an issuer that signs in no more', forbidIssuer],
  ] as const)('enrols nothing when its identity %s', async (_, end) => {
    const opened = await start()
    const { clientele, accountId, user } = opened
    await clientele.accounts.setPolicy(accountId, { secondFactor: 'required' })
    const asked = await byToken(opened)
    if (!('mfaEnrolmentRequired' in asked)) throw new Error('Another answer.')
    await end(opened)
    world.now += 60_000
    const app = { challenge: asked.challenge, method: 'totp' } as const
    expect(await codeOf(clientele.auth.enrolToLogIn(accountId, app))).toBe('challenge_invalid')
    expect(await clientele.mfa.read(accountId, user.id)).toMatchObject({ totp: false })
  })

  test("enrols nothing when the mailbox of its code is no longer the user's", async () => {
    const opened = await start()
    const { clientele, accountId, credentials, mailed } = opened
    await clientele.accounts.setPolicy(accountId, {
      secondFactor: 'required',
      signIn: ['password', 'email_code'],
    })
    const { email } = credentials
    const { challenge } = await clientele.auth.mailSignInCode(accountId, { email })
    const code = await mailed('sign_in_code')
    const asked = await clientele.auth.logInWithCode(accountId, { challenge, code })
    if (!('mfaEnrolmentRequired' in asked)) throw new Error('Another answer.')
    await changeEmail(opened)
    const app = { challenge: asked.challenge, method: 'totp' } as const
    expect(await codeOf(clientele.auth.enrolToLogIn(accountId, app))).toBe('challenge_invalid')
  })

  test.each(['replaced', 'joined by another factor'])(
    'sets no other password when its passkey is %s',
    async (what) => {
      const { clientele, accountId, user, credentials, enrol } = await start()
      await clientele.accounts.setPolicy(accountId, { rememberDeviceDays: 30 })
      const { device, passkey } = await enrol('second_factor')
      await clientele.users.expirePassword(accountId, user.id)
      const challenge = await world.challengeOf(clientele, accountId, credentials)
      const { options } = await clientele.auth.beginPasskeyMfa(accountId, { challenge })
      const answer = { challenge, method: 'passkey', response: device.get(options) } as const
      const asked = await clientele.auth.completeMfa(accountId, answer)
      if (!('passwordChangeRequired' in asked)) throw new Error('Another answer.')
      if (what === 'replaced') {
        await clientele.passkeys.remove(accountId, user.id, passkey.id)
        await enrol('second_factor')
      } else await clientele.mfa.enrolEmail(accountId, user.id)
      const change = { challenge: asked.challenge, password: 'another', rememberDevice: true }
      const changed = clientele.auth.changeExpiredPassword(accountId, change)
      expect(await codeOf(changed)).toBe('challenge_invalid')
      expect(await clientele.devices.list(accountId, user.id)).toEqual([])
    },
  )
})
