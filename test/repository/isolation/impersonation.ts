import type { Repository } from '@clientele/core'
import { expect } from 'vitest'
import { someEvent } from '../../support/some-event.ts'
import { nextId, start, type Tenant } from '../world.ts'
import type { IsolationCases } from './case.ts'

/** Opens a session in which somebody acts as the tenant's user by the tenant's API key. */
export async function impersonateByKey(
  repository: Repository,
  { accountId, user, key }: Tenant,
): Promise<void> {
  const opened = {
    id: nextId(),
    userId: user.id,
    version: 1,
    impersonatedBy: 'Support',
    openedByKey: key.id,
  }
  const session = { ...opened, createdAt: start, expiresAt: start + 900_000 }
  const event = someEvent<'user.impersonated'>(accountId)
  expect(await repository.impersonation.create(accountId, session, 20, event)).toBe('created')
}

export const impersonationIsolation = {
  create: async (repository, mine, theirs) => {
    const times = { createdAt: start, expiresAt: start + 900_000 }
    const session = {
      id: nextId(),
      userId: theirs.user.id,
      version: 1,
      impersonatedBy: 'Support',
      openedByKey: null,
      ...times,
    }
    const event = someEvent<'user.impersonated'>(mine.accountId)
    expect(await repository.impersonation.create(mine.accountId, session, 20, event)).toBe(
      'refused',
    )
    const { accountId, user } = theirs
    const held = await repository.sessions.list(accountId, user.id, start)
    expect(held.map(({ id }) => id)).not.toContain(session.id)
    // The sessions of another account do not count.
    const own = { ...session, userId: mine.user.id }
    expect(await repository.impersonation.create(mine.accountId, own, 1, event)).toBe('created')
    const other = { ...session, id: nextId() }
    const told = someEvent<'user.impersonated'>(accountId)
    expect(await repository.impersonation.create(accountId, other, 1, told)).toBe('created')
  },
} satisfies IsolationCases<'impersonation'>
