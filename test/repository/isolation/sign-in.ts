import { expect } from 'vitest'
import { newSession, nextId, start } from '../world.ts'
import type { IsolationCases } from './case.ts'

export const signInIsolation = {
  createSession: async (repository, mine, theirs) => {
    const session = newSession(theirs.user.id, { id: nextId() })
    expect(await repository.createSession(mine.accountId, session, 'hash-1')).toBe(false)
  },
  listSessions: async (repository, mine, theirs) => {
    expect(await repository.listSessions(mine.accountId, theirs.user.id, start)).toEqual([])
  },
  findSession: async (repository, mine, theirs) => {
    expect(await repository.findSession(mine.accountId, theirs.session.id)).toBeUndefined()
  },
  rotateRefreshToken: async (repository, mine, theirs) => {
    const { id, refreshTokenHash } = theirs.session
    const window = { windowRefreshes: 1, windowEndsAt: start }
    const rotation = { successorHash: 'thief', usedAt: start, expiresAt: start + 1, ...window }
    const rotated = repository.rotateRefreshToken(mine.accountId, id, refreshTokenHash, rotation)
    expect(await rotated).toBe(false)
  },
  deleteSession: async (repository, mine, theirs) => {
    const { session, user } = theirs
    expect(await repository.deleteSession(mine.accountId, user.id, session.id)).toBe(false)
  },
  deleteSessions: async (repository, mine, theirs) => {
    expect(await repository.deleteSessions(mine.accountId, theirs.user.id)).toEqual([])
  },
  createEmailToken: async (repository, mine, theirs) => {
    const token = newMailedToken(theirs.user)
    expect(await repository.createEmailToken(mine.accountId, token, start)).toBe(false)
  },
  findEmailToken: async (repository, mine, theirs) => {
    const token = newMailedToken(theirs.user)
    await repository.createEmailToken(theirs.accountId, token, start)
    const found = repository.findEmailToken(mine.accountId, token.hash, token.purpose, start)
    expect(await found).toBeUndefined()
  },
  resetPassword: async (repository, mine, theirs) => {
    const token = newMailedToken(theirs.user)
    await repository.createEmailToken(theirs.accountId, token, start)
    const reset = repository.resetPassword(mine.accountId, token.hash, 'thief', start)
    expect(await reset).toBeUndefined()
  },
  verifyEmail: async (repository, mine, theirs) => {
    const token = { ...newMailedToken(theirs.user), purpose: 'email_verification' as const }
    await repository.createEmailToken(theirs.accountId, token, start)
    expect(await repository.verifyEmail(mine.accountId, token.hash, start)).toBeUndefined()
    expect(await repository.findEmailVerifiedAt(theirs.accountId, theirs.user.id)).toBeUndefined()
  },
  findEmailVerifiedAt: async (repository, mine, theirs) => {
    const token = { ...newMailedToken(theirs.user), purpose: 'email_verification' as const }
    await repository.createEmailToken(theirs.accountId, token, start)
    await repository.verifyEmail(theirs.accountId, token.hash, start)
    expect(await repository.findEmailVerifiedAt(mine.accountId, theirs.user.id)).toBeUndefined()
    expect(await repository.findEmailVerifiedAt(theirs.accountId, theirs.user.id)).toBe(start)
  },
  addRateLimitPoints: async (repository, mine, theirs) => {
    await repository.addRateLimitPoints(theirs.accountId, 'login:x', 3, start, start + 1000)
    const count = await repository.addRateLimitPoints(
      mine.accountId,
      'login:x',
      1,
      start,
      start + 1000,
    )
    expect(count.points).toBe(1)
    expect((await repository.findRateLimitCount(theirs.accountId, 'login:x', start))?.points).toBe(
      3,
    )
  },
  findRateLimitCount: async (repository, mine, theirs) => {
    await repository.addRateLimitPoints(theirs.accountId, 'login:x', 3, start, start + 1000)
    expect(await repository.findRateLimitCount(mine.accountId, 'login:x', start)).toBeUndefined()
  },
  clearRateLimitCount: async (repository, mine, theirs) => {
    await repository.addRateLimitPoints(theirs.accountId, 'login:x', 3, start, start + 1000)
    expect(await repository.clearRateLimitCount(mine.accountId, 'login:x')).toBe(false)
    expect((await repository.findRateLimitCount(theirs.accountId, 'login:x', start))?.points).toBe(
      3,
    )
  },
} satisfies IsolationCases

function newMailedToken({ id, email }: { id: string; email: string }) {
  const purpose = 'password_reset' as const
  return { hash: nextId(), userId: id, purpose, email, expiresAt: start + 1000 }
}
