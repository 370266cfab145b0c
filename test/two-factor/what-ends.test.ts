import { randomUUID } from 'node:crypto'
import type { Clientele, ClienteleOptions, Mail } from '@clientele/core'
import { Secret, TOTP } from 'otpauth'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { codeOf, LogRecorder, openClientele, openRepository } from '../keys/open-clientele.ts'
import { databases, type OpenDatabase } from '../support/databases.ts'

describe.each(databases)('what a change ends, on $name', ({ open }) => {
  let database: OpenDatabase
  let now = Date.now()

  beforeAll(async () => {
    database = await open()
  })
  afterAll(() => database.close())

  async function start(options: Partial<ClienteleOptions> = {}) {
    const mails: Mail[] = []
    const sendMail = async (mail: Mail): Promise<void> => {
      mails.push(mail)
    }
    const clientele = await openClientele(database.url, { clock: () => now, sendMail, ...options })
    onTestFinished(() => clientele.close())
    const mailed = async (kind: Mail['kind']): Promise<string> => {
      await expect.poll(() => mails.map((mail) => mail.kind)).toContain(kind)
      const mail = mails.find((each) => each.kind === kind)
      if (mail === undefined) throw new Error('No mail.')
      return 'token' in mail ? mail.token : mail.code
    }
    return { clientele, mails, mailed }
  }

  async function addUser(clientele: Clientele, name = 'Acme') {
    const account = await clientele.accounts.create({ name })
    const credentials = { email: `${randomUUID()}@example.com`, password: 'password' }
    const { user } = await clientele.users.create(account.id, { name: 'Ada', ...credentials })
    return { accountId: account.id, user, credentials }
  }

  async function enrolTotp(clientele: Clientele, accountId: string, userId: string) {
    const { secret } = await clientele.twoFactor.enrolTotp(accountId, userId)
    const generate = () =>
      new TOTP({ secret: Secret.fromBase32(secret) }).generate({ timestamp: now })
    await clientele.twoFactor.confirmTotp(accountId, userId, { code: generate() })
    now += 30_000
    return generate
  }

  async function challengeOf(
    clientele: Clientele,
    accountId: string,
    credentials: { email: string; password: string },
  ): Promise<string> {
    const asked = await clientele.auth.logIn(accountId, credentials)
    return 'challenge' in asked ? asked.challenge : 'none'
  }

  test('a changed password ends the resets that were mailed before', async () => {
    const { clientele, mailed } = await start()
    const { accountId, user } = await addUser(clientele)
    await clientele.auth.forgotPassword(accountId, user)
    const token = await mailed('password_reset')
    await clientele.users.patch(accountId, user.id, { password: 'changed by the user' })
    const reset = clientele.auth.resetPassword(accountId, { token, password: 'another' })
    expect(await codeOf(reset)).toBe('reset_token_invalid')
  })

  test('a block ends resets and challenges, also once it is lifted', async () => {
    const { clientele, mailed } = await start()
    const { accountId, user, credentials } = await addUser(clientele)
    const generate = await enrolTotp(clientele, accountId, user.id)
    const challenge = await challengeOf(clientele, accountId, credentials)
    await clientele.auth.forgotPassword(accountId, user)
    const token = await mailed('password_reset')
    await clientele.users.deactivate(accountId, user.id)
    await clientele.users.activate(accountId, user.id)
    const reset = clientele.auth.resetPassword(accountId, { token, password: 'another' })
    expect(await codeOf(reset)).toBe('reset_token_invalid')
    const answer = { challenge, method: 'totp', code: generate() } as const
    expect(await codeOf(clientele.auth.completeTwoFactor(accountId, answer))).toBe(
      'challenge_invalid',
    )
  })

  test('a code is worth nothing once its address, or mailing, is not the user’s any more', async () => {
    for (const change of ['address', 'factor'] as const) {
      const { clientele, mailed } = await start()
      const { accountId, user, credentials } = await addUser(clientele)
      await clientele.twoFactor.enrolEmail(accountId, user.id)
      const challenge = await challengeOf(clientele, accountId, credentials)
      await clientele.auth.mailTwoFactorCode(accountId, { challenge })
      const code = await mailed('two_factor_code')
      if (change === 'factor') await clientele.twoFactor.remove(accountId, user.id)
      else await clientele.users.patch(accountId, user.id, { email: `${randomUUID()}@example.com` })
      const answer = { challenge, method: 'email', code } as const
      expect(await codeOf(clientele.auth.completeTwoFactor(accountId, answer))).toMatch(
        /^(two_factor_code|challenge)_invalid$/,
      )
    }
  })

  test('closing waits for the mails that are on their way', async () => {
    const { clientele, mails } = await start()
    const { accountId, user } = await addUser(clientele)
    await clientele.auth.forgotPassword(accountId, user)
    await clientele.close()
    expect(mails).toHaveLength(1)
    await clientele.close()
  })

  test('a hook that throws at once is logged, without the token', async () => {
    const logger = new LogRecorder()
    const sendMail = () => {
      throw new Error('the mail server is out')
    }
    const { clientele } = await start({ sendMail, logger })
    const { accountId, user } = await addUser(clientele)
    await clientele.auth.forgotPassword(accountId, user)
    await expect
      .poll(() => logger.lines.map(({ message }) => message))
      .toContain('A mail could not be sent.')
    const line = logger.lines.find(({ message }) => message === 'A mail could not be sent.')
    expect(Object.keys(line?.details ?? {}).toSorted()).toEqual(['accountId', 'error', 'kind'])
  })

  test('a second factor outlives a secret that was changed in two steps', async () => {
    const [old, young] = ['old secret '.repeat(4), 'new secret '.repeat(4)]
    const own = await open()
    onTestFinished(() => own.close())
    const repository = () => openRepository(own.url)
    const first = await start({ secrets: [old], repository: repository() })
    const { accountId, user, credentials } = await addUser(first.clientele)
    const generate = await enrolTotp(first.clientele, accountId, user.id)
    await start({ secrets: [young, old], repository: repository() })
    const { clientele } = await start({ secrets: [young], repository: repository() })
    const challenge = await challengeOf(clientele, accountId, credentials)
    const answer = { challenge, method: 'totp', code: generate() } as const
    expect(await clientele.auth.completeTwoFactor(accountId, answer)).toHaveProperty('user')
  })

  test('codes are taken as apps and people write them', async () => {
    const { clientele, mailed } = await start()
    const { accountId, user, credentials } = await addUser(clientele, 'Acme: Staff')
    const { otpauth_uri } = await clientele.twoFactor.enrolTotp(accountId, user.id)
    expect(decodeURIComponent(otpauth_uri)).toContain('otpauth://totp/Acme Staff:')
    const generate = await enrolTotp(clientele, accountId, user.id)
    const spaced = (code: string) => `${code.slice(0, 3)} ${code.slice(3)}`
    const first = await challengeOf(clientele, accountId, credentials)
    const byApp = { challenge: first, method: 'totp', code: spaced(generate()) } as const
    expect(await codeOf(clientele.auth.completeTwoFactor(accountId, byApp))).toBeUndefined()
    await clientele.twoFactor.enrolEmail(accountId, user.id)
    const second = await challengeOf(clientele, accountId, credentials)
    await clientele.auth.mailTwoFactorCode(accountId, { challenge: second })
    const code = spaced(await mailed('two_factor_code'))
    const byMail = { challenge: second, method: 'email', code } as const
    expect(await codeOf(clientele.auth.completeTwoFactor(accountId, byMail))).toBeUndefined()
  })

  test('mails of codes are limited for a user, however many challenges there are', async () => {
    const limit = { points: 4, windowSeconds: 60 }
    const { clientele, mails } = await start({ rateLimits: { twoFactor: limit } })
    const { accountId, user, credentials } = await addUser(clientele)
    await clientele.twoFactor.enrolEmail(accountId, user.id)
    const codes: unknown[] = []
    for (let index = 0; index < 6; index++) {
      const challenge = await challengeOf(clientele, accountId, credentials)
      codes.push(await codeOf(clientele.auth.mailTwoFactorCode(accountId, { challenge })))
    }
    expect(codes.filter((code) => code === undefined)).toHaveLength(4)
    expect(codes.slice(4)).toEqual(['rate_limited', 'rate_limited'])
    await expect.poll(() => mails.length).toBe(4)
  })

  test('input that is none is told so in process too', async () => {
    const { clientele } = await start()
    const { accountId } = await addUser(clientele)
    const nothing = JSON.parse('{}')
    expect(await codeOf(clientele.auth.mailTwoFactorCode(accountId, nothing))).toBe(
      'validation_failed',
    )
  })
})
