import { expect } from 'vitest'
import { newKey, start } from '../world.ts'
import type { IsolationCases } from './case.ts'

export const accountIsolation = {
  createAccount: async (repository, _mine, theirs) => {
    const again = repository.createAccount(
      theirs.accountId,
      { name: 'Taken', allowedRoles: ['x'] },
      start,
    )
    await expect(again).rejects.toThrow()
  },
  bootstrap: async (repository, _mine, theirs) => {
    const account = { name: 'Taken', allowedRoles: ['x'] }
    expect(await repository.bootstrap(theirs.accountId, account, start, newKey())).toBe(false)
  },
  findAccount: async (repository, mine) => {
    expect((await repository.findAccount(mine.accountId))?.id).toBe(mine.accountId)
  },
  listAccounts: { belongsToNoAccount: 'the operator of the service lists every account' },
  renameAccount: async (repository, mine) => {
    expect(await repository.renameAccount(mine.accountId, 'Mine')).toBe(true)
  },
  setAccountDisabled: async (repository, mine) => {
    expect(await repository.setAccountDisabled(mine.accountId, start)).toBe(true)
  },
  deleteFirstUsers: async (repository, mine) => {
    expect(await repository.deleteFirstUsers(mine.accountId, 100)).toBe(1)
  },
  deleteAccount: async (repository, mine) => {
    expect(await repository.deleteAccount(mine.accountId)).toBe(true)
  },
  createApiKey: async (repository, mine, theirs) => {
    // Ids are unique within an account only: this one is another key.
    const key = newKey({ id: theirs.key.id })
    expect(await repository.createApiKey(mine.accountId, key)).toBe('created')
    expect((await repository.findApiKey(key.hash, start))?.account.id).toBe(mine.accountId)
  },
  listApiKeys: async (repository, mine) => {
    const keys = await repository.listApiKeys(mine.accountId)
    expect(keys.map((key) => key.id)).toEqual([mine.key.id])
  },
  rotateApiKey: async (repository, mine, theirs) => {
    const next = newKey()
    const rotated = await repository.rotateApiKey(mine.accountId, theirs.key.id, next, start)
    expect(rotated).toBeUndefined()
    expect(await repository.findApiKey(next.hash, start)).toBeUndefined()
  },
  revokeApiKey: async (repository, mine, theirs) => {
    expect(await repository.revokeApiKey(mine.accountId, theirs.key.id, start)).toBe(false)
  },
  noteApiKeyUse: async (repository, mine, theirs) => {
    await repository.noteApiKeyUse(mine.accountId, theirs.key.id, start)
  },
  findApiKey: async (repository, mine, theirs) => {
    const subject = { userId: theirs.user.id, sessionId: theirs.session.id }
    const found = await repository.findApiKey(mine.key.hash, start, subject)
    expect(found?.account.id).toBe(mine.accountId)
    expect(found?.subject).toBeUndefined()
    const mixed = { userId: mine.user.id, sessionId: theirs.session.id }
    const other = await repository.findApiKey(mine.key.hash, start, mixed)
    expect(other?.subject).toMatchObject({ hasLiveSession: false })
  },
} satisfies IsolationCases
