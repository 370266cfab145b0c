import { expect } from 'vitest'
import { someEvent, someProof } from '../../support/some-event.ts'
import { newSession, nextId, start } from '../world.ts'
import type { IsolationCases } from './case.ts'

const maxSessions = 100

export const sessionsIsolation = {
  create: async (repository, mine, theirs) => {
    const session = newSession(theirs.user.id, { id: nextId() })
    expect(
      await repository.sessions.create(
        mine.accountId,
        session,
        'hash-1',
        someEvent(mine.accountId),
      ),
    ).toBe(false)
  },
  list: async (repository, mine, theirs) => {
    expect(await repository.sessions.list(mine.accountId, theirs.user.id, start)).toEqual([])
  },
  find: async (repository, mine, theirs) => {
    expect(await repository.sessions.find(mine.accountId, theirs.session.id)).toBeUndefined()
  },
  rotateRefreshToken: async (repository, mine, theirs) => {
    const { id, refreshTokenHash } = theirs.session
    const window = { windowRefreshes: 1, windowEndsAt: start }
    const rotation = { successorHash: 'thief', usedAt: start, expiresAt: start + 1, ...window }
    const rotated = repository.sessions.rotateRefreshToken(
      mine.accountId,
      id,
      refreshTokenHash,
      rotation,
    )
    expect(await rotated).toBe(false)
  },
  delete: async (repository, mine, theirs) => {
    const { session, user } = theirs
    expect(
      await repository.sessions.delete(
        mine.accountId,
        user.id,
        session.id,
        someEvent(mine.accountId),
      ),
    ).toBe(false)
  },
  endOldest: async (repository, mine, theirs) => {
    const { accountId, user } = theirs
    for (let count = 1; count <= maxSessions; count++) {
      const next = newSession(user.id, { createdAt: start + count })
      await repository.sessions.create(accountId, next, user.passwordHash, someEvent(accountId))
    }
    const ended = repository.sessions.endOldest(mine.accountId, user.id, nextId(), start, () =>
      someEvent(mine.accountId),
    )
    expect(await ended).toBeUndefined()
    expect(await repository.sessions.list(accountId, user.id, start)).toHaveLength(maxSessions + 1)
  },
  reauthenticate: async (repository, mine, theirs) => {
    const { session, user } = theirs
    const window = { windowRefreshes: 1, windowEndsAt: start }
    const rotation = { successorHash: 'thief', usedAt: start, expiresAt: start + 1, ...window }
    const { reauthenticate } = repository.sessions
    const isContinued = reauthenticate(
      mine.accountId,
      session.id,
      session.refreshTokenHash,
      rotation,
      { userId: user.id, amr: ['otp'], passwordHash: null, event: someEvent(mine.accountId) },
    )
    expect(await isContinued).toBe(false)
  },
  deleteAll: async (repository, mine, theirs) => {
    expect(
      await repository.sessions.deleteAll(mine.accountId, theirs.user.id, () =>
        someEvent(mine.accountId),
      ),
    ).toBeUndefined()
  },
} satisfies IsolationCases<'sessions'>

export const emailTokensIsolation = {
  create: async (repository, mine, theirs) => {
    const token = newMailedToken(theirs.user)
    expect(await repository.emailTokens.create(mine.accountId, token)).toBe(false)
  },
  endSurplus: async (repository, mine, theirs) => {
    const tokens = Array.from({ length: 101 }, () => newMailedToken(theirs.user))
    for (const token of tokens) await repository.emailTokens.create(theirs.accountId, token)
    await repository.emailTokens.endSurplus(mine.accountId, theirs.user.id, 'password_reset', start)
    const isLeft = ({ hash, purpose }: (typeof tokens)[number]) =>
      repository.emailTokens.find(theirs.accountId, hash, purpose, start)
    expect(await Promise.all(tokens.map(isLeft))).not.toContain(undefined)
  },
  find: async (repository, mine, theirs) => {
    const token = newMailedToken(theirs.user)
    await repository.emailTokens.create(theirs.accountId, token)
    const found = repository.emailTokens.find(mine.accountId, token.hash, token.purpose, start)
    expect(await found).toBeUndefined()
  },
  resetPassword: async (repository, mine, theirs) => {
    const token = newMailedToken(theirs.user)
    await repository.emailTokens.create(theirs.accountId, token)
    const reset = repository.emailTokens.resetPassword(mine.accountId, token.hash, 'thief', start, {
      reset: someEvent(mine.accountId),
      ...someProof(mine.accountId),
    })
    expect(await reset).toBeUndefined()
  },
  verifyEmail: async (repository, mine, theirs) => {
    const token = { ...newMailedToken(theirs.user), purpose: 'email_verification' as const }
    await repository.emailTokens.create(theirs.accountId, token)
    expect(
      await repository.emailTokens.verifyEmail(
        mine.accountId,
        token.hash,
        start,
        someProof(mine.accountId),
      ),
    ).toBeUndefined()
    expect(
      await repository.emailTokens.findVerifiedAt(theirs.accountId, theirs.user.id),
    ).toBeUndefined()
  },
  findVerifiedAt: async (repository, mine, theirs) => {
    const { accountId, user } = mine
    const token = { ...newMailedToken(user), purpose: 'email_verification' as const }
    await repository.emailTokens.create(accountId, token)
    const events = someProof(accountId)
    await repository.emailTokens.verifyEmail(accountId, token.hash, start, events)
    const findAt = (account: string) => repository.emailTokens.findVerifiedAt(account, user.id)
    expect(await findAt(theirs.accountId)).toBeUndefined()
    expect(await findAt(accountId)).toBe(start)
  },
} satisfies IsolationCases<'emailTokens'>

export const rateLimitsIsolation = {
  add: async (repository, mine, theirs) => {
    await repository.rateLimits.add(theirs.accountId, 'login:x', 3, start, start + 1000)
    const count = await repository.rateLimits.add(mine.accountId, 'login:x', 1, start, start + 1000)
    expect(count.points).toBe(1)
    expect(
      (await repository.rateLimits.find(theirs.accountId, 'login:x', start, 1000))?.points,
    ).toBe(3)
  },
  find: async (repository, mine, theirs) => {
    await repository.rateLimits.add(theirs.accountId, 'login:x', 3, start, start + 1000)
    expect(await repository.rateLimits.find(mine.accountId, 'login:x', start, 1000)).toBeUndefined()
  },
  clear: async (repository, mine, theirs) => {
    await repository.rateLimits.add(theirs.accountId, 'login:x', 3, start, start + 1000)
    expect(await repository.rateLimits.clear(mine.accountId, 'login:x')).toBe(false)
    expect(
      (await repository.rateLimits.find(theirs.accountId, 'login:x', start, 1000))?.points,
    ).toBe(3)
  },
} satisfies IsolationCases<'rateLimits'>

function newMailedToken({ id, email }: { id: string; email: string }) {
  const purpose = 'password_reset' as const
  return { hash: nextId(), userId: id, purpose, email, expiresAt: start + 1000 }
}
