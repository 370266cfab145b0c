import type { Clientele } from '@clientele/core'
import { Secret, TOTP } from 'otpauth'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { codeOf, openRepository } from '../keys/open-clientele.ts'
import { anyDatabase, type OpenDatabase } from '../support/databases.ts'
import { SignInWorld } from '../support/sign-in-world.ts'
import { toSignedIn } from '../support/to-signed-in.ts'

describe.each(anyDatabase)('challenges for an MFA factor on $name', ({ open }) => {
  let database: OpenDatabase
  const world = new SignInWorld(() => database.url)

  beforeAll(async () => {
    database = await open()
  })
  afterAll(() => database.close())

  async function addUserWithTotp(clientele: Clientele) {
    const added = await world.addUser(clientele)
    return { ...added, ...(await world.enrolTotp(clientele, added.accountId, added.user.id)) }
  }

  test('a code counts one step to either side, and no further', async () => {
    const { clientele } = await world.start()
    const { accountId, credentials, generate } = await addUserWithTotp(clientele)
    const tryAt = async (offset: number) => {
      const challenge = await world.challengeOf(clientele, accountId, credentials)
      const answer = { challenge, method: 'totp', code: generate(offset) } as const
      return codeOf(clientele.auth.completeMfa(accountId, answer))
    }
    world.now += 300_000
    expect(await tryAt(-60_000)).toBe('two_factor_code_invalid')
    expect(await tryAt(60_000)).toBe('two_factor_code_invalid')
    expect(await tryAt(-30_000)).toBeUndefined()
    expect(await tryAt(30_000)).toBeUndefined()
    // Older than a step that was used.
    expect(await tryAt(0)).toBe('two_factor_code_invalid')
  })

  test('an app that agrees with the vectors of RFC 6238 signs in at each of their times', async () => {
    const { clientele } = await world.start()
    const present = world.now
    const totp = new TOTP({ secret: Secret.fromUTF8('12345678901234567890') })
    for (const [seconds, code] of [
      [59, '287082'],
      [1111111109, '081804'],
      [1111111111, '050471'],
      [1234567890, '005924'],
      [2000000000, '279037'],
      [20000000000, '353130'],
    ] as const) {
      expect(totp.generate({ timestamp: seconds * 1000 })).toBe(code)
      // It is enrolled one step earlier.
      world.now = (seconds - 30) * 1000
      const { accountId, credentials, generate } = await addUserWithTotp(clientele)
      expect(world.now).toBe(seconds * 1000)
      const challenge = await world.challengeOf(clientele, accountId, credentials)
      const answer = { challenge, method: 'totp', code: generate() } as const
      expect(toSignedIn(await clientele.auth.completeMfa(accountId, answer)).token).not.toBe('')
    }
    world.now = present
  })

  test('if a code, challenge or recovery code is used sixteen times at once, one use succeeds', async () => {
    const { clientele } = await world.start()
    const { accountId, user, credentials, generate, recoveryCodes } =
      await addUserWithTotp(clientele)
    const winners = async (
      answers: { challenge: string; method: 'totp' | 'recovery_code'; code: string }[],
    ) => {
      const results = await Promise.allSettled(
        answers.map((answer) => clientele.auth.completeMfa(accountId, answer)),
      )
      return results.filter(({ status }) => status === 'fulfilled').length
    }
    const challenges = await Promise.all(
      Array.from({ length: 16 }, () => world.challengeOf(clientele, accountId, credentials)),
    )
    const code = generate()
    const withOneCode = challenges.map((challenge) => ({
      challenge,
      method: 'totp' as const,
      code,
    }))
    expect(await winners(withOneCode)).toBe(1)
    world.now += 1_000_000 // the limit on failures has passed
    const second = await Promise.all(
      Array.from({ length: 16 }, () => world.challengeOf(clientele, accountId, credentials)),
    )
    const method = 'recovery_code' as const
    const withOneRecoveryCode = second.map((challenge) => ({
      challenge,
      method,
      code: recoveryCodes[0] ?? '',
    }))
    expect(await winners(withOneRecoveryCode)).toBe(1)
    world.now += 1_000_000
    const challenge = await world.challengeOf(clientele, accountId, credentials)
    const left = async () => (await clientele.mfa.read(accountId, user.id)).recoveryCodesLeft
    expect(await left()).toBe(9)
    const withOneChallenge = recoveryCodes
      .slice(1, 9)
      .map((each) => ({ challenge, method, code: each }))
    expect(await winners(withOneChallenge)).toBe(1)
    expect(await left()).toBe(8)
  })

  test('a challenge has five tries and five minutes', async () => {
    const { clientele } = await world.start()
    const { accountId, credentials, generate } = await addUserWithTotp(clientele)
    const challenge = await world.challengeOf(clientele, accountId, credentials)
    const wrong = { challenge, method: 'totp', code: 'nonsense' } as const
    for (let attempt = 0; attempt < 5; attempt++) {
      expect(await codeOf(clientele.auth.completeMfa(accountId, wrong))).toBe(
        'two_factor_code_invalid',
      )
    }
    const right = { ...wrong, code: generate() }
    expect(await codeOf(clientele.auth.completeMfa(accountId, right))).toBe('challenge_invalid')
    const late = await world.challengeOf(clientele, accountId, credentials)
    world.now += 300_000
    const answer = { challenge: late, method: 'totp', code: generate() } as const
    expect(await codeOf(clientele.auth.completeMfa(accountId, answer))).toBe('challenge_invalid')
  })

  test('wrong codes are limited across challenges', async () => {
    const rateLimits = { mfa: { points: 3, windowSeconds: 60 } }
    const { clientele } = await world.start({ rateLimits })
    const { accountId, credentials, generate } = await addUserWithTotp(clientele)
    const answer = async (code: string) => {
      const challenge = await world.challengeOf(clientele, accountId, credentials)
      return codeOf(clientele.auth.completeMfa(accountId, { challenge, method: 'totp', code }))
    }
    for (let attempt = 0; attempt < 3; attempt++) {
      expect(await answer('nonsense')).toBe('two_factor_code_invalid')
    }
    expect(await answer(generate())).toBe('rate_limited')
    world.now += 60_000
    expect(await answer(generate())).toBeUndefined()
  })

  test('a challenge is invalid in another account, and after a new password or a deactivation', async () => {
    const { clientele } = await world.start()
    const { accountId, user, credentials, generate } = await addUserWithTotp(clientele)
    const other = await world.addUser(clientele)
    const challenge = await world.challengeOf(clientele, accountId, credentials)
    const answer = { challenge, method: 'totp', code: generate() } as const
    expect(await codeOf(clientele.auth.completeMfa(other.accountId, answer))).toBe(
      'challenge_invalid',
    )
    await clientele.users.patch(accountId, user.id, { password: 'another' })
    expect(await codeOf(clientele.auth.completeMfa(accountId, answer))).toBe('challenge_invalid')
    world.now += 30_000
    const changed = { ...credentials, password: 'another' }
    const again = await world.challengeOf(clientele, accountId, changed)
    await clientele.users.deactivate(accountId, user.id)
    const late = { challenge: again, method: 'totp', code: generate() } as const
    expect(await codeOf(clientele.auth.completeMfa(accountId, late))).toBe('challenge_invalid')
    await clientele.users.delete(accountId, user.id)
    const repository = openRepository(database.url)
    expect(await repository.mfa.find(accountId, user.id)).toBeUndefined()
    await repository.storage.close()
  })
})
