import { expect } from 'vitest'
import { someProof } from '../../support/some-event.ts'
import { nextId, start } from '../world.ts'
import type { IsolationCases } from './case.ts'

function newCode(email: string) {
  const [hash, codeHash, tokenHash] = [nextId(), nextId(), nextId()]
  return { email, hash, codeHash, tokenHash, tries: 5, expiresAt: start + 1_000 }
}

export const signInCodesIsolation = {
  put: async (repository, mine, theirs) => {
    const [code, other] = [newCode(theirs.user.email), newCode(theirs.user.email)]
    await repository.signInCodes.put(theirs.accountId, code)
    await repository.signInCodes.put(mine.accountId, other)
    const found = await repository.signInCodes.find(theirs.accountId, code.hash, start)
    expect(found?.found).toEqual({ email: code.email })
  },
  assign: async (repository, mine, theirs) => {
    const code = newCode(theirs.user.email)
    await repository.signInCodes.put(theirs.accountId, code)
    const { assign } = repository.signInCodes
    expect(await assign(mine.accountId, code.hash, mine.user.email)).toBeUndefined()
    // Each account may have a user with the address.
    expect(await assign(theirs.accountId, code.hash, theirs.user.email)).toBe(theirs.user.id)
  },
  find: async (repository, mine, theirs) => {
    const code = newCode(theirs.user.email)
    await repository.signInCodes.put(theirs.accountId, code)
    const found = await repository.signInCodes.find(mine.accountId, code.hash, start)
    expect(found).toMatchObject({ found: undefined })
  },
  takeTry: async (repository, mine, theirs) => {
    const code = { ...newCode(theirs.user.email), tries: 1 }
    await repository.signInCodes.put(theirs.accountId, code)
    const take = (accountId: string) => repository.signInCodes.takeTry(accountId, code.hash, start)
    expect(await take(mine.accountId)).toBeUndefined()
    expect(await take(theirs.accountId)).toMatchObject({ email: code.email, userId: null })
  },
  use: async (repository, mine, theirs) => {
    const { accountId, user } = theirs
    const code = newCode(user.email)
    await repository.signInCodes.put(accountId, code)
    await repository.signInCodes.assign(accountId, code.hash, user.email)
    const use = (ofAccount: string, { id: userId, email }: { id: string; email: string }) =>
      repository.signInCodes.use(
        ofAccount,
        { hash: code.hash, userId, email },
        start,
        someProof(ofAccount),
      )
    expect(await use(mine.accountId, user)).toBeUndefined()
    expect(await use(mine.accountId, mine.user)).toBeUndefined()
    const left = await repository.signInCodes.takeTry(accountId, code.hash, start)
    expect(left).toMatchObject({ userId: user.id })
  },
} satisfies IsolationCases<'signInCodes'>
