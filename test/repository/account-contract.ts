import type { Repository } from '@clientele/core'
import { expect, test } from 'vitest'
import { someEvent } from '../support/some-event.ts'
import {
  accountValues,
  newAccount,
  newKey,
  newSession,
  newTenant,
  newUser,
  nextId,
  start,
} from './world.ts'

type Accounts = Repository['accounts']

const defaultPolicy = {
  signIn: ['password', 'passkey', 'id_token'],
  secondFactor: 'optional',
  passwordRequired: true,
  minPasswordLength: null,
  verifiedEmail: 'optional',
  rememberDeviceDays: 0,
  sessionTtlSeconds: null,
  sessionMaxSeconds: null,
}

export function describeAccountContract(repository: () => Repository): void {
  test('an account is found as it was created, and undefined when there is none', async () => {
    const earlier = nextId()
    const id = nextId()
    const account = {
      name: 'Café "Ω" 💥',
      slug: `s-${id}`,
      externalId: `Kunde ${id} 💥`,
      metadata: { plan: 'Ω', 'a key': '' },
      allowedRoles: ['b', 'a'],
    }
    await repository().accounts.create(id, account, start)
    const expected = {
      id,
      ...account,
      createdAt: new Date(start),
      disabledAt: null,
      passkeys: null,
      policy: defaultPolicy,
    }
    expect(await repository().accounts.find(id)).toEqual(expected)
    expect(await repository().accounts.findByName('slug', account.slug)).toEqual(expected)
    expect(await repository().accounts.findByName('externalId', account.externalId)).toEqual(
      expected,
    )
    expect(await repository().accounts.findByName('externalId', account.slug)).toBeUndefined()
    const { slug: _, externalId: __, metadata: ___, policy, ...settings } = expected
    expect(await repository().accounts.findSettings(id)).toEqual({
      ...settings,
      policy: { rules: policy, text: null },
    })
    expect(await repository().accounts.find(nextId())).toBeUndefined()
    expect(await repository().accounts.findSettings(nextId())).toBeUndefined()
    expect(await repository().accounts.list(earlier, 1)).toEqual([expected])
    const { metadata: _none, allowedRoles, passkeys, policy: _no, ...summary } = expected
    expect(await repository().accounts.listSummaries(earlier, 1)).toEqual([summary])
    expect(await repository().accounts.listSummaries(id, 1)).toEqual([])
  })

  test('an account may allow no roles at all, which differs from allowing any', async () => {
    const none = nextId()
    await repository().accounts.create(none, accountValues({ allowedRoles: [] }), start)
    expect((await repository().accounts.find(none))?.allowedRoles).toEqual([])
    const any = await newAccount(repository())
    expect((await repository().accounts.find(any))?.allowedRoles).toBeNull()
  })

  const update = (accountId: string, changes: Parameters<Accounts['update']>[1]) =>
    repository().accounts.update(accountId, changes, () => someEvent(accountId))
  const idOf = async (...name: Parameters<Accounts['findByName']>) =>
    (await repository().accounts.findByName(...name))?.id

  test('an account gets the given members, and keeps the others', async () => {
    const slug = `s-${nextId()}`
    const metadata = { plan: 'pro' }
    const accountId = await newAccount(repository(), { slug, metadata })
    const before = await repository().accounts.find(accountId)
    const account = { ...before, name: 'Globex', externalId: nextId() }
    const { name, externalId } = account
    expect(await update(accountId, { name, externalId, slug: undefined })).toEqual({
      account,
      event: expect.anything(),
    })
    expect(await repository().accounts.find(accountId)).toEqual(account)
    expect(await idOf('slug', slug)).toBe(accountId)
    expect(await idOf('externalId', externalId)).toBe(accountId)
    expect(await update(accountId, { name, metadata: { plan: 'pro' } })).toEqual({ account })
    expect(await update(accountId, {})).toEqual({ account })
    await update(accountId, { slug: null, metadata: {} })
    expect(await repository().accounts.find(accountId)).toEqual({
      ...account,
      slug: null,
      metadata: {},
    })
    expect(await idOf('slug', slug)).toBeUndefined()
    expect(await update(nextId(), { name, slug })).toBeUndefined()
    expect(await idOf('slug', slug)).toBeUndefined()
  })

  test('a policy gets the given members and keeps the others, and a session opens only while it is the same', async () => {
    const { accountId, user } = await newTenant(repository())
    const read = async () => (await repository().signIn.findByEmail(accountId, user.email))?.policy
    const open = (policy: string | null | undefined) => {
      const session = newSession(user.id, { id: nextId() })
      const event = someEvent<'user.logged_in'>(accountId)
      return repository().sessions.create(accountId, session, 'hash-1', event, { policy })
    }
    expect(await read()).toEqual({ rules: defaultPolicy, text: null })
    expect(await update(accountId, { policy: {} })).toMatchObject({ event: undefined })
    expect(await update(accountId, { policy: { passwordRequired: true } })).toMatchObject({
      event: undefined,
    })
    expect(await open(null)).toBe(true)
    const narrow = { signIn: ['passkey' as const], sessionTtlSeconds: 600 }
    await update(accountId, { policy: narrow })
    await update(accountId, { policy: { minPasswordLength: 12, signIn: undefined } })
    const policy = { ...defaultPolicy, ...narrow, minPasswordLength: 12 }
    expect(await repository().accounts.find(accountId)).toMatchObject({ policy })
    const stored = await read()
    expect(stored).toEqual({ rules: policy, text: expect.any(String) })
    expect(await open(null)).toBe(false)
    expect(await open(stored?.text)).toBe(true)
    await update(accountId, { name: 'Renamed' })
    expect(await open(stored?.text)).toBe(true)
    await update(accountId, { policy: { sessionTtlSeconds: null } })
    expect(await open(stored?.text)).toBe(false)
    const back = { signIn: defaultPolicy.signIn as ['password'], minPasswordLength: null }
    await update(accountId, { policy: back })
    expect(await read()).toEqual({ rules: defaultPolicy, text: null })
    expect(await open(null)).toBe(true)
  })

  test('a name that another account has is refused, and nothing is written', async () => {
    const earlier = nextId()
    const names = { slug: `s-${nextId()}`, externalId: nextId() }
    const holder = await newAccount(repository(), names)
    const create = (given: Parameters<typeof accountValues>[0]) =>
      repository().accounts.create(nextId(), accountValues(given), start)
    const before = await repository().accounts.list(earlier, 10)
    expect(await create(names)).toBe('slug_taken')
    expect(await create({ ...names, slug: `s-${nextId()}` })).toBe('external_id_taken')
    expect(before).toHaveLength(1)
    expect(await repository().accounts.list(earlier, 10)).toEqual(before)
    const own = { slug: `s-${nextId()}`, externalId: nextId() }
    const accountId = await newAccount(repository(), own)
    expect(await update(accountId, { name: 'New', slug: names.slug })).toBe('slug_taken')
    const half = { slug: `s-${nextId()}`, externalId: names.externalId }
    expect(await update(accountId, half)).toBe('external_id_taken')
    expect(await repository().accounts.find(accountId)).toMatchObject({ name: 'Acme', ...own })
    expect(await idOf('slug', own.slug)).toBe(accountId)
    expect(await idOf('slug', half.slug)).toBeUndefined()
    expect(await idOf('slug', names.slug)).toBe(holder)
  })

  test('a name is free again when its account gives it up, or is deleted', async () => {
    const names = { slug: `s-${nextId()}`, externalId: nextId() }
    const first = await newAccount(repository(), names)
    await update(first, { slug: `s-${nextId()}` })
    const second = await newAccount(repository(), { slug: names.slug })
    expect(await repository().accounts.delete(first)).toBe(true)
    await update(second, { externalId: names.externalId })
    expect(await idOf('externalId', names.externalId)).toBe(second)
    expect(await repository().accounts.delete(second)).toBe(true)
    expect(await idOf('slug', names.slug)).toBeUndefined()
    await newAccount(repository(), names)
  })

  test('the accounts of an e-mail are those in which its user can sign in', async () => {
    const email = `${nextId()}@example.com`
    const accountIds: string[] = []
    const users: string[] = []
    for (let count = 0; count < 5; count++) {
      const accountId = await newAccount(repository())
      const user = newUser({ email })
      await repository().users.create(accountId, user, someEvent(accountId))
      accountIds.push(accountId)
      users.push(user.id)
    }
    const list = async (limit: number) =>
      (await repository().accounts.listOfEmail(email, limit)).map(({ id }) => id)
    expect(await list(10)).toEqual(accountIds)
    expect(await list(2)).toEqual(accountIds.slice(0, 2))
    const [first = '', second = '', third = '', ...rest] = accountIds
    await repository().accounts.setDisabled(first, start, () => someEvent(first))
    await repository().users.setActive(second, users[1] ?? '', false, start, someEvent(second))
    await repository().users.delete(third, users[2] ?? '', null, () => someEvent(third))
    expect(await list(10)).toEqual(rest)
    expect(await repository().accounts.listOfEmail(`x${email}`, 10)).toEqual([])
    const [account] = await repository().accounts.listOfEmail(email, 1)
    expect(account).toEqual(await repository().accounts.find(rest[0] ?? ''))
  })

  test('disabling an account again keeps the first time, until it is enabled', async () => {
    const { accountId, user, session, key } = await newTenant(repository())
    const subject = { userId: user.id, sessionId: session.id }
    const read = async () => {
      const match = await repository().apiKeys.findByHash(key.hash, start, subject)
      return [
        match?.isAccountDisabled,
        match?.subject?.isAccountDisabled,
        (await repository().users.findSubject(accountId, start, subject))?.isAccountDisabled,
        (await repository().users.findSubjectByEmail(accountId, user.email))?.isAccountDisabled,
        (await repository().sessions.find(accountId, session.id))?.isAccountDisabled,
      ]
    }
    expect(await read()).toEqual([false, false, false, false, false])
    expect(
      await repository().accounts.setDisabled(accountId, start + 1, () => someEvent(accountId)),
    ).toBeDefined()
    expect(
      await repository().accounts.setDisabled(accountId, start + 2, () => someEvent(accountId)),
    ).toBeUndefined()
    const disabledAt = new Date(start + 1)
    expect(await repository().accounts.find(accountId)).toMatchObject({ disabledAt })
    expect(await read()).toEqual([true, true, true, true, true])
    const next = newSession(user.id)
    expect(
      await repository().sessions.create(accountId, next, 'hash-1', someEvent(accountId)),
    ).toBe(false)
    expect(
      await repository().accounts.setDisabled(accountId, null, () => someEvent(accountId)),
    ).toBeDefined()
    expect(
      await repository().accounts.setDisabled(accountId, null, () => someEvent(accountId)),
    ).toBeUndefined()
    expect(await read()).toEqual([false, false, false, false, false])
    expect(
      await repository().sessions.create(accountId, next, 'hash-1', someEvent(accountId)),
    ).toBe(true)
    expect(
      await repository().accounts.setDisabled(nextId(), start, () => someEvent(nextId())),
    ).toBeUndefined()
  })

  test('users are deleted a few at a time, with exact totals, and then the account', async () => {
    const accountId = await newAccount(repository())
    const users = Array.from({ length: 5 }, () => newUser())
    for (const user of users) await repository().users.create(accountId, user, someEvent(accountId))
    const total = async () =>
      (await repository().users.list(accountId, { page: 1, limit: 1 })).total
    expect(await repository().users.deleteFirst(accountId, 3)).toBe(3)
    expect(await total()).toBe(2)
    expect(await repository().users.find(accountId, users[3]?.id ?? '')).toBeDefined()
    expect(await repository().users.deleteFirst(accountId, 3)).toBe(2)
    expect(await total()).toBe(0)
    expect(await repository().accounts.delete(accountId)).toBe(true)
    expect(await repository().accounts.find(accountId)).toBeUndefined()
    expect(await repository().accounts.delete(accountId)).toBe(false)
  })

  test('a key is found by its hash with its account', async () => {
    const accountId = await newAccount(repository())
    const key = newKey({ expiresAt: start + 5 })
    expect(await repository().apiKeys.create(accountId, key, someEvent(accountId))).toBe('created')
    const expected = {
      id: key.id,
      name: key.name,
      scopes: key.scopes,
      prefix: key.prefix,
      createdAt: new Date(start),
      expiresAt: new Date(start + 5),
      revokedAt: null,
      lastUsedAt: null,
    }
    // Expired ones, too: the caller decides.
    expect(await repository().apiKeys.findByHash(key.hash, start + 6)).toEqual({
      accountId,
      rules: { allowedRoles: null, passwordRequired: true, minPasswordLength: null },
      isAccountDisabled: false,
      key: {
        id: key.id,
        scopes: key.scopes,
        expiresAt: start + 5,
        replacedAt: null,
        revokedAt: null,
        lastUsedAt: null,
      },
      subject: undefined,
    })
    expect(await repository().apiKeys.list(accountId)).toEqual([expected])
    expect(await repository().apiKeys.findByHash('unknown', start)).toBeUndefined()
  })

  test('a key needs an account', async () => {
    expect(await repository().apiKeys.create(nextId(), newKey(), someEvent(nextId()))).toBe(
      'account_not_found',
    )
  })

  test('a key keeps the time of its first revocation', async () => {
    const { accountId, key } = await newTenant(repository())
    const revoke = (keyId: string, at: number) =>
      repository().apiKeys.revoke(accountId, keyId, at, someEvent(accountId), () =>
        someEvent(accountId),
      )
    expect(await revoke(key.id, start + 1)).toEqual({ outcome: 'revoked', ended: [] })
    expect(await revoke(key.id, start + 2)).toEqual({ outcome: 'unchanged', ended: [] })
    expect(await revoke(nextId(), start)).toBe('api_key_not_found')
    const found = await repository().apiKeys.findByHash(key.hash, start)
    expect(found?.key.revokedAt).toBe(start + 1)
  })

  test('the last use of a key is written at most once a minute', async () => {
    const { accountId, key } = await newTenant(repository())
    const lastUse = async (at: number) => {
      await repository().apiKeys.noteUse(accountId, key.id, at)
      return (await repository().apiKeys.findByHash(key.hash, start))?.key.lastUsedAt
    }
    expect(await lastUse(start)).toBe(start)
    expect(await lastUse(start + 59_999)).toBe(start)
    expect(await lastUse(start - 1)).toBe(start)
    expect(await lastUse(start + 60_000)).toBe(start + 60_000)
  })

  test("a key's look-up answers with the subject that was named", async () => {
    const { accountId, user, session, key } = await newTenant(repository())
    const find = async (userId: string, sessionId: string | null, now = start) =>
      (await repository().apiKeys.findByHash(key.hash, now, { userId, sessionId }))?.subject
    const state = await find(user.id, session.id)
    expect(state).toEqual(
      await repository().users.findSubject(accountId, start, {
        userId: user.id,
        sessionId: session.id,
      }),
    )
    expect(state).toMatchObject({ hasLiveSession: true, version: 1, user: { id: user.id } })
    expect(await find(user.id, null)).toMatchObject({ hasLiveSession: true })
    expect(await find(user.id, nextId())).toMatchObject({ hasLiveSession: false })
    expect(await find(user.id, session.id, session.expiresAt)).toMatchObject({
      hasLiveSession: false,
    })
    expect(await find(nextId(), session.id)).toBeUndefined()
    const other = newUser()
    await repository().users.create(accountId, other, someEvent(accountId))
    expect(await find(other.id, session.id)).toMatchObject({ hasLiveSession: false })
  })
}
