import { randomUUID } from 'node:crypto'
import type { Mail } from '@clientele/core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { toRecords } from '../import/import-world.ts'
import { codeOf, LogRecorder, send } from '../keys/open-clientele.ts'
import { eitherDatabase, type OpenDatabase } from '../support/databases.ts'
import { logIn } from '../support/log-in.ts'
import { SignInWorld } from '../support/sign-in-world.ts'

const databases = eitherDatabase(import.meta.filename)

describe.each(databases)('e-mail tokens on $name', ({ open }) => {
  let database: OpenDatabase
  const world = new SignInWorld(() => database.url)

  beforeAll(async () => {
    database = await open()
  })
  afterAll(() => database.close())

  test('a reset sets the password once and ends sessions and other tokens', async () => {
    const { clientele, mails, mailed } = await world.start()
    const { accountId, user, credentials, signedIn } = await world.signIn(clientele)
    await clientele.auth.forgotPassword(accountId, { email: ` ${user.email.toUpperCase()}` })
    await clientele.auth.forgotPassword(accountId, { email: user.email })
    const [token, other] = [await mailed('password_reset'), await mailed('password_reset', 1)]
    expect(mails[0]).toMatchObject({ kind: 'password_reset', accountId, expiresInSeconds: 3600 })
    const resets = await Promise.all(
      Array.from({ length: 16 }, () =>
        codeOf(clientele.auth.resetPassword(accountId, { token, password: 'a new one' })),
      ),
    )
    expect(resets.filter((code) => code === undefined)).toHaveLength(1)
    expect(new Set(resets)).toEqual(new Set([undefined, 'reset_token_invalid']))
    expect(
      await codeOf(clientele.auth.resetPassword(accountId, { token: other, password: 'a third' })),
    ).toBe('reset_token_invalid')
    expect(await codeOf(clientele.auth.validateToken(accountId, signedIn.token))).toBe(
      'token_revoked',
    )
    expect(await codeOf(logIn(clientele, accountId, credentials))).toBe('credentials_invalid')
    await logIn(clientele, accountId, { ...credentials, password: 'a new one' })
  })

  test('a reset admits a user whom attackers have locked out', async () => {
    const { clientele, mailed } = await world.start({
      rateLimits: { login: { points: 2, windowSeconds: 900 } },
    })
    const { accountId, user, credentials } = await world.addUser(clientele)
    const wrong = { ...credentials, password: 'wrong' }
    for (let attempt = 0; attempt < 2; attempt++) await codeOf(logIn(clientele, accountId, wrong))
    expect(await codeOf(logIn(clientele, accountId, credentials))).toBe('rate_limited')
    await clientele.auth.forgotPassword(accountId, { email: user.email })
    const token = await mailed('password_reset')
    await clientele.auth.resetPassword(accountId, { token, password: 'a new one' })
    await logIn(clientele, accountId, { ...credentials, password: 'a new one' })
  })

  test('a token expires, and is invalid in another account or for another purpose', async () => {
    const { clientele, mailed } = await world.start()
    const { accountId, user } = await world.addUser(clientele)
    const other = await world.addUser(clientele)
    await clientele.auth.forgotPassword(accountId, { email: user.email })
    const token = await mailed('password_reset')
    const reset = (id: string) =>
      codeOf(clientele.auth.resetPassword(id, { token, password: 'a new one' }))
    expect(await reset(other.accountId)).toBe('reset_token_invalid')
    expect(await codeOf(clientele.auth.verifyEmail(accountId, { token }))).toBe(
      'verification_token_invalid',
    )
    world.now += 3_600_000
    expect(await reset(accountId)).toBe('reset_token_invalid')
  })

  test('the password of a reset obeys the policy, and a refused one leaves the token', async () => {
    const passwords = { isBreached: async (text: string) => text === 'breached' }
    const { clientele, mailed } = await world.start({
      passwords: { ...passwords, hashing: { memoryKiB: 8 } },
    })
    const { accountId, user } = await world.addUser(clientele)
    await clientele.auth.forgotPassword(accountId, { email: user.email })
    const token = await mailed('password_reset')
    for (const password of ['short', 'breached']) {
      expect(await codeOf(clientele.auth.resetPassword(accountId, { token, password }))).toBe(
        'validation_failed',
      )
    }
    await clientele.auth.resetPassword(accountId, { token, password: 'a new one' })
  })

  test('a token verifies its address once, and no other address', async () => {
    const { clientele, mailed } = await world.start()
    const { accountId, user } = await world.addUser(clientele)
    const { apiKey: key } = await clientele.apiKeys.create(accountId)
    const read = () => send(clientele, 'GET', `/client/user/${user.id}/email/verification`, { key })
    const verified: string[] = []
    clientele.events.on('user.email_verified', (event) => verified.push(event.user.id))
    await clientele.auth.requestEmailVerification(accountId, { email: user.email })
    await clientele.auth.requestEmailVerification(accountId, { email: user.email })
    const [token, later] = [
      await mailed('email_verification'),
      await mailed('email_verification', 1),
    ]
    expect(await clientele.users.getEmailVerifiedAt(accountId, user.id)).toBeNull()
    await clientele.auth.verifyEmail(accountId, { token })
    expect(await clientele.users.getEmailVerifiedAt(accountId, user.id)).toEqual(
      new Date(world.now),
    )
    expect(await read()).toEqual({
      status: 200,
      body: { email_verified_at: new Date(world.now).toISOString() },
    })
    expect(verified).toEqual([user.id])
    expect(await codeOf(clientele.auth.verifyEmail(accountId, { token }))).toBe(
      'verification_token_invalid',
    )
    await clientele.users.patch(accountId, user.id, { email: `${randomUUID()}@example.com` })
    expect(await clientele.users.getEmailVerifiedAt(accountId, user.id)).toBeNull()
    expect((await read()).body).toEqual({ email_verified_at: null })
    expect(await codeOf(clientele.users.getEmailVerifiedAt(accountId, randomUUID()))).toBe(
      'user_not_found',
    )
    expect(await codeOf(clientele.auth.verifyEmail(accountId, { token: later }))).toBe(
      'verification_token_invalid',
    )
  })

  test('a reset by an e-mail token verifies the address, and reports it once', async () => {
    const { clientele, mailed } = await world.start()
    const { accountId, user } = await world.addUser(clientele)
    const verified: string[] = []
    clientele.events.on('user.email_verified', (event) => verified.push(event.user.id))
    const since = new Date(world.now)
    for (const index of [0, 1]) {
      await clientele.auth.forgotPassword(accountId, { email: user.email })
      const token = await mailed('password_reset', index)
      await clientele.auth.resetPassword(accountId, { token, password: 'a new one' })
      expect(await clientele.users.getEmailVerifiedAt(accountId, user.id)).toEqual(since)
      world.now += 1_000
    }
    expect(verified).toEqual([user.id])
    const { data } = await clientele.events.read(accountId, { types: ['user.email_verified'] })
    expect(data).toHaveLength(1)
  })

  test('an address that was given up and taken back is no longer verified', async () => {
    const { clientele, mailed } = await world.start()
    const { accountId, user } = await world.addUser(clientele)
    const { email, name } = user
    const other = `${randomUUID()}@example.com`
    const importEmail = (address: string) =>
      clientele.users.import(accountId, toRecords([{ id: user.id, name, email: address }]), {
        fromWire: true,
        onConflict: 'update',
      })
    const patchEmail = (address: string) =>
      clientele.users.patch(accountId, user.id, { email: address })
    for (const [index, change] of [patchEmail, importEmail].entries()) {
      await clientele.auth.requestEmailVerification(accountId, { email })
      const token = await mailed('email_verification', index)
      await clientele.auth.verifyEmail(accountId, { token })
      await change(email)
      expect(await clientele.users.getEmailVerifiedAt(accountId, user.id)).not.toBeNull()
      await change(other)
      await change(email)
      expect(await clientele.users.getEmailVerifiedAt(accountId, user.id)).toBeNull()
    }
  })

  test('neither the response nor an e-mail reveals that an address is unknown', async () => {
    const { clientele, mails } = await world.start()
    const { accountId, user } = await world.addUser(clientele)
    const { apiKey: key } = await clientele.apiKeys.create(accountId)
    await clientele.users.deactivate(accountId, user.id)
    for (const path of ['password/forgot', 'email/verification']) {
      const ask = (email: string) =>
        send(clientele, 'POST', `/client/user/auth/${path}`, { key, body: { email } })
      expect(await ask('nobody@example.com')).toEqual({ status: 202, body: {} })
      expect(await ask(user.email)).toEqual({ status: 202, body: {} })
    }
    await new Promise((resolve) => setTimeout(resolve, 100))
    expect(mails).toEqual([])
  })

  test('requests are limited, for known and unknown addresses alike', async () => {
    const { clientele } = await world.start({
      rateLimits: { reset: { points: 2, windowSeconds: 60 } },
    })
    const { accountId, user } = await world.addUser(clientele)
    for (const email of [user.email, `${randomUUID()}@example.com`]) {
      const ask = () => codeOf(clientele.auth.forgotPassword(accountId, { email }))
      expect([await ask(), await ask(), await ask()]).toEqual([
        undefined,
        undefined,
        'rate_limited',
      ])
    }
  })

  test('a failed e-mail is logged without its content', async () => {
    const logger = new LogRecorder()
    let token = ''
    const sendMail = async (mail: Mail): Promise<void> => {
      if ('token' in mail) token = mail.token
      throw new Error('The mail server is away.')
    }
    const { clientele } = await world.start({ logger, sendMail })
    const { accountId, user } = await world.addUser(clientele)
    await clientele.auth.forgotPassword(accountId, { email: user.email })
    await expect.poll(() => logger.lines.filter(({ level }) => level === 'error')).toHaveLength(1)
    expect(token).not.toBe('')
    expect(JSON.stringify(logger.lines)).not.toContain(token)
  })
})
