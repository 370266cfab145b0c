import type { Repository } from '@clientele/core'
import { expect } from 'vitest'
import { someEvent } from '../../support/some-event.ts'
import { nextId, start, type Tenant } from '../world.ts'
import type { IsolationCases } from './case.ts'

const ofAllAccounts = { belongsToNoAccount: 'the operator changes the keys of every account' }

export const signingKeysIsolation = {
  list: async (repository, mine, theirs) => {
    await addSigningKey(repository, theirs)
    expect(await repository.signingKeys.list(mine.accountId)).toEqual([])
  },
  addFirst: async (repository, mine, theirs) => {
    const key = await addSigningKey(repository, theirs)
    // The same key in two accounts: neither stands in the way of the other.
    expect(
      await repository.signingKeys.addFirst(mine.accountId, key, someEvent(mine.accountId)),
    ).toBe(true)
    expect(await repository.signingKeys.list(theirs.accountId)).toEqual([key])
  },
  rotate: async (repository, mine, theirs) => {
    const key = await addSigningKey(repository, theirs)
    const event = someEvent<'signing_key.rotated'>(mine.accountId)
    expect(
      await repository.signingKeys.rotate(mine.accountId, newKey('thief'), key.id, event),
    ).toBe(false)
    const own = await addSigningKey(repository, mine)
    expect(await repository.signingKeys.rotate(mine.accountId, newKey('next'), own.id, event)).toBe(
      true,
    )
    expect(await repository.signingKeys.list(theirs.accountId)).toEqual([key])
  },
  retire: async (repository, mine, theirs) => {
    const key = await addSigningKey(repository, theirs)
    const event = someEvent<'signing_key.retired'>(mine.accountId)
    expect(await repository.signingKeys.retire(mine.accountId, key.id, start, event)).toBe(false)
    expect(await repository.signingKeys.list(theirs.accountId)).toEqual([key])
  },
  remove: async (repository, mine, theirs) => {
    const key = await addSigningKey(repository, theirs)
    const event = someEvent<'signing_key.removed'>(mine.accountId)
    expect(await repository.signingKeys.remove(mine.accountId, key.id, event)).toBe(false)
    expect(await repository.signingKeys.list(theirs.accountId)).toEqual([key])
  },
  raiseTokenLife: async (repository, mine, theirs) => {
    const key = await addSigningKey(repository, theirs)
    await repository.signingKeys.raiseTokenLife(mine.accountId, key.id, 1_000_000)
    expect(await repository.signingKeys.list(theirs.accountId)).toEqual([key])
  },
  listAccounts: ofAllAccounts,
} satisfies IsolationCases<'signingKeys'>

function newKey(id: string) {
  return {
    id,
    algorithm: 'ES256',
    publicJwk: '{"kty":"EC"}',
    encryptedPrivateJwk: `sealed ${id}`,
    encryptedUnder: 'v1.',
    createdAt: start,
    signsAt: start,
    retiredAt: null,
    tokenLifeSeconds: 7200,
  }
}

export async function addSigningKey(
  repository: Repository,
  { accountId }: Pick<Tenant, 'accountId'>,
) {
  const key = newKey(nextId())
  await repository.signingKeys.addFirst(accountId, key, someEvent(accountId))
  return key
}
