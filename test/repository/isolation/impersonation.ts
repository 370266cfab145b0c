import { expect } from 'vitest'
import { someEvent } from '../../support/some-event.ts'
import { nextId, start } from '../world.ts'
import type { IsolationCases } from './case.ts'

export const impersonationIsolation = {
  create: async (repository, mine, theirs) => {
    const times = { createdAt: start, expiresAt: start + 900_000 }
    const session = { id: nextId(), userId: theirs.user.id, impersonatedBy: 'Support', ...times }
    const event = someEvent<'user.impersonated'>(mine.accountId)
    expect(await repository.impersonation.create(mine.accountId, session, 20, event)).toBe(false)
    const { accountId, user } = theirs
    const held = await repository.sessions.list(accountId, user.id, start)
    expect(held.map(({ id }) => id)).not.toContain(session.id)
    // The sessions of another account do not count.
    const own = { ...session, userId: mine.user.id }
    expect(await repository.impersonation.create(mine.accountId, own, 1, event)).toBe(true)
    const other = { ...session, id: nextId() }
    const told = someEvent<'user.impersonated'>(accountId)
    expect(await repository.impersonation.create(accountId, other, 1, told)).toBe(true)
  },
} satisfies IsolationCases<'impersonation'>
