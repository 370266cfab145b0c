import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { codeOf, LogRecorder, openRepository } from '../keys/open-clientele.ts'
import { eitherDatabase, type OpenDatabase } from '../support/databases.ts'
import { SignInWorld } from '../support/sign-in-world.ts'

const databases = eitherDatabase(import.meta.filename)

describe.each(databases)('second factors and e-mail tokens, on $name', ({ open }) => {
  let database: OpenDatabase
  const world = new SignInWorld(() => database.url)

  beforeAll(async () => {
    database = await open()
  })
  afterAll(() => database.close())

  test('a changed password ends the resets that were mailed before', async () => {
    const { clientele, mailed } = await world.start()
    const { accountId, user } = await world.addUser(clientele)
    await clientele.auth.forgotPassword(accountId, { email: user.email })
    const token = await mailed('password_reset')
    await clientele.users.patch(accountId, user.id, { password: 'changed by the user' })
    const reset = clientele.auth.resetPassword(accountId, { token, password: 'another' })
    expect(await codeOf(reset)).toBe('reset_token_invalid')
  })

  test('a deactivation ends resets and challenges for good', async () => {
    const { clientele, mailed } = await world.start()
    const { accountId, user, credentials } = await world.addUser(clientele)
    const { generate } = await world.enrolTotp(clientele, accountId, user.id)
    const challenge = await world.challengeOf(clientele, accountId, credentials)
    await clientele.auth.forgotPassword(accountId, { email: user.email })
    const token = await mailed('password_reset')
    await clientele.users.deactivate(accountId, user.id)
    await clientele.users.activate(accountId, user.id)
    const reset = clientele.auth.resetPassword(accountId, { token, password: 'another' })
    expect(await codeOf(reset)).toBe('reset_token_invalid')
    const answer = { challenge, method: 'totp', code: generate() } as const
    expect(await codeOf(clientele.auth.completeMfa(accountId, answer))).toBe('challenge_invalid')
  })

  test('a code is invalid once the user has another address or no e-mail factor', async () => {
    for (const change of ['address', 'factor'] as const) {
      const { clientele, mailed } = await world.start()
      const { accountId, user, credentials } = await world.addUser(clientele)
      await clientele.mfa.enrolEmail(accountId, user.id)
      const challenge = await world.challengeOf(clientele, accountId, credentials)
      await clientele.auth.mailMfaCode(accountId, { challenge })
      const code = await mailed('two_factor_code')
      if (change === 'factor') await clientele.mfa.remove(accountId, user.id)
      else await clientele.users.patch(accountId, user.id, { email: `${randomUUID()}@example.com` })
      const answer = { challenge, method: 'email', code } as const
      expect(await codeOf(clientele.auth.completeMfa(accountId, answer))).toMatch(
        /^(two_factor_code|challenge)_invalid$/,
      )
    }
  })

  test('closing waits for the mails that are on their way', async () => {
    const { clientele, mails } = await world.start()
    const { accountId, user } = await world.addUser(clientele)
    await clientele.auth.forgotPassword(accountId, { email: user.email })
    await clientele.close()
    expect(mails).toHaveLength(1)
    await clientele.close()
  })

  test('a hook that throws at once is logged, without the token', async () => {
    const logger = new LogRecorder()
    const sendMail = () => {
      throw new Error('the mail server is out')
    }
    const { clientele } = await world.start({ sendMail, logger })
    const { accountId, user } = await world.addUser(clientele)
    await clientele.auth.forgotPassword(accountId, { email: user.email })
    await expect
      .poll(() => logger.lines.map(({ message }) => message))
      .toContain('A mail could not be sent.')
    const line = logger.lines.find(({ message }) => message === 'A mail could not be sent.')
    expect(Object.keys(line?.details ?? {}).toSorted()).toEqual([
      'accountId',
      'error',
      'kind',
      'requestId',
    ])
  })

  test('an MFA factor outlives a secret that was changed in two steps', async () => {
    const [old, young] = ['old secret '.repeat(4), 'new secret '.repeat(4)]
    const own = await open()
    onTestFinished(() => own.close())
    const repository = () => openRepository(own.url)
    const first = await world.start({ secrets: [old], repository: repository() })
    const { accountId, user, credentials } = await world.addUser(first.clientele)
    const { generate } = await world.enrolTotp(first.clientele, accountId, user.id)
    await world.start({ secrets: [young, old], repository: repository() })
    const { clientele } = await world.start({ secrets: [young], repository: repository() })
    const challenge = await world.challengeOf(clientele, accountId, credentials)
    const answer = { challenge, method: 'totp', code: generate() } as const
    expect(await clientele.auth.completeMfa(accountId, answer)).toHaveProperty('user')
  })

  test('codes are accepted as apps and people write them', async () => {
    const { clientele, mailed } = await world.start()
    const { accountId, user, credentials } = await world.addUser(clientele, {
      accountName: 'Acme: Staff',
    })
    const { otpauthUri } = await clientele.mfa.enrolTotp(accountId, user.id)
    expect(decodeURIComponent(otpauthUri)).toContain('otpauth://totp/Acme Staff:')
    const { generate } = await world.enrolTotp(clientele, accountId, user.id)
    const spaced = (code: string) => `${code.slice(0, 3)} ${code.slice(3)}`
    const first = await world.challengeOf(clientele, accountId, credentials)
    const byApp = { challenge: first, method: 'totp', code: spaced(generate()) } as const
    expect(await codeOf(clientele.auth.completeMfa(accountId, byApp))).toBeUndefined()
    await clientele.mfa.enrolEmail(accountId, user.id)
    const second = await world.challengeOf(clientele, accountId, credentials)
    await clientele.auth.mailMfaCode(accountId, { challenge: second })
    const code = spaced(await mailed('two_factor_code'))
    const byMail = { challenge: second, method: 'email', code } as const
    expect(await codeOf(clientele.auth.completeMfa(accountId, byMail))).toBeUndefined()
  })

  test('mails of codes are limited for a user, however many challenges there are', async () => {
    const limit = { points: 4, windowSeconds: 60 }
    const { clientele, mails } = await world.start({ rateLimits: { mfa: limit } })
    const { accountId, user, credentials } = await world.addUser(clientele)
    await clientele.mfa.enrolEmail(accountId, user.id)
    const codes: unknown[] = []
    for (let index = 0; index < 6; index++) {
      const challenge = await world.challengeOf(clientele, accountId, credentials)
      codes.push(await codeOf(clientele.auth.mailMfaCode(accountId, { challenge })))
    }
    expect(codes.filter((code) => code === undefined)).toHaveLength(4)
    expect(codes.slice(4)).toEqual(['rate_limited', 'rate_limited'])
    await expect.poll(() => mails.length).toBe(4)
  })

  test('invalid input is refused in process, too', async () => {
    const { clientele } = await world.start()
    const { accountId } = await world.addUser(clientele)
    const nothing = JSON.parse('{}')
    expect(await codeOf(clientele.auth.mailMfaCode(accountId, nothing))).toBe('validation_failed')
  })
})
