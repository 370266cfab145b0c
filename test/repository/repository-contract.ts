import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { OpenRepository } from '../support/repository-targets.ts'
import { someEvent } from '../support/some-event.ts'
import { describeAccountContract } from './account-contract.ts'
import { describeAddressRaces } from './address-races.ts'
import type { IsolationCase } from './isolation/case.ts'
import { isolationCases } from './isolation-cases.ts'
import { describeRaces } from './races.ts'
import { describeUserContract } from './user-contract.ts'
import { describeUserListContract } from './user-list-contract.ts'
import { newTenant, readTenant, start } from './world.ts'

/** What every repository does, whatever database it is on. */
export function describeRepositoryContract(open: () => Promise<OpenRepository>): void {
  let opened: OpenRepository
  beforeAll(async () => {
    opened = await open()
  })
  afterAll(() => opened.close())
  const repository = () => opened.repository
  const another = () => opened.openAnother?.() ?? opened.repository

  describe('accounts and keys', () => describeAccountContract(repository))
  describe('users', () => describeUserContract(repository))
  describe('lists', () => describeUserListContract(repository))
  describe('races', () => describeRaces(repository, another))
  describe('races about addresses', () => describeAddressRaces(repository, another))

  describe('another account', () => {
    const cases = Object.entries(isolationCases).flatMap(([store, ofStore]) =>
      Object.entries<IsolationCase>(ofStore).map(
        ([method, isolation]) => [`${store}.${method}`, isolation] as const,
      ),
    )
    for (const [method, isolation] of cases) {
      if (typeof isolation !== 'function') continue
      test(`${method} neither sees nor changes it`, async () => {
        const mine = await newTenant(repository())
        const theirs = await newTenant(repository())
        const before = await readTenant(repository(), theirs)
        await isolation(repository(), mine, theirs)
        expect(await readTenant(repository(), theirs)).toEqual(before)
      })
    }
  })

  test('migrating again applies nothing', async () => {
    expect(await repository().storage.missingMigrations()).toEqual([])
    expect(await repository().storage.migrate()).toEqual([])
    await expect(repository().storage.ping()).resolves.toBeUndefined()
  })

  test('an algorithm has one signing key without a successor, the first', async () => {
    const { accountId } = await newTenant(repository())
    const keys = ['first', 'second'].map((id) => ({
      id,
      algorithm: 'ES256',
      publicJwk: '{"kty":"EC"}',
      encryptedPrivateJwk: `sealed ${id}`,
      encryptedUnder: 'v1.',
      createdAt: start,
      signsAt: start,
      retiredAt: null,
      tokenLifeSeconds: 7200,
    }))
    for (const key of keys)
      await repository().signingKeys.addFirst(accountId, key, someEvent(accountId))
    const stored = await repository().signingKeys.list(accountId)
    expect(stored.filter((key) => key.algorithm === 'ES256')).toEqual([keys[0]])
  })
}
