import type { Repository } from '@clientele/core'
import { expect } from 'vitest'
import { someEvent } from '../../support/some-event.ts'
import { nextId, start, type Tenant } from '../world.ts'
import type { IsolationCases } from './case.ts'

function newToken(userId: string) {
  const id = nextId()
  const times = { createdAt: start, expiresAt: null }
  return { id, userId, name: 'Script', scopes: ['deploy'], prefix: 'cut_…', hash: id, ...times }
}

/** Makes a token of the tenant's user, whose hash is its id. */
export async function makeUserToken(
  repository: Repository,
  { accountId, user }: Tenant,
): Promise<string> {
  const token = newToken(user.id)
  const event = someEvent<'user_token.created'>(accountId)
  expect(await repository.userTokens.create(accountId, token, 50, event)).toBe('created')
  return token.id
}

async function isKept(repository: Repository, { accountId, user }: Tenant, id: string) {
  const tokens = await repository.userTokens.list(accountId, user.id)
  expect(tokens).toMatchObject([{ id, name: 'Script', revokedAt: null, lastUsedAt: null }])
}

export const userTokensIsolation = {
  create: async (repository, mine, theirs) => {
    const token = newToken(theirs.user.id)
    const event = someEvent<'user_token.created'>(mine.accountId)
    const outcome = await repository.userTokens.create(mine.accountId, token, 50, event)
    expect(outcome).toBe('user_not_found')
    expect(await repository.userTokens.list(theirs.accountId, theirs.user.id)).toEqual([])
  },
  list: async (repository, mine, theirs) => {
    await makeUserToken(repository, theirs)
    expect(await repository.userTokens.list(mine.accountId, theirs.user.id)).toEqual([])
  },
  listStored: async (repository, mine, theirs) => {
    await makeUserToken(repository, theirs)
    expect(await repository.userTokens.listStored(mine.accountId, theirs.user.id)).toEqual([])
  },
  rename: async (repository, mine, theirs) => {
    const id = await makeUserToken(repository, theirs)
    const event = someEvent<'user_token.updated'>(mine.accountId)
    for (const { user } of [mine, theirs]) {
      const renamed = repository.userTokens.rename(mine.accountId, user.id, id, 'Other', event)
      expect(await renamed).toBeUndefined()
    }
    await isKept(repository, theirs, id)
  },
  revoke: async (repository, mine, theirs) => {
    const id = await makeUserToken(repository, theirs)
    const event = someEvent<'user_token.revoked'>(mine.accountId)
    for (const { user } of [mine, theirs]) {
      const revoked = repository.userTokens.revoke(mine.accountId, user.id, id, start, event)
      expect(await revoked).toBe(false)
    }
    await isKept(repository, theirs, id)
  },
  revokeAll: async (repository, mine, theirs) => {
    const id = await makeUserToken(repository, theirs)
    const eventOf = () => someEvent<'user_token.revoked'>(mine.accountId)
    const { accountId } = mine
    const revoked = repository.userTokens.revokeAll(accountId, theirs.user.id, start, eventOf)
    expect(await revoked).toBeUndefined()
    await isKept(repository, theirs, id)
  },
  noteUse: async (repository, mine, theirs) => {
    const id = await makeUserToken(repository, theirs)
    await repository.userTokens.noteUse(mine.accountId, id, start)
    await isKept(repository, theirs, id)
  },
} satisfies IsolationCases<'userTokens'>
