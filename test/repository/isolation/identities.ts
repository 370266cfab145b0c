import type { Repository } from '@clientele/core'
import { expect } from 'vitest'
import { someEvent } from '../../support/some-event.ts'
import { nextId, start } from '../world.ts'
import type { IsolationCases } from './case.ts'

const write = (accountId: string) => ({
  maximum: 20,
  event: someEvent<'identity.linked'>(accountId),
})

/** Links a new identity to a user. */
export async function linkIdentity(repository: Repository, accountId: string, userId: string) {
  const identity = { ...newIdentity(userId), createdAt: start }
  expect(await repository.identities.link(accountId, identity, write(accountId))).toBe('linked')
  return identity
}

function newIdentity(userId: string) {
  return { id: nextId(), userId, issuer: 'https://login.example.com', subject: nextId() }
}

export const identitiesIsolation = {
  list: async (repository, mine, theirs) => {
    const { accountId, user } = theirs
    const { id } = await linkIdentity(repository, accountId, user.id)
    expect(await repository.identities.list(mine.accountId, user.id)).toEqual([])
    expect(await repository.identities.list(accountId, user.id)).toMatchObject([{ id }])
  },
  link: async (repository, mine, theirs) => {
    const { accountId, user } = theirs
    const identity = await linkIdentity(repository, accountId, user.id)
    const link = (userId: string) =>
      repository.identities.link(
        mine.accountId,
        { ...identity, id: nextId(), userId },
        write(mine.accountId),
      )
    expect(await link(user.id)).toBe('user_not_found')
    // The same identity is somebody else's here.
    expect(await link(mine.user.id)).toBe('linked')
    expect(await repository.identities.list(accountId, user.id)).toMatchObject([
      { id: identity.id },
    ])
  },
  unlink: async (repository, mine, theirs) => {
    const { accountId, user } = theirs
    const { id } = await linkIdentity(repository, accountId, user.id)
    const unlink = (account: string) =>
      repository.identities.unlink(account, user.id, id, () => someEvent(account))
    expect(await unlink(mine.accountId)).toBeUndefined()
    expect(await unlink(accountId)).toBeDefined()
  },
} satisfies IsolationCases<'identities'>
