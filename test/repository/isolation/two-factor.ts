import { expect } from 'vitest'
import { nextId, start } from '../world.ts'
import type { IsolationCases } from './case.ts'

export const twoFactorIsolation = {
  findMfaFactors: async (repository, mine, theirs) => {
    await repository.enrolTotp(theirs.accountId, theirs.user.id, 'sealed')
    expect(await repository.findMfaFactors(mine.accountId, theirs.user.id)).toBeUndefined()
  },
  enrolTotp: async (repository, mine, theirs) => {
    const enrolled = repository.enrolTotp(mine.accountId, theirs.user.id, 'sealed')
    expect(await enrolled).toBe('user_not_found')
  },
  confirmTotp: async (repository, mine, theirs) => {
    const { accountId, user } = theirs
    await repository.enrolTotp(accountId, user.id, 'sealed')
    const confirmed = repository.confirmTotp(mine.accountId, user.id, 'sealed', 1, start, ['x'])
    expect(await confirmed).toBe(false)
    expect(await repository.findMfaFactors(accountId, user.id)).toMatchObject(unconfirmed)
  },
  useTotpStep: async (repository, mine, theirs) => {
    const { accountId, user } = theirs
    await repository.enrolTotp(accountId, user.id, 'sealed')
    await repository.confirmTotp(accountId, user.id, 'sealed', 1, start, [])
    expect(await repository.useTotpStep(mine.accountId, user.id, 5)).toBe(false)
    expect(await repository.useTotpStep(accountId, user.id, 5)).toBe(true)
  },
  enableEmailFactor: async (repository, mine, theirs) => {
    const outcome = await repository.enableEmailFactor(mine.accountId, theirs.user.id)
    expect(outcome).toBe('user_not_found')
  },
  replaceRecoveryCodes: async (repository, mine, theirs) => {
    const { accountId, user } = theirs
    await repository.enableEmailFactor(accountId, user.id)
    expect(await repository.replaceRecoveryCodes(mine.accountId, user.id, ['x'])).toBe(false)
    expect(await repository.findMfaFactors(accountId, user.id)).toMatchObject({
      recoveryCodesLeft: 0,
    })
  },
  useRecoveryCode: async (repository, mine, theirs) => {
    const { accountId, user } = theirs
    await repository.enableEmailFactor(accountId, user.id)
    await repository.replaceRecoveryCodes(accountId, user.id, ['x'])
    expect(await repository.useRecoveryCode(mine.accountId, user.id, 'x')).toBe(false)
    expect(await repository.useRecoveryCode(accountId, user.id, 'x')).toBe(true)
  },
  removeMfaFactors: async (repository, mine, theirs) => {
    const { accountId, user } = theirs
    await repository.enableEmailFactor(accountId, user.id)
    expect(await repository.removeMfaFactors(mine.accountId, user.id)).toBe(false)
    expect(await repository.findMfaFactors(accountId, user.id)).toBeDefined()
  },
  createChallenge: async (repository, mine, theirs) => {
    const challenge = newChallenge(theirs.user.id)
    expect(await repository.createChallenge(mine.accountId, challenge, start)).toBe(false)
  },
  findChallenge: async (repository, mine, theirs) => {
    const challenge = newChallenge(theirs.user.id)
    await repository.createChallenge(theirs.accountId, challenge, start)
    const { hash } = challenge
    expect(await repository.findChallenge(mine.accountId, hash, start)).toBeUndefined()
    expect(await repository.findChallenge(theirs.accountId, hash, start)).toBe(theirs.user.id)
  },
  tryChallenge: async (repository, mine, theirs) => {
    const challenge = newChallenge(theirs.user.id)
    await repository.createChallenge(theirs.accountId, challenge, start)
    expect(await repository.tryChallenge(mine.accountId, challenge.hash, start)).toBeUndefined()
  },
  mailChallenge: async (repository, mine, theirs) => {
    const challenge = newChallenge(theirs.user.id)
    await repository.createChallenge(theirs.accountId, challenge, start)
    const mailed = repository.mailChallenge(mine.accountId, challenge.hash, 'thief', start)
    expect(await mailed).toBeUndefined()
  },
  endChallenge: async (repository, mine, theirs) => {
    const challenge = newChallenge(theirs.user.id)
    await repository.createChallenge(theirs.accountId, challenge, start)
    expect(await repository.endChallenge(mine.accountId, challenge.hash)).toBe(false)
    expect(await repository.endChallenge(theirs.accountId, challenge.hash)).toBe(true)
  },
  listEncryptedTotpSecrets: {
    belongsToNoAccount: 'the process that holds the secrets encrypts those of every account again',
  },
  reencryptTotpSecrets: async (repository, mine, theirs) => {
    const { accountId, user } = theirs
    await repository.enrolTotp(accountId, user.id, 'sealed')
    const secret = { userId: user.id, encrypted: 'sealed', reencrypted: 'thief' }
    await repository.reencryptTotpSecrets([{ ...secret, accountId: mine.accountId }])
    expect(await repository.findMfaFactors(accountId, user.id)).toMatchObject(unconfirmed)
  },
} satisfies IsolationCases

const unconfirmed = { encryptedTotpSecret: 'sealed', isTotpConfirmed: false }

function newChallenge(userId: string) {
  const hash = nextId()
  return { hash, userId, passwordHash: 'hash-1', tries: 5, mails: 3, expiresAt: start + 1000 }
}
