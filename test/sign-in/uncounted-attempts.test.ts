import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { codeOf, openRepository } from '../keys/open-clientele.ts'
import { anyDatabase, type OpenDatabase } from '../support/databases.ts'
import { logIn } from '../support/log-in.ts'
import { SignInWorld } from '../support/sign-in-world.ts'

describe.each(anyDatabase)('an attempt that is no failure, on $name', ({ open }) => {
  let database: OpenDatabase
  const world = new SignInWorld(() => database.url)
  beforeAll(async () => {
    database = await open()
  })
  afterAll(() => database.close())

  /** Shows a password again, where `fillQueue` lets many others wait to be hashed before it is compared. */
  async function startCrowded() {
    const hashing = { memoryKiB: 65_536, passes: 3, queueLength: 4 }
    const repository = openRepository(database.url)
    let strangers: (() => unknown) | undefined
    const add: typeof repository.rateLimits.add = async (...input) => {
      const added = await repository.rateLimits.add(...input)
      strangers?.()
      return added
    }
    const { clientele } = await world.start({
      passwords: { hashing },
      rateLimits: { login: { points: 3, windowSeconds: 900 } },
      repository: { ...repository, rateLimits: { ...repository.rateLimits, add } },
    })
    const { accountId, credentials } = await world.addUser(clientele)
    const { refreshToken } = await logIn(clientele, accountId, credentials)
    const show = (password: string) =>
      codeOf(clientele.auth.reauthenticate(accountId, { refreshToken, password }))
    const showInCrowd = async (password: string) => {
      const others: Promise<unknown>[] = []
      strangers = () => {
        strangers = undefined
        for (let index = 0; index < 30; index++) {
          const email = `${randomUUID()}@example.com`
          const user = { name: 'Other', email, password: 'another secret' }
          others.push(codeOf(clientele.users.create(accountId, user)))
        }
      }
      const code = await show(password)
      await Promise.all(others)
      return code
    }
    return { password: credentials.password, show, showInCrowd }
  }

  test('is a password that is shown again, and not compared as too many wait to be hashed', async () => {
    const { password, show, showInCrowd } = await startCrowded()
    for (let times = 1; times <= 4; times++) expect(await showInCrowd(password)).toBe('overloaded')
    expect(await show(password)).toBeUndefined()
  })

  test('clears no failure before it', async () => {
    const { show, showInCrowd } = await startCrowded()
    for (let times = 1; times <= 2; times++) expect(await show('wrong')).toBe('credentials_invalid')
    expect(await showInCrowd('wrong')).toBe('overloaded')
    expect(await show('wrong')).toBe('credentials_invalid')
    expect(await show('wrong')).toBe('rate_limited')
  })

  test('is a right code of a factor that is enrolled on the way in, while a hook fails', async () => {
    let fails = true
    const beforeSignIn = () => {
      if (fails) throw new Error('The hook fails.')
    }
    const rateLimits = { mfa: { points: 3, windowSeconds: 900 } }
    const { clientele } = await world.start({ hooks: { beforeSignIn }, rateLimits })
    const { accountId, credentials } = await world.addUser(clientele)
    await clientele.accounts.setPolicy(accountId, { secondFactor: 'required' })
    const enrol = async () => {
      const challenge = await world.challengeOf(clientele, accountId, credentials)
      const asked = await clientele.auth.enrolToLogIn(accountId, { challenge, method: 'totp' })
      const code = world.totpCode(asked?.secret ?? '')
      const answer = { challenge, method: 'totp', code } as const
      return codeOf(clientele.auth.completeMfa(accountId, answer))
    }
    for (let times = 1; times <= 4; times++) expect(await enrol()).toBe('hook_unavailable')
    fails = false
    expect(await enrol()).toBeUndefined()
  })
})
