import { randomUUID } from 'node:crypto'
import type { Clientele } from '@clientele/core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { codeOf } from '../keys/open-clientele.ts'
import { SoftwareAuthenticator, site } from '../passkeys/software-authenticator.ts'
import { ada, IdTokenWorld, linking } from '../sign-in/id-token-world.ts'
import { eitherDatabase, type OpenDatabase } from '../support/databases.ts'
import { iss } from '../support/issuer-world.ts'
import { logIn } from '../support/log-in.ts'

const databases = eitherDatabase(import.meta.filename)

type Opened = Awaited<ReturnType<typeof openRegistered>>

const password = 'set by the owner'

/** The ways in which the owner of an address can prove it */
const proofs: { name: string; prove(opened: Opened): Promise<void> }[] = [
  {
    name: 'a reset',
    prove: async ({ clientele, accountId, user, mailed }) => {
      await clientele.auth.forgotPassword(accountId, { email: user.email })
      const token = await mailed('password_reset')
      await clientele.auth.resetPassword(accountId, { token, password })
    },
  },
  {
    name: 'a verification',
    prove: async ({ clientele, accountId, user, mailed }) => {
      await clientele.auth.requestEmailVerification(accountId, { email: user.email })
      const token = await mailed('email_verification')
      await clientele.auth.verifyEmail(accountId, { token })
    },
  },
  {
    name: 'an ID token',
    prove: async ({ clientele, accountId, signByKey }) => {
      const idToken = await signByKey({ sub: 'owner', ...ada })
      const signedIn = await clientele.auth.logInWithIdToken(accountId, { idToken })
      expect(signedIn).toHaveProperty('token')
    },
  },
  {
    name: 'a mailed code',
    prove: async ({ clientele, accountId, user, mails }) => {
      await clientele.accounts.setPolicy(accountId, {
        signIn: ['password', 'passkey', 'id_token', 'email_code'],
      })
      const { challenge } = await clientele.auth.mailSignInCode(accountId, { email: user.email })
      const codes = () => mails.flatMap((mail) => (mail.kind === 'sign_in_code' ? [mail.code] : []))
      await expect.poll(() => codes().length).toBe(1)
      const [code = ''] = codes()
      await clientele.auth.logInWithCode(accountId, { challenge, code })
    },
  },
]

let world: IdTokenWorld

/** A user whose address, ada@example.com, a stranger may have registered. */
async function openRegistered() {
  const { clientele, mailed, mails } = await world.start()
  const opened = await world.trusting(linking)
  const { accountId, user } = opened
  await clientele.accounts.setPasskeys(accountId, site)
  const device = new SoftwareAuthenticator()
  const begin = () => clientele.passkeys.beginEnrolment(accountId, user.id)
  const finish = ({ challenge, options }: Awaited<ReturnType<typeof begin>>, more = {}) =>
    clientele.passkeys.enrol(accountId, user.id, {
      challenge,
      response: device.create(options),
      ...more,
    })
  world.now += 1_000
  return { ...opened, clientele, mailed, mails, device, begin, finish }
}

/** Enrols one of everything. */
async function enrolAll({ clientele, accountId, user, credentials, begin, finish }: Opened) {
  const session = await logIn(clientele, accountId, credentials)
  await finish(await begin())
  await finish(await begin(), { use: 'second_factor' })
  await clientele.identities.link(accountId, user.id, { issuer: iss, subject: 'stranger' })
  const { generate, recoveryCodes } = await world.enrolTotp(clientele, accountId, user.id)
  await clientele.mfa.enrolEmail(accountId, user.id)
  const challenge = await world.challengeOf(clientele, accountId, credentials)
  const pending = await begin()
  world.now += 1_000
  return { session, generate, recoveryCodes, challenge, pending }
}

async function passkeyLogIn(
  clientele: Clientele,
  accountId: string,
  device: SoftwareAuthenticator,
) {
  const { challenge, options } = await clientele.auth.beginPasskeyLogIn(accountId)
  return clientele.auth.logInWithPasskey(accountId, { challenge, response: device.get(options) })
}

describe.each(databases)('the first proof of an address on $name', ({ open }) => {
  let database: OpenDatabase

  beforeAll(async () => {
    database = await open()
    world = new IdTokenWorld(() => database.url)
  })
  afterAll(() => database.close())

  test.each(proofs)('by $name ends all that was enrolled before, with events', async (proof) => {
    const opened = await openRegistered()
    const { clientele, accountId, user, device, credentials, finish } = opened
    const stranger = await enrolAll(opened)
    await clientele.auth.forgotPassword(accountId, { email: user.email })
    const mailedBefore = await opened.mailed('password_reset')
    const passkeys = await clientele.passkeys.list(accountId, user.id)
    const emitted: string[] = []
    for (const type of ['passkey.removed', 'identity.unlinked', 'two_factor.removed'] as const)
      clientele.events.on(type, () => emitted.push(type))
    await proof.prove(opened)
    const { session, challenge, generate, pending } = stranger
    expect(await codeOf(clientele.auth.validateToken(accountId, session.token))).toBe(
      'token_revoked',
    )
    const { refreshToken } = session
    expect(await codeOf(clientele.auth.refresh(accountId, { refreshToken }))).toBe(
      'refresh_token_invalid',
    )
    expect(await codeOf(passkeyLogIn(clientele, accountId, device))).toBe('passkey_invalid')
    expect(await codeOf(finish(pending))).toBe('challenge_invalid')
    const answer = { challenge, method: 'totp', code: generate() } as const
    expect(await codeOf(clientele.auth.completeMfa(accountId, answer))).toBe('challenge_invalid')
    const reset = { token: mailedBefore, password: 'by the stranger' }
    expect(await codeOf(clientele.auth.resetPassword(accountId, reset))).toBe('reset_token_invalid')
    const idToken = await opened.signByKey({ sub: 'stranger' })
    expect(await codeOf(clientele.auth.logInWithIdToken(accountId, { idToken }))).toBe(
      'token_user_not_found',
    )
    expect(await clientele.passkeys.list(accountId, user.id)).toEqual([])
    const identities = await clientele.identities.list(accountId, user.id)
    expect(identities.filter(({ subject }) => subject !== 'owner')).toEqual([])
    expect(await clientele.mfa.read(accountId, user.id)).toMatchObject({
      totp: false,
      email: false,
      recoveryCodesLeft: 0,
    })
    expect(await clientele.users.getEmailVerifiedAt(accountId, user.id)).not.toBeNull()
    // A new password took the old one's place; a verification leaves it; who comes by an ID token has none.
    const outcome = await codeOf(clientele.auth.logIn(accountId, credentials))
    expect(outcome).toBe(proof.name === 'a verification' ? undefined : 'credentials_invalid')
    const told = ['two_factor.removed', 'passkey.removed', 'passkey.removed', 'identity.unlinked']
    expect(emitted).toEqual(told)
    const types = ['passkey.removed', 'identity.unlinked', 'two_factor.removed'] as const
    const { data } = await clientele.events.read(accountId, { types: [...types] })
    expect(data.map(({ type }) => type)).toEqual(told)
    expect(data.map(({ actor }) => actor)).toEqual(told.map(() => ({ type: 'user', id: user.id })))
    const removed = data.flatMap((event) =>
      event.type === 'passkey.removed' ? [event.data.passkeyId] : [],
    )
    expect(new Set(removed)).toEqual(new Set(passkeys.map(({ id }) => id)))
    const [verified] = (await clientele.events.read(accountId, { types: ['user.email_verified'] }))
      .data
    expect(verified?.data).toMatchObject({ revokedCredentials: true })
    const revocations = await clientele.revocations.read(accountId)
    expect(revocations.data).toContainEqual(
      expect.objectContaining({ type: 'user', userId: user.id }),
    )
  })

  test.each(proofs)('by $name ends nothing that was enrolled after a proof', async (proof) => {
    const opened = await openRegistered()
    const { clientele, accountId, user, begin, finish } = opened
    await world.proveAddress(accountId, user.email)
    await finish(await begin())
    await clientele.identities.link(accountId, user.id, {
      issuer: 'https://b.example',
      subject: 'b',
    })
    // An ID token does not link a user who has a second factor.
    const hasFactor = proof.name !== 'an ID token'
    if (hasFactor) await world.enrolTotp(clientele, accountId, user.id)
    await proof.prove(opened)
    expect(await clientele.passkeys.list(accountId, user.id)).toHaveLength(1)
    const identities = await clientele.identities.list(accountId, user.id)
    expect(identities.map(({ subject }) => subject)).toContain('b')
    expect((await clientele.mfa.read(accountId, user.id)).totp).toBe(hasFactor)
  })

  test('of a changed address is a first proof again', async () => {
    const opened = await openRegistered()
    const { clientele, accountId, user, begin, finish, mailed } = opened
    await world.proveAddress(accountId, user.email)
    await finish(await begin())
    const email = `${randomUUID()}@example.com`
    await clientele.users.patch(accountId, user.id, { email })
    await clientele.auth.forgotPassword(accountId, { email })
    const token = await mailed('password_reset')
    await clientele.auth.resetPassword(accountId, { token, password })
    expect(await clientele.passkeys.list(accountId, user.id)).toEqual([])
  })

  test('needs a verified e-mail: otherwise a second factor prevents linking', async () => {
    const { clientele, accountId, user, signByKey } = await world.trusting({
      ...linking,
      trustUnverifiedEmail: true,
    })
    await world.enrolTotp(clientele, accountId, user.id)
    const idToken = await signByKey({ sub: 'owner', email: ada.email })
    expect(await codeOf(clientele.auth.logInWithIdToken(accountId, { idToken }))).toBe(
      'token_user_not_found',
    )
    expect((await clientele.mfa.read(accountId, user.id)).totp).toBe(true)
  })

  test.each(proofs)(
    'by $name concurrent with enrolments leaves no earlier enrolment',
    async (proof) => {
      for (let round = 0; round < 4; round++) {
        const opened = await openRegistered()
        const { clientele, accountId, user, device, begin, finish } = opened
        await finish(await begin())
        const [first, second] = [await begin(), await begin()]
        const { secret } = await clientele.mfa.enrolTotp(accountId, user.id)
        const code = world.totpCode(secret)
        await Promise.all([
          proof.prove(opened),
          ...[first, second].map((pending) => codeOf(finish(pending))),
          codeOf(passkeyLogIn(clientele, accountId, device)),
          codeOf(clientele.mfa.confirmTotp(accountId, user.id, { code })),
        ])
        expect(await clientele.passkeys.list(accountId, user.id)).toEqual([])
        const { data } = await clientele.events.read(accountId, { types: ['two_factor.*'] })
        expect(data.at(-1)?.type).toBe('two_factor.removed')
        expect((await clientele.mfa.read(accountId, user.id)).totp).toBe(false)
        const sessions = await clientele.sessions.list(accountId, user.id)
        expect(sessions.filter(({ amr }) => amr.includes('user'))).toEqual([])
      }
    },
  )
})
