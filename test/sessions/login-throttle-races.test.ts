import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { codeOf } from '../keys/open-clientele.ts'
import { eitherDatabase, type OpenDatabase } from '../support/databases.ts'
import { SignInWorld } from '../support/sign-in-world.ts'

const databases = eitherDatabase(import.meta.filename)

const limit = { points: 3, windowSeconds: 60 }

describe.each(databases)('simultaneous attempts, and resets, on $name', ({ open }) => {
  let database: OpenDatabase
  const world = new SignInWorld(() => database.url)

  beforeAll(async () => {
    database = await open()
  })
  afterAll(() => database.close())

  test('a reset admits a user whom attackers at known addresses have locked out', async () => {
    const { clientele, mailed } = await world.start({ rateLimits: { login: limit } })
    const { accountId, user, credentials } = await world.addUser(clientele)
    const home = { accountId, clientAddress: '198.51.100.7' }
    const wrong = { ...credentials, password: 'wrong one' }
    for (let host = 1; host <= 30; host++) {
      const clientAddress = `203.0.113.${host}`
      await codeOf(clientele.auth.logIn({ accountId, clientAddress }, wrong))
    }
    expect(await codeOf(clientele.auth.logIn(home, credentials))).toBe('rate_limited')
    await clientele.auth.forgotPassword(home, { email: user.email })
    const token = await mailed('password_reset')
    await clientele.auth.resetPassword(accountId, { token, password: 'a new one' })
    const anew = { ...credentials, password: 'a new one' }
    expect(await codeOf(clientele.auth.logIn(home, anew))).toBeUndefined()
  })

  test('the answers to forty simultaneous passwords do not reveal the correct one', async () => {
    const { clientele } = await world.start({ rateLimits: { login: limit } })
    const { accountId, credentials } = await world.addUser(clientele)
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

  test('forty simultaneous requests send no more e-mails than forty successive ones', async () => {
    const { clientele, mails } = await world.start({ rateLimits: { reset: limit } })
    const { accountId, user } = await world.addUser(clientele)
    const asked = await Promise.all(
      Array.from({ length: 40 }, () =>
        codeOf(clientele.auth.forgotPassword(accountId, { email: user.email })),
      ),
    )
    expect(asked.filter((code) => code === undefined)).toHaveLength(3)
    expect(new Set(asked)).toEqual(new Set([undefined, 'rate_limited']))
    await expect.poll(() => mails.length).toBe(3)
  })

  test('of forty simultaneous codes, no correct one succeeds beyond the limit', async () => {
    const { clientele } = await world.start({ rateLimits: { mfa: limit } })
    const { accountId, user, credentials } = await world.addUser(clientele)
    const { generate } = await world.enrolTotp(clientele, accountId, user.id)
    const challenges: string[] = []
    for (let index = 0; index < 40; index++) {
      challenges.push(await world.challengeOf(clientele, accountId, credentials))
    }
    const answers = await Promise.all(
      challenges.map((challenge, index) => {
        const given = index === 39 ? generate() : 'nonsense'
        return codeOf(
          clientele.auth.completeMfa(accountId, { challenge, method: 'totp', code: given }),
        )
      }),
    )
    expect(answers[39]).toBe('rate_limited')
    expect(answers.filter((answer) => answer === 'two_factor_code_invalid')).toHaveLength(3)
    expect(await clientele.sessions.list(accountId, user.id)).toEqual([])
  })
})
