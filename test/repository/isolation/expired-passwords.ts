import type { Repository } from '@clientele/core'
import { expect } from 'vitest'
import { someEvent } from '../../support/some-event.ts'
import { start, type Tenant } from '../world.ts'
import type { IsolationCases } from './case.ts'

async function hashOf(repository: Repository, { accountId, user }: Tenant): Promise<string> {
  const found = await repository.users.findCredentials(accountId, user.email)
  return found?.passwordHash ?? ''
}

export const expiredPasswordsIsolation = {
  expire: async (repository, mine, theirs) => {
    const before = await hashOf(repository, theirs)
    const event = someEvent<'user.password_expired'>(mine.accountId)
    const { expire } = repository.expiredPasswords
    expect(await expire(mine.accountId, theirs.user.id, event)).toBeUndefined()
    expect(await hashOf(repository, theirs)).toBe(before)
  },
  change: async (repository, mine, theirs) => {
    const [expiredHash, ownHash] = [
      await hashOf(repository, theirs),
      await hashOf(repository, mine),
    ]
    const more = { amr: ['pwd'], tries: 5, mails: 3, expiresAt: start + 300_000 }
    const challenges = [
      [theirs, { ...more, hash: 'theirs', userId: theirs.user.id, passwordHash: expiredHash }],
      [mine, { ...more, hash: 'mine', userId: mine.user.id, passwordHash: ownHash }],
    ] as const
    for (const [{ accountId }, challenge] of challenges)
      expect(await repository.mfa.createChallenge(accountId, challenge)).toBe(true)
    const event = someEvent<'user.updated'>(mine.accountId)
    for (const challengeHash of ['theirs', 'mine']) {
      const change = { userId: theirs.user.id, challengeHash, expiredHash, passwordHash: 'new' }
      const changed = repository.expiredPasswords.change(mine.accountId, change, start, event)
      expect(await changed).toBeUndefined()
    }
    expect(await hashOf(repository, theirs)).toBe(expiredHash)
  },
} satisfies IsolationCases<'expiredPasswords'>
