import { randomUUID } from 'node:crypto'
import type { Clientele, ClienteleOptions } from '@clientele/core'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { codeOf, openClientele } from '../keys/open-clientele.ts'
import { eitherDatabase, type OpenDatabase } from '../support/databases.ts'
import { logIn } from '../support/log-in.ts'
import { SignInWorld } from '../support/sign-in-world.ts'

const databases = eitherDatabase(import.meta.filename)

const hour = 3_600_000
const newAddress = () => `${randomUUID()}@new.example`

describe.each(databases)('a changed address, on $name', ({ open }) => {
  let database: OpenDatabase
  const world = new SignInWorld(() => database.url)
  beforeAll(async () => {
    database = await open()
  })
  afterAll(() => database.close())

  /** A user whose address is verified, and the tokens of a change that the user has asked for. */
  async function start(options: Partial<ClienteleOptions> = {}, isVerified = true) {
    const { clientele, mails, mailed } = await world.start(options)
    const added = await world.addUser(clientele)
    const { accountId, user } = added
    if (isVerified) await world.proveAddress(accountId, user.email)
    let asked = 0
    const request = async (email = newAddress()) => {
      await clientele.users.requestEmailChange(accountId, user.id, { email })
      const [token, undoToken] = await Promise.all([
        mailed('email_change', asked),
        mailed('email_change_notice', asked),
      ])
      asked++
      return { email, token, undoToken }
    }
    const change = await request()
    const confirm = (token: string) =>
      codeOf(clientele.auth.confirmEmailChange(accountId, { token }))
    const undo = (token: string) => codeOf(clientele.auth.undoEmailChange(accountId, { token }))
    const emailNow = async () => (await clientele.users.find(accountId, user.id)).user.email
    return { ...added, clientele, mails, request, ...change, confirm, undo, emailNow }
  }

  const eventsOf = async (clientele: Clientele, accountId: string, userId: string) => {
    const { data } = await clientele.events.read(accountId, { userId })
    const start = data.findIndex(({ type }) => type === 'user.email_change_requested')
    return data.slice(start).map(({ type, actor }) => `${type} by ${actor.type}`)
  }

  test('is confirmed by the new one, and verified: sessions and factors stay', async () => {
    const { clientele, accountId, user, credentials, mails, ...change } = await start()
    const { email, token, undoToken, confirm, emailNow } = change
    expect(
      mails.map(({ kind, to, user: about, expiresInSeconds }) => [
        ...[kind, to, about.email, expiresInSeconds],
      ]),
    ).toEqual([
      ['email_change_notice', user.email, user.email, 72 * 3600],
      ['email_change', email, user.email, 24 * 3600],
    ])
    const signedIn = await logIn(clientele, accountId, credentials)
    const own = await clientele.userTokens.create(accountId, user.id, { name: 'Script' })
    expect(await emailNow()).toBe(user.email)
    for (const wrong of [undoToken, 'x', `${token}x`])
      expect(await confirm(wrong)).toBe('email_change_invalid')
    expect(await confirm(token)).toBeUndefined()
    expect(await confirm(token)).toBe('email_change_invalid')
    expect(await emailNow()).toBe(email)
    const verifiedAt = await clientele.users.getEmailVerifiedAt(accountId, user.id)
    expect(verifiedAt).toEqual(new Date(world.now))
    const { refreshToken } = signedIn
    await clientele.auth.refresh(accountId, { refreshToken })
    await clientele.auth.validateToken(accountId, own.token)
    const { data } = await clientele.events.read(accountId, { types: ['user.updated'] })
    expect(data).toMatchObject([{ actor: { id: user.id }, data: { changed: ['email'] } }])
    expect(await codeOf(logIn(clientele, accountId, credentials))).toBe('credentials_invalid')
    await logIn(clientele, accountId, { ...credentials, email })
  })

  test('proves an address of the user for the first time: what a stranger enrolled ends', async () => {
    const { clientele, accountId, user, token, confirm, credentials, email } = await start(
      {},
      false,
    )
    const { refreshToken } = await logIn(clientele, accountId, credentials)
    await clientele.mfa.enrolEmail(accountId, user.id)
    const own = await clientele.userTokens.create(accountId, user.id, { name: 'Script' })
    expect(await confirm(token)).toBeUndefined()
    const ended = [
      clientele.auth.refresh(accountId, { refreshToken }),
      clientele.auth.validateToken(accountId, own.token),
    ]
    expect(await Promise.all(ended.map(codeOf))).toEqual([
      'refresh_token_invalid',
      'token_unknown_key',
    ])
    world.now += 1_000
    await logIn(clientele, accountId, { ...credentials, email })
    expect(await eventsOf(clientele, accountId, user.id)).toEqual([
      'user.email_change_requested by operator',
      'user.logged_in by user',
      'two_factor.enrolled by operator',
      'user_token.created by operator',
      'user.updated by user',
      'two_factor.removed by user',
      'user_token.revoked by user',
      'user.email_verified by user',
      'user.logged_in by user',
    ])
  })

  test('is taken back by the former one: only an expired password is left', async () => {
    const { clientele, accountId, user, credentials, ...change } = await start()
    const { email, token, undoToken, confirm, undo, emailNow, request } = change
    expect(await confirm(token)).toBeUndefined()
    // The thief settles in, and moves on.
    const thief = { ...credentials, email }
    const { refreshToken } = await logIn(clientele, accountId, thief)
    const own = await clientele.userTokens.create(accountId, user.id, { name: 'Script' })
    const further = await request()
    expect(await confirm(further.token)).toBeUndefined()
    const open = await request()
    await clientele.mfa.enrolEmail(accountId, user.id)
    world.now += 1_000
    expect(await undo(undoToken)).toBeUndefined()
    expect(await emailNow()).toBe(user.email)
    const ended = [
      clientele.auth.refresh(accountId, { refreshToken }),
      clientele.auth.validateToken(accountId, own.token),
    ]
    expect(await Promise.all(ended.map(codeOf))).toEqual([
      'refresh_token_invalid',
      'token_unknown_key',
    ])
    for (const { undoToken: later } of [{ undoToken }, further, open])
      expect(await undo(later)).toBe('email_change_invalid')
    expect(await confirm(open.token)).toBe('email_change_invalid')
    expect(await clientele.auth.logIn(accountId, credentials)).toMatchObject({
      passwordChangeRequired: true,
    })
    expect(await clientele.users.getEmailVerifiedAt(accountId, user.id)).toEqual(
      new Date(world.now),
    )
    expect((await eventsOf(clientele, accountId, user.id)).slice(-6)).toEqual([
      'two_factor.enrolled by operator',
      'user.updated by user',
      'two_factor.removed by user',
      'user_token.revoked by user',
      'user.password_expired by user',
      'user.email_verified by user',
    ])
    const { data } = await clientele.revocations.read(accountId)
    expect(data).toContainEqual({
      ...{ type: 'user', userId: user.id, notBefore: new Date(world.now) },
    })
  })

  test('each address takes back only what came after it', async () => {
    const { user, email, token, undoToken, confirm, undo, emailNow, request } = await start()
    await confirm(token)
    const second = await request()
    await confirm(second.token)
    expect(await undo(second.undoToken)).toBeUndefined()
    expect(await emailNow()).toBe(email)
    expect(await undo(undoToken)).toBeUndefined()
    expect(await emailNow()).toBe(user.email)
  })

  test('is taken back also if the user has the former one again: those in between take nothing back', async () => {
    const { clientele, accountId, user, credentials, ...change } = await start()
    const { token, undoToken, confirm, undo, emailNow, request } = change
    await confirm(token)
    const second = await request()
    await confirm(second.token)
    const { refreshToken } = await logIn(clientele, accountId, {
      ...credentials,
      email: second.email,
    })
    const back = await request(user.email)
    await confirm(back.token)
    await clientele.auth.refresh(accountId, { refreshToken })
    for (const later of [back, second])
      expect(await undo(later.undoToken)).toBe('email_change_invalid')
    const settled = await clientele.userTokens.create(accountId, user.id, { name: 'Script' })
    world.now += 1_000
    expect(await undo(undoToken)).toBeUndefined()
    expect(await emailNow()).toBe(user.email)
    expect(await codeOf(clientele.auth.validateToken(accountId, settled.token))).toBe(
      'token_unknown_key',
    )
    expect(await clientele.auth.logIn(accountId, credentials)).toMatchObject({
      passwordChangeRequired: true,
    })
    expect((await eventsOf(clientele, accountId, user.id)).slice(-4)).toEqual([
      'user.updated by user',
      'user_token.revoked by user',
      'user.password_expired by user',
      'user.email_verified by user',
    ])
    expect(await undo(undoToken)).toBe('email_change_invalid')
  })

  test('a way back that has ended leaves that of a later one', async () => {
    const { user, email, token, undoToken, confirm, undo, emailNow, request } = await start()
    await confirm(token)
    world.now += 73 * hour
    const back = await request(user.email)
    await confirm(back.token)
    expect(await undo(undoToken)).toBe('email_change_invalid')
    expect(await undo(back.undoToken)).toBeUndefined()
    expect(await emailNow()).toBe(email)
  })

  test('is cancelled before it is confirmed, and nothing else changes', async () => {
    const { clientele, accountId, user, credentials, ...change } = await start()
    const { token, undoToken, confirm, undo, emailNow } = change
    const { refreshToken } = await logIn(clientele, accountId, credentials)
    expect(await undo(undoToken)).toBeUndefined()
    expect([await undo(undoToken), await confirm(token)]).toEqual(
      Array(2).fill('email_change_invalid'),
    )
    expect(await emailNow()).toBe(user.email)
    await clientele.auth.refresh(accountId, { refreshToken })
    expect(await eventsOf(clientele, accountId, user.id)).toEqual([
      'user.email_change_requested by operator',
      'user.logged_in by user',
      'user.email_change_cancelled by user',
    ])
  })

  test('is cancelled once, by one of two processes', async () => {
    const { clientele, accountId, user, undoToken } = await start()
    const { clientele: other } = await world.start()
    const cancel = (index: number) =>
      codeOf((index % 2 ? clientele : other).auth.undoEmailChange(accountId, { token: undoToken }))
    const codes = await Promise.all(Array.from({ length: 16 }, (_, index) => cancel(index)))
    expect(codes.filter((code) => code === undefined)).toHaveLength(1)
    expect((await eventsOf(clientele, accountId, user.id)).slice(1)).toEqual([
      'user.email_change_cancelled by user',
    ])
  })

  test('ends with a later request, another address, a password and a deactivation', async () => {
    const { clientele, accountId, user, request, ...first } = await start()
    const { confirm, undo } = first
    const { users } = clientele
    const second = await request()
    expect([await confirm(first.token), await undo(first.undoToken)]).toEqual(
      Array(2).fill('email_change_invalid'),
    )
    await users.patch(accountId, user.id, { email: newAddress() })
    await users.patch(accountId, user.id, { email: user.email })
    expect([await confirm(second.token), await undo(second.undoToken)]).toEqual(
      Array(2).fill('email_change_invalid'),
    )
    const third = await request()
    await users.patch(accountId, user.id, { password: 'another password' })
    expect(await confirm(third.token)).toBe('email_change_invalid')
    const fourth = await request()
    await users.deactivate(accountId, user.id)
    await users.activate(accountId, user.id)
    expect(await confirm(fourth.token)).toBe('email_change_invalid')
    // A thief's password does not keep the owner from taking the address back.
    const fifth = await request()
    expect(await confirm(fifth.token)).toBeUndefined()
    await users.patch(accountId, user.id, { password: 'the thief’s password' })
    expect(await undo(fifth.undoToken)).toBeUndefined()
  })

  test('the word of the backend is the last: PUT and PATCH end what could be taken back', async () => {
    const { clientele, accountId, user, token, undoToken, confirm, undo } = await start()
    await confirm(token)
    await clientele.users.patch(accountId, user.id, { email: newAddress() })
    expect(await undo(undoToken)).toBe('email_change_invalid')
  })

  test('lasts a day, and can be taken back for three', async () => {
    const { token, undoToken, confirm, undo, request, emailNow, user } = await start()
    world.now += 24 * hour
    expect(await confirm(token)).toBe('email_change_invalid')
    const second = await request()
    expect(await undo(undoToken)).toBe('email_change_invalid')
    world.now += 24 * hour - 1
    expect(await confirm(second.token)).toBeUndefined()
    world.now += 48 * hour
    const late = await undo(second.undoToken)
    world.now += 1
    expect([late, await undo(second.undoToken)]).toEqual([undefined, 'email_change_invalid'])
    expect(await emailNow()).toBe(user.email)
    const third = await request()
    await confirm(third.token)
    world.now += 72 * hour
    expect(await undo(third.undoToken)).toBe('email_change_invalid')
    // A clock that was ahead when it was asked for
    const fourth = await request()
    world.now -= 30 * hour
    expect([await confirm(fourth.token), await undo(fourth.undoToken)]).toEqual(
      Array(2).fill('email_change_invalid'),
    )
  })

  test('an address that another user has is refused at the confirmation, not before', async () => {
    const { clientele, accountId, user, request, confirm, undo, emailNow } = await start()
    const other = await world.addUser(clientele, { accountId })
    const taken = await request(other.user.email)
    expect(await confirm(taken.token)).toBe('email_taken')
    expect(await emailNow()).toBe(user.email)
    await clientele.users.delete(accountId, other.user.id)
    // The token is not used up.
    expect(await confirm(taken.token)).toBeUndefined()
    await world.addUser(clientele, { accountId, email: user.email })
    expect(await undo(taken.undoToken)).toBe('email_taken')
    expect(await emailNow()).toBe(other.user.email)
  })

  test('of many at once, one confirms; against the undo, either is whole', async () => {
    const { clientele, accountId, user, ...change } = await start()
    const { token, undoToken, email, request, undo, emailNow } = change
    const other = (await world.start()).clientele
    const confirmAt = (index: number, given: string) =>
      codeOf((index % 2 ? clientele : other).auth.confirmEmailChange(accountId, { token: given }))
    const codes = await Promise.all(Array.from({ length: 8 }, (_, i) => confirmAt(i, token)))
    expect(codes.filter((code) => code === undefined)).toHaveLength(1)
    expect(new Set(codes)).toEqual(new Set([undefined, 'email_change_invalid']))
    expect(await undo(undoToken)).toBeUndefined()
    expect(await emailNow()).not.toBe(email)
    for (let round = 0; round < 4; round++) {
      const raced = await request()
      const [confirmed, undone] = await Promise.all([
        confirmAt(round, raced.token),
        undo(raced.undoToken),
      ])
      // Cancelled before it was confirmed, or taken back after it: the user keeps the address.
      expect([undefined, 'email_change_invalid']).toContain(confirmed)
      expect(undone).toBeUndefined()
      expect(await emailNow()).toBe(user.email)
      expect(await confirmAt(round, raced.token)).toBe('email_change_invalid')
      world.now += hour
    }
  })

  test('against a deletion or an erasure: the user is gone, and the address is free', async () => {
    for (const end of ['delete', 'erase'] as const) {
      const { clientele, accountId, user, email, token, undoToken, confirm, undo } = await start()
      await Promise.all([confirm(token), clientele.users[end](accountId, user.id)])
      expect([await confirm(token), await undo(undoToken)]).toEqual(
        Array(2).fill('email_change_invalid'),
      )
      expect(await codeOf(clientele.users.find(accountId, user.id))).toBe('user_not_found')
      await world.addUser(clientele, { accountId, email })
    }
  })

  test('two users who want one address: one gets it', async () => {
    const { clientele, accountId, email, token, confirm } = await start()
    const other = await world.addUser(clientele, { accountId })
    const second = await world.start()
    await second.clientele.users.requestEmailChange(accountId, other.user.id, { email })
    const theirs = await second.mailed('email_change')
    const codes = await Promise.all([confirm(token), confirm(theirs)])
    expect(codes.toSorted()).toEqual(['email_taken', undefined])
  })

  test('hooks are asked before it is confirmed or taken back, and may refuse', async () => {
    const asked: unknown[] = []
    let refuses = true
    const { confirm, undo, token, undoToken, email, user, emailNow } = await start({
      hooks: {
        beforeUpdate: (after, { before, changed, actor }) => {
          asked.push([before.email, after.email, changed, actor.type])
          if (refuses) throw new Error('The hook is out of order.')
        },
      },
    })
    expect(await confirm(token)).toBe('hook_unavailable')
    refuses = false
    expect(await confirm(token)).toBeUndefined()
    refuses = true
    expect(await undo(undoToken)).toBe('hook_unavailable')
    expect(await emailNow()).toBe(email)
    refuses = false
    expect(await undo(undoToken)).toBeUndefined()
    const there = [user.email, email, ['email'], 'user']
    const back = [email, user.email, ['email'], 'user']
    expect(asked).toEqual([there, there, back, back])
  })

  test('a change of a name at the same time is kept', async () => {
    const { clientele, accountId, user, token, confirm, email } = await start()
    await Promise.all([
      confirm(token),
      clientele.users.patch(accountId, user.id, { name: 'Ada King' }),
    ])
    const found = await clientele.users.find(accountId, user.id)
    expect(found.user).toMatchObject({ email, name: 'Ada King' })
  })

  test('is refused for nobody, the inactive, the same address, and without mail', async () => {
    const { clientele, accountId, user } = await start()
    const ask = (userId: string, email: string, asked = clientele) =>
      codeOf(asked.users.requestEmailChange(accountId, userId, { email }))
    expect(await ask(randomUUID(), newAddress())).toBe('user_not_found')
    expect(await ask(user.id, ` ${user.email.toUpperCase()}`)).toBe('validation_failed')
    const silent = await openClientele(database.url)
    onTestFinished(() => silent.close())
    expect(await ask(user.id, newAddress(), silent)).toBe('mail_unavailable')
    await clientele.users.deactivate(accountId, user.id)
    expect(await ask(user.id, newAddress())).toBe('user_inactive')
    for (let more = 0; more < 2; more++) await ask(user.id, newAddress())
    expect(await ask(user.id, newAddress())).toBe('rate_limited')
  })

  test('an export has its addresses, and an erasure removes them', async () => {
    const { clientele, accountId, user, email } = await start()
    const { emailTokens } = await clientele.users.exportData(accountId, user.id)
    expect(emailTokens.map((token) => [token.purpose, token.email])).toEqual([
      ['email_change', email],
      ['email_change_notice', user.email],
    ])
    const { removed } = await clientele.users.erase(accountId, user.id)
    expect(removed).toMatchObject({ clientele_email_changes: 1, clientele_email_tokens: 1 })
  })
})
