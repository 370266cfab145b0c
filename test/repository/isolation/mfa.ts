import { expect } from 'vitest'
import { someEvent } from '../../support/some-event.ts'
import { nextId, start, type Tenant } from '../world.ts'
import type { IsolationCases } from './case.ts'
import { linkIdentity } from './identities.ts'
import { newIssuer } from './issuers.ts'

export const mfaIsolation = {
  find: async (repository, mine, theirs) => {
    await repository.mfa.enrolTotp(theirs.accountId, theirs.user.id, 'sealed')
    expect(await repository.mfa.find(mine.accountId, theirs.user.id)).toBeUndefined()
  },
  enrolTotp: async (repository, mine, theirs) => {
    const enrolled = repository.mfa.enrolTotp(mine.accountId, theirs.user.id, 'sealed')
    expect(await enrolled).toBe('user_not_found')
  },
  confirmTotp: async (repository, mine, theirs) => {
    const { accountId, user } = theirs
    await repository.mfa.enrolTotp(accountId, user.id, 'sealed')
    const confirmed = repository.mfa.confirmTotp(
      mine.accountId,
      user.id,
      'sealed',
      1,
      start,
      ['x'],
      someEvent(mine.accountId),
    )
    expect(await confirmed).toBe(false)
    expect(await repository.mfa.find(accountId, user.id)).toMatchObject({
      encryptedTotpSecret: 'sealed',
      isTotpConfirmed: false,
    })
  },
  useTotpStep: async (repository, mine, theirs) => {
    const { accountId, user } = theirs
    await repository.mfa.enrolTotp(accountId, user.id, 'sealed')
    await repository.mfa.confirmTotp(
      accountId,
      user.id,
      'sealed',
      1,
      start,
      [],
      someEvent(accountId),
    )
    expect(await repository.mfa.useTotpStep(mine.accountId, user.id, 5)).toBe(false)
    expect(await repository.mfa.useTotpStep(accountId, user.id, 5)).toBe(true)
  },
  enableEmail: async (repository, mine, theirs) => {
    const outcome = await repository.mfa.enableEmail(
      mine.accountId,
      theirs.user.id,
      someEvent(mine.accountId),
    )
    expect(outcome).toBe('user_not_found')
  },
  replaceRecoveryCodes: async (repository, mine, theirs) => {
    const { accountId, user } = theirs
    await repository.mfa.enableEmail(accountId, user.id, someEvent(accountId))
    expect(
      await repository.mfa.replaceRecoveryCodes(
        mine.accountId,
        user.id,
        ['x'],
        someEvent(mine.accountId),
      ),
    ).toBe(false)
    expect(await repository.mfa.find(accountId, user.id)).toMatchObject({
      recoveryCodesLeft: 0,
    })
  },
  useRecoveryCode: async (repository, mine, theirs) => {
    const { accountId, user } = theirs
    await repository.mfa.enableEmail(accountId, user.id, someEvent(accountId))
    await repository.mfa.replaceRecoveryCodes(accountId, user.id, ['x'], someEvent(accountId))
    const challenge = {
      hash: 'challenge',
      userId: user.id,
      amr: [],
      passwordHash: user.passwordHash,
      tries: 5,
      mails: 0,
      expiresAt: start + 1,
    }
    expect(await repository.mfa.createChallenge(accountId, challenge)).toBe(true)
    const use = (of: string) => repository.mfa.useRecoveryCode(of, user.id, 'x', challenge.hash)
    expect(await use(mine.accountId)).toBe('challenge_invalid')
    expect(await use(accountId)).toBe('used')
    expect(await use(accountId)).toBe('challenge_invalid')
  },
  remove: async (repository, mine, theirs) => {
    const { accountId, user } = theirs
    await repository.mfa.enableEmail(accountId, user.id, someEvent(accountId))
    expect(await repository.mfa.remove(mine.accountId, user.id, someEvent(mine.accountId))).toBe(
      false,
    )
    expect(await repository.mfa.find(accountId, user.id)).toBeDefined()
  },
  createChallenge: async (repository, mine, theirs) => {
    const challenge = newChallenge(theirs.user.id)
    expect(await repository.mfa.createChallenge(mine.accountId, challenge)).toBe(false)
    const identity = await linkIdentity(repository, mine.accountId, mine.user.id)
    const issuer = newIssuer()
    await repository.trustedIssuers.create(mine.accountId, issuer, someEvent(mine.accountId))
    const shown = {
      identityId: identity.id,
      issuerId: issuer.id,
      issuerUpdatedAt: issuer.updatedAt,
    }
    const create = ({ accountId, user }: Tenant) => {
      const { passwordHash } = user
      const record = { ...newChallenge(user.id), passwordHash, shown }
      return repository.mfa.createChallenge(accountId, record)
    }
    expect(await create(theirs)).toBe(false)
    expect(await create(mine)).toBe(true)
  },
  findChallenge: async (repository, mine, theirs) => {
    const challenge = newChallenge(theirs.user.id)
    await repository.mfa.createChallenge(theirs.accountId, challenge)
    const { hash } = challenge
    expect(await repository.mfa.findChallenge(mine.accountId, hash, start)).toBeUndefined()
    expect(await repository.mfa.findChallenge(theirs.accountId, hash, start)).toMatchObject({
      userId: theirs.user.id,
      expiresAt: challenge.expiresAt,
    })
  },
  tryChallenge: async (repository, mine, theirs) => {
    const challenge = newChallenge(theirs.user.id)
    await repository.mfa.createChallenge(theirs.accountId, challenge)
    expect(await repository.mfa.tryChallenge(mine.accountId, challenge.hash, start)).toBeUndefined()
  },
  mailChallenge: async (repository, mine, theirs) => {
    const challenge = newChallenge(theirs.user.id)
    await repository.mfa.createChallenge(theirs.accountId, challenge)
    const code = { emailCodeHash: 'thief', mailedTo: theirs.user.email }
    const mailed = repository.mfa.mailChallenge(mine.accountId, challenge.hash, code, start)
    expect(await mailed).toBeUndefined()
  },
  enrolByChallenge: async (repository, mine, theirs) => {
    const { accountId, user } = theirs
    const challenge = newChallenge(user.id)
    await repository.mfa.createChallenge(accountId, challenge)
    const { hash } = challenge
    const enrol = (ofAccount: string, userId: string) =>
      repository.mfa.enrolByChallenge(
        ofAccount,
        { hash, userId, isByMail: false },
        { method: 'email' },
        start,
        ['code'],
        someEvent(ofAccount),
      )
    expect(await enrol(mine.accountId, user.id)).toBe(false)
    expect(await enrol(mine.accountId, mine.user.id)).toBe(false)
    expect(await repository.mfa.findChallenge(accountId, hash, start)).toMatchObject({
      userId: user.id,
    })
  },
  answerChallenge: async (repository, mine, theirs) => {
    const challenge = newChallenge(theirs.user.id)
    await repository.mfa.createChallenge(theirs.accountId, challenge)
    expect(await repository.mfa.answerChallenge(mine.accountId, challenge.hash)).toBe(false)
    expect(await repository.mfa.answerChallenge(theirs.accountId, challenge.hash)).toBe(true)
  },
} satisfies IsolationCases<'mfa'>

function newChallenge(userId: string) {
  const hash = nextId()
  return {
    hash,
    userId,
    amr: ['pwd'],
    passwordHash: 'hash-1',
    tries: 5,
    mails: 3,
    expiresAt: start + 1000,
  }
}
