import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { codeOf, issuesOf } from '../keys/open-clientele.ts'
import { eitherDatabase, type OpenDatabase } from '../support/databases.ts'
import { SignInCodeWorld } from './sign-in-code-world.ts'

const databases = eitherDatabase(import.meta.filename)

describe.each(databases)('after a mailed code, on $name', ({ open }) => {
  let database: OpenDatabase
  const world = new SignInCodeWorld(() => database.url)
  beforeAll(async () => {
    database = await open()
  })
  afterAll(() => database.close())

  /** A user whose address is verified: what is enrolled now stays. */
  async function openVerified() {
    const opened = await world.open()
    const { clientele, accountId, user, ask } = opened
    await world.proveAddress(accountId, user.email)
    const logIn = async () => {
      const { challenge, code } = await ask()
      return clientele.auth.logInWithCode(accountId, { challenge, code })
    }
    /** The challenge for a second factor */
    const challenge = async () => {
      const asked = await logIn()
      if (!('mfaRequired' in asked)) throw new Error('No second factor was asked for.')
      return asked
    }
    const enrolment = async () => {
      const asked = await logIn()
      if (!('mfaEnrolmentRequired' in asked)) throw new Error('No enrolment was asked for.')
      return asked
    }
    return { ...opened, logIn, challenge, enrolment }
  }

  test('an app is asked for, and no second mail', async () => {
    const { clientele, accountId, user, challenge: ask } = await openVerified()
    const { auth, mfa, sessions } = clientele
    const { generate } = await world.enrolTotp(clientele, accountId, user.id)
    await mfa.enrolEmail(accountId, user.id)
    const { challenge, methods } = await ask()
    expect(methods).toEqual(['totp', 'recovery_code'])
    expect(await sessions.list(accountId, user.id)).toEqual([])
    expect(await codeOf(auth.mailMfaCode(accountId, { challenge }))).toBe('two_factor_not_enrolled')
    const given = { challenge, method: 'email' as const, code: '000000' }
    expect(await codeOf(auth.completeMfa(accountId, given))).toBe('two_factor_code_invalid')
    const enrol = auth.enrolToLogIn(accountId, { challenge, method: 'totp' })
    expect(await codeOf(enrol)).toBe('two_factor_already_enrolled')
    await auth.completeMfa(accountId, { challenge, method: 'totp', code: generate() })
    expect(await sessions.list(accountId, user.id)).toMatchObject([{ amr: ['otp', 'mfa'] }])
  })

  test('codes by e-mail are no second factor: the mailbox is proved already', async () => {
    const { clientele, accountId, user, logIn } = await openVerified()
    await clientele.mfa.enrolEmail(accountId, user.id)
    expect(await logIn()).toHaveProperty('token')
    expect(await clientele.sessions.list(accountId, user.id)).toMatchObject([{ amr: ['otp'] }])
  })

  test.each([
    ['none', false],
    ['codes by e-mail', true],
  ])('a required second factor is enrolled by a user who has %s', async (_, hasEmail) => {
    const { clientele, accountId, user, enrolment, challenge: ask } = await openVerified()
    const { auth, mfa, sessions } = clientele
    if (hasEmail) await mfa.enrolEmail(accountId, user.id)
    await clientele.accounts.setPolicy(accountId, { secondFactor: 'required' })
    const { challenge, methods } = await enrolment()
    expect(methods).toEqual(['totp'])
    const byMail = auth.enrolToLogIn(accountId, { challenge, method: 'email' })
    expect(await issuesOf(byMail)).toMatchObject([{ pointer: '/method', code: 'value' }])
    expect(await codeOf(auth.mailMfaCode(accountId, { challenge }))).toBe('two_factor_not_enrolled')
    const { secret } = await auth.enrolToLogIn(accountId, { challenge, method: 'totp' })
    const code = world.totpCode(secret)
    const signedIn = await auth.completeMfa(accountId, { challenge, method: 'totp', code })
    expect(signedIn.recoveryCodes).toHaveLength(10)
    expect(await sessions.list(accountId, user.id)).toMatchObject([{ amr: ['otp', 'mfa'] }])
    expect(await mfa.read(accountId, user.id)).toMatchObject({ totp: true, email: hasEmail })
    expect((await ask()).methods).toEqual(['totp', 'recovery_code'])
  })

  test('a password still needs the factor by e-mail, and adds none to it', async () => {
    const { clientele, accountId, user, credentials } = await openVerified()
    const { auth, mfa } = clientele
    await mfa.enrolEmail(accountId, user.id)
    await clientele.accounts.setPolicy(accountId, { secondFactor: 'required' })
    const challenge = await world.challengeOf(clientele, accountId, credentials)
    const enrol = auth.enrolToLogIn(accountId, { challenge, method: 'totp' })
    expect(await codeOf(enrol)).toBe('two_factor_already_enrolled')
  })

  test('the first proof ends a stranger’s factor and password, and then enrols', async () => {
    const { clientele, accountId, user, credentials, ask } = await world.open()
    const { auth, mfa } = clientele
    await world.enrolTotp(clientele, accountId, user.id)
    await clientele.accounts.setPolicy(accountId, { secondFactor: 'required' })
    const { challenge, code } = await ask()
    const asked = await auth.logInWithCode(accountId, { challenge, code })
    expect(asked).toMatchObject({ mfaEnrolmentRequired: true, methods: ['totp'] })
    expect((await mfa.read(accountId, user.id)).totp).toBe(false)
    expect(await codeOf(auth.logIn(accountId, credentials))).toBe('credentials_invalid')
  })
})
