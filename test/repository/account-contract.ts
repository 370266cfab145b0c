import type { Repository } from '@clientele/core'
import { expect, test } from 'vitest'
import { newAccount, newKey, newTenant, newUser, nextId, start } from './world.ts'

export function describeAccountContract(repository: () => Repository): void {
  test('an account is found as it was created, and undefined when there is none', async () => {
    const id = nextId()
    const account = { name: 'Café "Ω" 💥', allowedRoles: ['b', 'a'] }
    await repository().createAccount(id, account, start)
    const expected = { id, ...account, created_at: new Date(start).toISOString() }
    expect(await repository().findAccount(id)).toEqual(expected)
    expect(await repository().findAccount(nextId())).toBeUndefined()
    expect(await repository().listAccounts()).toContainEqual(expected)
  })

  test('an account may have no roles at all, which is not the same as any', async () => {
    const none = nextId()
    await repository().createAccount(none, { name: 'None', allowedRoles: [] }, start)
    expect((await repository().findAccount(none))?.allowedRoles).toEqual([])
    const any = await newAccount(repository())
    expect((await repository().findAccount(any))?.allowedRoles).toBeNull()
  })

  test('a key is found by its hash with its account', async () => {
    const accountId = await newAccount(repository())
    const key = newKey({ expiresAt: start + 5 })
    expect(await repository().createApiKey(accountId, key)).toBe('created')
    const expected = {
      id: key.id,
      name: key.name,
      scopes: key.scopes,
      hint: key.hint,
      created_at: new Date(start).toISOString(),
      expires_at: new Date(start + 5).toISOString(),
      revoked_at: null,
      last_used_at: null,
    }
    // Expired ones too: whoever asks decides.
    expect(await repository().findApiKey(key.hash, start + 6)).toEqual({
      account: { id: accountId, allowedRoles: null },
      key: {
        id: key.id,
        scopes: key.scopes,
        expiresAt: start + 5,
        revokedAt: null,
        lastUsedAt: null,
      },
      subject: undefined,
    })
    expect(await repository().listApiKeys(accountId)).toEqual([expected])
    expect(await repository().findApiKey('unknown', start)).toBeUndefined()
  })

  test('a key needs an account', async () => {
    expect(await repository().createApiKey(nextId(), newKey())).toBe('account_not_found')
  })

  test('a key keeps the time of its first revocation', async () => {
    const { accountId, key } = await newTenant(repository())
    expect(await repository().revokeApiKey(accountId, key.id, start + 1)).toBe(true)
    expect(await repository().revokeApiKey(accountId, key.id, start + 2)).toBe(true)
    expect(await repository().revokeApiKey(accountId, nextId(), start)).toBe(false)
    const found = await repository().findApiKey(key.hash, start)
    expect(found?.key.revokedAt).toBe(start + 1)
  })

  test('the last use of a key is written at most once a minute', async () => {
    const { accountId, key } = await newTenant(repository())
    const lastUse = async (at: number) => {
      await repository().noteApiKeyUse(accountId, key.id, at)
      return (await repository().findApiKey(key.hash, start))?.key.lastUsedAt
    }
    expect(await lastUse(start)).toBe(start)
    expect(await lastUse(start + 59_999)).toBe(start)
    expect(await lastUse(start - 1)).toBe(start)
    expect(await lastUse(start + 60_000)).toBe(start + 60_000)
  })

  test("a key's look-up answers with the subject that was named", async () => {
    const { accountId, user, session, key } = await newTenant(repository())
    const find = async (userId: string, sessionId: string | null, now = start) =>
      (await repository().findApiKey(key.hash, now, { userId, sessionId }))?.subject
    const state = await find(user.id, session.id)
    expect(state).toEqual(
      await repository().findSubject(accountId, start, { userId: user.id, sessionId: session.id }),
    )
    expect(state).toMatchObject({ hasLiveSession: true, version: 1, user: { id: user.id } })
    expect(await find(user.id, null)).toMatchObject({ hasLiveSession: true })
    expect(await find(user.id, nextId())).toMatchObject({ hasLiveSession: false })
    expect(await find(user.id, session.id, session.expiresAt)).toMatchObject({
      hasLiveSession: false,
    })
    expect(await find(nextId(), session.id)).toBeUndefined()
    const other = newUser()
    await repository().createUser(accountId, other)
    expect(await find(other.id, session.id)).toMatchObject({ hasLiveSession: false })
  })
}
