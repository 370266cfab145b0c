import type { Repository } from '@clientele/core'
import { expect, test } from 'vitest'
import { someEvent, someProof } from '../support/some-event.ts'
import {
  changesTo,
  newAccount,
  newSession,
  newTenant,
  newUser,
  nextId,
  start,
  type Tenant,
} from './world.ts'

export function describeUserContract(repository: () => Repository): void {
  const hasSession = async ({ accountId, user, session }: Tenant, now = start) => {
    const subject = { userId: user.id, sessionId: session.id }
    return (await repository().users.findSubject(accountId, now, subject))?.hasLiveSession
  }
  const versionOf = async (accountId: string, id: string) =>
    (await repository().users.find(accountId, id))?.version

  test('a user is found as it was created, to the order of its members', async () => {
    const accountId = await newAccount(repository())
    const user = newUser({
      name: 'Zoë 💥 "\\',
      roles: ['z', 'a', "o'r"],
      metadata: { z: null, a: [1, { b: 1.5e300 }], '10': '', '': 'é', $ref: false },
    })
    expect(await repository().users.create(accountId, user, someEvent(accountId))).toBe('created')
    const found = await repository().users.find(accountId, user.id)
    const { id, email, name, roles, metadata } = user
    const times = { createdAt: start, updatedAt: start }
    const expected = { id, email, name, roles, metadata, isActive: true, ...times }
    expect(found).toEqual({ user: expected, version: 1 })
    expect(JSON.stringify(found?.user)).toBe(JSON.stringify(expected))
    expect(await repository().users.findCredentials(accountId, email)).toEqual({
      user: expected,
      version: 1,
      passwordHash: 'hash-1',
      tokensNotBefore: start,
    })
    expect(await repository().users.findSubjectByEmail(accountId, email)).toEqual({
      user: expected,
      version: 1,
      hasLiveSession: true,
      hasSigningKey: true,
      tokensNotBefore: start,
      isAccountDisabled: false,
    })
    expect(
      await repository().users.findCredentials(accountId, 'nobody@example.com'),
    ).toBeUndefined()
  })

  test('a user may be created inactive and without a password', async () => {
    const accountId = await newAccount(repository())
    const user = newUser({ isActive: false, passwordHash: null, roles: [], metadata: {} })
    await repository().users.create(accountId, user, someEvent(accountId))
    const found = await repository().users.findCredentials(accountId, user.email)
    expect(found).toMatchObject({
      passwordHash: null,
      user: { isActive: false, roles: '[]', metadata: '{}' },
    })
  })

  test('an e-mail is unique in an account, which must exist', async () => {
    const { accountId, user } = await newTenant(repository())
    expect(
      await repository().users.create(
        accountId,
        newUser({ email: user.email }),
        someEvent(accountId),
      ),
    ).toBe('email_taken')
    expect((await repository().users.list(accountId, { page: 1, limit: 10 })).total).toBe(1)
    expect(await repository().users.create(nextId(), newUser(), someEvent(nextId()))).toBe(
      'account_not_found',
    )
  })

  test('replacing changes everything but the password, and keeps the sessions', async () => {
    const tenant = await newTenant(repository())
    const { accountId, user } = tenant
    const changes = {
      email: `new-${user.email}`,
      name: 'Grace',
      roles: JSON.stringify(['billing', 'new']),
      metadata: '{}',
      updatedAt: start + 7,
    }
    const outcome = await repository().users.replace(
      accountId,
      user.id,
      changes,
      1,
      someEvent(accountId),
    )
    const expected = { id: user.id, ...changes, isActive: true, createdAt: start }
    expect(outcome).toEqual({ user: expected, version: 2 })
    expect(await repository().users.find(accountId, user.id)).toEqual(outcome)
    expect(await hasSession(tenant)).toBe(true)
    expect(await repository().users.findCredentials(accountId, user.email)).toBeUndefined()
    const credentials = await repository().users.findCredentials(accountId, changes.email)
    expect(credentials?.passwordHash).toBe('hash-1')
    for (const [role, total] of [
      ['admin', 0],
      ['billing', 1],
      ['new', 1],
    ] as const) {
      const list = await repository().users.list(accountId, { page: 1, limit: 10, role })
      expect(list.total).toBe(total)
    }
  })

  test('a new password ends every session', async () => {
    const tenant = await newTenant(repository())
    const { accountId, user } = tenant
    const changes = changesTo(user, { passwordHash: 'hash-2', updatedAt: start + 9 })
    await repository().users.replace(accountId, user.id, changes, null, someEvent(accountId))
    expect(await hasSession(tenant)).toBe(false)
    const state = await repository().users.findSubjectByEmail(accountId, user.email)
    expect(state?.tokensNotBefore).toBe(start + 9)
    const session = newSession(user.id)
    expect(
      await repository().sessions.create(accountId, session, 'hash-1', someEvent(accountId)),
    ).toBe(false)
    expect(
      await repository().sessions.create(accountId, session, 'hash-2', someEvent(accountId)),
    ).toBe(true)
  })

  test('a sign-in that saw the user before its tokens were revoked opens no session', async () => {
    const tenant = await newTenant(repository())
    const { accountId, user } = tenant
    const token = { userId: user.id, purpose: 'email_verification', hash: nextId() } as const
    const expiresAt = start + 10
    const { email } = user
    await repository().emailTokens.create(accountId, { ...token, email, expiresAt })
    await repository().emailTokens.verifyEmail(
      accountId,
      token.hash,
      start + 9,
      someProof(accountId),
    )
    expect(await hasSession(tenant)).toBe(false)
    const open = (tokensNotBefore: number) =>
      repository().sessions.create(accountId, newSession(user.id), 'hash-1', someEvent(accountId), {
        tokensNotBefore,
      })
    expect(await open(start)).toBe(false)
    expect(await open(start + 9)).toBe(true)
  })

  test('a failed replacement returns the reason', async () => {
    const { accountId, user } = await newTenant(repository())
    const other = newUser()
    await repository().users.create(accountId, other, someEvent(accountId))
    const replace = (id: string, email: string, version: number | null) =>
      repository().users.replace(
        accountId,
        id,
        { ...changesTo(user), email },
        version,
        someEvent(accountId),
      )
    expect(await replace(nextId(), user.email, null)).toBe('user_not_found')
    expect(await replace(nextId(), user.email, 1)).toBe('user_not_found')
    expect(await replace(user.id, user.email, 2)).toBe('precondition_failed')
    expect(await replace(user.id, other.email, null)).toBe('email_taken')
    expect(await versionOf(accountId, user.id)).toBe(1)
    expect(await replace(user.id, user.email, 1)).toMatchObject({ version: 2 })
  })

  test('deactivating ends the sessions, and none opens until the user is active again', async () => {
    const tenant = await newTenant(repository())
    const { accountId, user } = tenant
    const off = await repository().users.setActive(
      accountId,
      user.id,
      false,
      start + 3,
      someEvent(accountId),
    )
    expect(off).toMatchObject({
      version: 2,
      user: { isActive: false, updatedAt: start + 3 },
    })
    expect(await hasSession(tenant)).toBe(false)
    const session = newSession(user.id)
    expect(
      await repository().sessions.create(accountId, session, 'hash-1', someEvent(accountId)),
    ).toBe(false)
    const on = await repository().users.setActive(
      accountId,
      user.id,
      true,
      start + 4,
      someEvent(accountId),
    )
    expect(on).toMatchObject({ version: 3, user: { isActive: true } })
    expect(await hasSession(tenant)).toBe(false)
    expect(
      await repository().sessions.create(accountId, session, 'hash-1', someEvent(accountId)),
    ).toBe(true)
    expect(
      await repository().users.setActive(accountId, nextId(), true, start, someEvent(accountId)),
    ).toBeUndefined()
  })

  test('deleting removes the user with its roles and sessions, and frees the e-mail', async () => {
    const tenant = await newTenant(repository())
    const { accountId, user, session } = tenant
    expect(await repository().users.delete(accountId, user.id, 2, () => someEvent(accountId))).toBe(
      'precondition_failed',
    )
    expect(
      await repository().users.delete(accountId, user.id, 1, () => someEvent(accountId)),
    ).toMatchObject({
      deleted: { user: { id: user.id } },
    })
    expect(
      await repository().users.delete(accountId, user.id, null, () => someEvent(accountId)),
    ).toBe('user_not_found')
    expect(await repository().users.find(accountId, user.id)).toBeUndefined()
    const again = newUser({ email: user.email, roles: [] })
    expect(await repository().users.create(accountId, again, someEvent(accountId))).toBe('created')
    const subject = { userId: again.id, sessionId: session.id }
    expect(await repository().users.findSubject(accountId, start, subject)).toMatchObject({
      hasLiveSession: false,
    })
    const page = { page: 1, limit: 10 }
    expect((await repository().users.list(accountId, page)).total).toBe(1)
    const admins = await repository().users.list(accountId, { ...page, role: 'admin' })
    expect(admins).toEqual({ users: [], total: 0, hasMore: false })
  })

  test('a session lives until it expires', async () => {
    const tenant = await newTenant(repository())
    expect(await hasSession(tenant, tenant.session.expiresAt - 1)).toBe(true)
    expect(await hasSession(tenant, tenant.session.expiresAt)).toBe(false)
  })

  test('a session needs the user with the password that was compared', async () => {
    const { accountId, user } = await newTenant(repository())
    const open = (userId: string, hash: string | null) =>
      repository().sessions.create(accountId, newSession(userId), hash, someEvent(accountId))
    expect(await open(nextId(), 'hash-1')).toBe(false)
    expect(await open(user.id, 'hash-2')).toBe(false)
    expect(await open(user.id, null)).toBe(false)
    const without = newUser({ passwordHash: null })
    await repository().users.create(accountId, without, someEvent(accountId))
    expect(await open(without.id, null)).toBe(true)
    expect(await open(without.id, 'hash-1')).toBe(false)
  })

  test('a password is rehashed only if it has not changed, and nothing else changes', async () => {
    const tenant = await newTenant(repository())
    const { accountId, user } = tenant
    await repository().users.rehashPassword(accountId, user.id, 'wrong', 'hash-3')
    expect((await repository().users.findCredentials(accountId, user.email))?.passwordHash).toBe(
      'hash-1',
    )
    await repository().users.rehashPassword(accountId, user.id, 'hash-1', 'hash-3')
    const found = await repository().users.findCredentials(accountId, user.email)
    expect(found).toMatchObject({ passwordHash: 'hash-3', version: 1 })
    expect(await hasSession(tenant)).toBe(true)
  })
}
