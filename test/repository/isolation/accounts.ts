import type { Repository } from '@clientele/core'
import { expect } from 'vitest'
import { someEvent } from '../../support/some-event.ts'
import { accountValues, newKey, nextId, start, type Tenant } from '../world.ts'
import type { IsolationCases } from './case.ts'
import { impersonateByKey } from './impersonation.ts'

export const accountsIsolation = {
  create: async (repository, _mine, theirs) => {
    const again = repository.accounts.create(
      theirs.accountId,
      accountValues({ name: 'Taken', slug: `s-${nextId()}` }),
      start,
    )
    await expect(again).rejects.toThrow()
  },
  find: async (repository, mine) => {
    expect((await repository.accounts.find(mine.accountId))?.id).toBe(mine.accountId)
  },
  findSettings: async (repository, mine) => {
    expect((await repository.accounts.findSettings(mine.accountId))?.id).toBe(mine.accountId)
  },
  findByName: {
    belongsToNoAccount: 'slugs and external ids are unique over all accounts, and find one',
  },
  listOfEmail: {
    belongsToNoAccount: 'the host asks in which accounts somebody can sign in, never a key',
  },
  list: { belongsToNoAccount: 'the operator of the service lists every account' },
  listSummaries: { belongsToNoAccount: 'an operator of the console lists and searches them' },
  update: async (repository, mine) => {
    const policy = { passwordRequired: false }
    const changes = { name: 'Mine', slug: `s-${nextId()}`, externalId: nextId(), policy }
    const event = () => someEvent<'account.updated'>(mine.accountId)
    expect(await repository.accounts.update(mine.accountId, changes, event)).toMatchObject({
      account: { id: mine.accountId, ...changes },
    })
  },
  exists: async (repository, mine) => {
    expect(await repository.accounts.exists(mine.accountId)).toBe(true)
  },
  isKnown: async (repository, mine) => {
    expect(await repository.accounts.isKnown(mine.accountId)).toBe(true)
  },
  setDisabled: async (repository, mine) => {
    expect(
      await repository.accounts.setDisabled(mine.accountId, start, () => someEvent(mine.accountId)),
    ).toBeDefined()
  },
  delete: async (repository, mine) => {
    expect(await repository.accounts.delete(mine.accountId)).toBe(true)
  },
} satisfies IsolationCases<'accounts'>

export const accountLifecycleIsolation = {
  bootstrap: async (repository, _mine, theirs) => {
    const account = accountValues({ name: 'Taken', slug: `s-${nextId()}` })
    expect(
      await repository.accountLifecycle.bootstrap(
        theirs.accountId,
        account,
        start,
        newKey(),
        someEvent(theirs.accountId),
      ),
    ).toBe(false)
  },
  shorten: async (repository, mine) => {
    await repository.accountLifecycle.shorten(mine.accountId)
  },
} satisfies IsolationCases<'accountLifecycle'>

export const apiKeysIsolation = {
  create: async (repository, mine, theirs) => {
    // Ids are unique within an account only: this one is another key.
    const key = newKey({ id: theirs.key.id })
    expect(await repository.apiKeys.create(mine.accountId, key, someEvent(mine.accountId))).toBe(
      'created',
    )
    expect((await repository.apiKeys.findByHash(key.hash, start))?.accountId).toBe(mine.accountId)
  },
  list: async (repository, mine) => {
    const keys = await repository.apiKeys.list(mine.accountId)
    expect(keys.map((key) => key.id)).toEqual([mine.key.id])
  },
  rotate: async (repository, mine, theirs) => {
    const next = newKey()
    const rotated = await repository.apiKeys.rotate(
      mine.accountId,
      theirs.key.id,
      next,
      start,
      () => someEvent(mine.accountId),
    )
    expect(rotated).toBeUndefined()
    expect(await repository.apiKeys.findByHash(next.hash, start)).toBeUndefined()
  },
  revoke: async (repository, mine, theirs) => {
    await impersonateByKey(repository, theirs)
    const { accountId } = mine
    const revoke = (keyId: string) =>
      repository.apiKeys.revoke(accountId, keyId, start, someEvent(accountId), () =>
        someEvent(accountId),
      )
    expect(await revoke(theirs.key.id)).toBe('api_key_not_found')
    expect(await revoke(mine.key.id)).toEqual({ outcome: 'revoked', ended: [] })
    expect(await endOf(repository, theirs, theirs)).toHaveLength(1)
  },
  endImpersonations: async (repository, mine, theirs) => {
    await impersonateByKey(repository, theirs)
    expect(await endOf(repository, mine, theirs)).toEqual([])
    expect(await endOf(repository, theirs, theirs)).toHaveLength(1)
  },
  noteUse: async (repository, mine, theirs) => {
    await repository.apiKeys.noteUse(mine.accountId, theirs.key.id, start)
  },
  findByHash: async (repository, mine, theirs) => {
    const subject = { userId: theirs.user.id, sessionId: theirs.session.id }
    const found = await repository.apiKeys.findByHash(mine.key.hash, start, subject)
    expect(found?.accountId).toBe(mine.accountId)
    expect(found?.subject).toBeUndefined()
    const mixed = { userId: mine.user.id, sessionId: theirs.session.id }
    const other = await repository.apiKeys.findByHash(mine.key.hash, start, mixed)
    expect(other?.subject).toMatchObject({ hasLiveSession: false })
  },
} satisfies IsolationCases<'apiKeys'>

/** Ends the impersonations that the key of an account opened, for another account or for itself. */
function endOf(repository: Repository, { accountId }: Tenant, { key }: Tenant) {
  return repository.apiKeys.endImpersonations(accountId, key.id, () => someEvent(accountId))
}
