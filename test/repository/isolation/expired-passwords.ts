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
    const { accountId, user } = theirs
    const expired = someEvent<'user.password_expired'>(accountId)
    await repository.expiredPasswords.expire(accountId, user.id, expired)
    const expiredHash = await hashOf(repository, theirs)
    const challenge = {
      ...{ hash: 'challenge', userId: user.id, amr: ['pwd'], passwordHash: expiredHash },
      ...{ tries: 5, mails: 3, expiresAt: start + 300_000 },
    }
    expect(await repository.mfa.createChallenge(accountId, challenge)).toBe(true)
    const change = {
      ...{ userId: user.id, challengeHash: 'challenge', expiredHash, passwordHash: 'new' },
    }
    const event = someEvent<'user.updated'>(mine.accountId)
    const { change: changePassword } = repository.expiredPasswords
    expect(await changePassword(mine.accountId, change, start, event)).toBeUndefined()
    expect(await hashOf(repository, theirs)).toBe(expiredHash)
    const own = someEvent<'user.updated'>(accountId)
    expect(await changePassword(accountId, change, start, own)).toMatchObject({
      user: { id: user.id },
    })
  },
} satisfies IsolationCases<'expiredPasswords'>
