import { randomUUID } from 'node:crypto'
import type { Clientele, Mail, RateLimits } from '@clientele/core'
import { Secret, TOTP } from 'otpauth'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { codeOf, openClientele } from '../keys/open-clientele.ts'
import { databases, type OpenDatabase } from '../support/databases.ts'

const limit = { points: 3, windowSeconds: 60 }

describe.each(databases)('guesses at once, and the way out, on $name', ({ open }) => {
  let database: OpenDatabase
  const opened: Clientele[] = []
  const mails: Mail[] = []
  const now = Date.now()

  beforeAll(async () => {
    database = await open()
  })
  afterEach(async () => {
    mails.length = 0
    await Promise.all(opened.splice(0).map((each) => each.close()))
  })
  afterAll(() => database.close())

  async function start(rateLimits: RateLimits): Promise<Clientele> {
    const sendMail = async (mail: Mail): Promise<void> => {
      mails.push(mail)
    }
    const clientele = await openClientele(database.url, { clock: () => now, sendMail, rateLimits })
    opened.push(clientele)
    return clientele
  }

  async function addUser(clientele: Clientele) {
    const account = await clientele.accounts.create({ name: 'Acme' })
    const credentials = { email: `${randomUUID()}@example.com`, password: 'password' }
    const { user } = await clientele.users.create(account.id, { name: 'Ada', ...credentials })
    return { accountId: account.id, user, credentials }
  }

  test('a reset lets in whom strangers at known addresses have shut out', async () => {
    const clientele = await start({ login: limit })
    const { accountId, user, credentials } = await addUser(clientele)
    const home = { clientAddress: '198.51.100.7' }
    const wrong = { ...credentials, password: 'wrong one' }
    for (let host = 1; host <= 30; host++) {
      const clientAddress = `203.0.113.${host}`
      await codeOf(clientele.auth.logIn(accountId, wrong, { clientAddress }))
    }
    expect(await codeOf(clientele.auth.logIn(accountId, credentials, home))).toBe('rate_limited')
    await clientele.auth.forgotPassword(accountId, user, home)
    await expect.poll(() => mails.length).toBe(1)
    const [mail] = mails
    const token = mail !== undefined && 'token' in mail ? mail.token : ''
    await clientele.auth.resetPassword(accountId, { token, password: 'a new one' })
    const anew = { ...credentials, password: 'a new one' }
    expect(await codeOf(clientele.auth.logIn(accountId, anew, home))).toBeUndefined()
  })

  test('of forty passwords at once the answers do not tell which one was right', async () => {
    const clientele = await start({ login: limit })
    const { accountId, credentials } = await addUser(clientele)
    const answers = await Promise.all(
      Array.from({ length: 40 }, (_, index) =>
        codeOf(
          clientele.auth.logIn(
            accountId,
            index === 39 ? credentials : { ...credentials, password: 'wrong' },
          ),
        ),
      ),
    )
    expect(answers.filter((answer) => answer === 'credentials_invalid')).toHaveLength(3)
    expect(answers.filter((answer) => answer === 'rate_limited')).toHaveLength(37)
  })

  test('of forty requests at once no more mails go out than of as many in turn', async () => {
    const clientele = await start({ reset: limit })
    const { accountId, user } = await addUser(clientele)
    const asked = await Promise.all(
      Array.from({ length: 40 }, () => codeOf(clientele.auth.forgotPassword(accountId, user))),
    )
    expect(asked.filter((code) => code === undefined)).toHaveLength(3)
    expect(new Set(asked)).toEqual(new Set([undefined, 'rate_limited']))
    await expect.poll(() => mails.length).toBe(3)
  })

  test('of forty codes at once no right one passes behind the limit', async () => {
    const clientele = await start({ twoFactor: limit })
    const { accountId, user, credentials } = await addUser(clientele)
    const { secret } = await clientele.twoFactor.enrolTotp(accountId, user.id)
    const totp = new TOTP({ secret: Secret.fromBase32(secret) })
    const code = totp.generate({ timestamp: now })
    await clientele.twoFactor.confirmTotp(accountId, user.id, { code })
    const challenges: string[] = []
    for (let index = 0; index < 40; index++) {
      const asked = await clientele.auth.logIn(accountId, credentials)
      challenges.push('challenge' in asked ? asked.challenge : '')
    }
    const right = totp.generate({ timestamp: now + 30_000 })
    const answers = await Promise.all(
      challenges.map((challenge, index) => {
        const guess = index === 39 ? right : 'nonsense'
        return codeOf(
          clientele.auth.completeTwoFactor(accountId, { challenge, method: 'totp', code: guess }),
        )
      }),
    )
    expect(answers[39]).toBe('rate_limited')
    expect(answers.filter((answer) => answer === 'two_factor_code_invalid')).toHaveLength(3)
    expect(await clientele.sessions.list(accountId, user.id)).toEqual([])
  })
})
