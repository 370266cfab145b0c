import { createHmac, randomUUID } from 'node:crypto'
import type { Clientele, ClienteleOptions } from '@clientele/core'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { toRecords } from '../import/import-world.ts'
import { codeOf, LogRecorder, openClientele } from '../keys/open-clientele.ts'
import { eitherDatabase, type OpenDatabase } from '../support/databases.ts'
import { logIn } from '../support/log-in.ts'
import { SignInWorld } from '../support/sign-in-world.ts'

const databases = eitherDatabase(import.meta.filename)

const password = 'chosen by herself'
const weekMs = 7 * 24 * 3_600_000

describe.each(databases)('invitations on $name', ({ open }) => {
  let database: OpenDatabase
  const world = new SignInWorld(() => database.url)

  beforeAll(async () => {
    database = await open()
  })
  afterAll(() => database.close())

  /** An account with a user who was invited. */
  async function invite(options: Partial<ClienteleOptions> = {}) {
    const opened = await world.start(options)
    const { clientele, mailed } = opened
    const { id: accountId } = await clientele.accounts.create({ name: 'Acme' })
    const email = `${randomUUID()}@example.com`
    const { user } = await clientele.users.invite(accountId, { name: 'Ada', email })
    const token = await mailed('invitation')
    return { ...opened, accountId, user, email, token }
  }

  /** A process that cannot send mail. */
  async function openSilent(): Promise<Clientele> {
    const clientele = await openClientele(database.url)
    onTestFinished(() => clientele.close())
    return clientele
  }

  const accept = (clientele: Clientele, accountId: string, token: string, chosen = password) =>
    codeOf(clientele.auth.acceptInvitation(accountId, { token, password: chosen }))
  const again = (clientele: Clientele, accountId: string, userId: string) =>
    codeOf(clientele.users.sendInvitation(accountId, userId))

  test('a user is created with two events, and accepts with a password that only they know', async () => {
    const { clientele, mailed } = await world.start()
    const { id: accountId } = await clientele.accounts.create({ name: 'Acme' })
    const heard: string[] = []
    for (const name of ['user.created', 'user.invited', 'user.updated'] as const)
      clientele.events.on(name, (event) => heard.push(`${name} ${event.user.email}`))
    const email = `${randomUUID()}@example.com`
    const input = { name: 'Ada', email: ` ${email.toUpperCase()}`, roles: ['admin'] }
    const { user, version } = await clientele.users.invite(accountId, {
      ...input,
      metadata: { plan: 'pro' },
    })
    expect(user).toMatchObject({ email, roles: ['admin'], metadata: { plan: 'pro' } })
    expect([version, user.isActive]).toEqual([1, true])
    expect(await codeOf(logIn(clientele, accountId, { email, password }))).toBe(
      'credentials_invalid',
    )
    expect(await accept(clientele, accountId, await mailed('invitation'))).toBeUndefined()
    await logIn(clientele, accountId, { email, password })
    expect(await clientele.users.getEmailVerifiedAt(accountId, user.id)).toEqual(
      new Date(world.now),
    )
    expect(heard).toEqual(
      ['user.created', 'user.invited', 'user.updated'].map((n) => `${n} ${email}`),
    )
    const { data } = await clientele.events.read(accountId, { userId: user.id })
    expect(data.map(({ type, actor }) => `${type} by ${actor.type}`)).toEqual([
      'user.created by operator',
      'user.invited by operator',
      'user.login_failed by operator',
      'user.updated by user',
      'user.email_verified by user',
      'user.logged_in by user',
    ])
    expect(data[3]?.data).toMatchObject({ changed: ['password'] })
  })

  test('the mail has the language, in its canonical spelling, and the days', async () => {
    const { clientele, mails } = await world.start()
    const { id: accountId } = await clientele.accounts.create({ name: 'Acme' })
    const email = `${randomUUID()}@example.com`
    const { user } = await clientele.users.invite(accountId, {
      name: 'Ada',
      email,
      locale: 'PT-br',
    })
    await clientele.users.sendInvitation(accountId, user.id, { locale: 'de' })
    await clientele.users.sendInvitation(accountId, user.id)
    await expect.poll(() => mails.length).toBe(3)
    const common = { kind: 'invitation', accountId, expiresInSeconds: 7 * 24 * 3600 }
    expect(mails).toMatchObject([
      { ...common, user: { email }, locale: 'pt-BR' },
      { ...common, locale: 'de' },
      common,
    ])
    expect(mails[2]?.locale).toBeUndefined()
    expect(await codeOf(clientele.users.sendInvitation(accountId, user.id, { locale: '-' }))).toBe(
      'validation_failed',
    )
  })

  test('it is accepted once, by one of two processes', async () => {
    const { clientele, accountId, user, token, email } = await invite()
    const other = await world.start()
    const codes = await Promise.all(
      Array.from({ length: 16 }, (_, index) =>
        accept(index % 2 ? clientele : other.clientele, accountId, token, `password ${index}`),
      ),
    )
    expect(codes.filter((code) => code === undefined)).toHaveLength(1)
    expect(new Set(codes)).toEqual(new Set([undefined, 'invitation_invalid']))
    const winner = codes.indexOf(undefined)
    await logIn(clientele, accountId, { email, password: `password ${winner}` })
    const { data } = await clientele.events.read(accountId, { userId: user.id })
    expect(data.filter(({ type }) => type === 'user.updated')).toHaveLength(1)
  })

  test('it is accepted once without a password, too', async () => {
    const { clientele, accountId, user, token } = await invite()
    await clientele.accounts.setPolicy(accountId, { passwordRequired: false })
    const other = await world.start()
    const codes = await Promise.all(
      Array.from({ length: 16 }, (_, index) =>
        codeOf(
          (index % 2 ? clientele : other.clientele).auth.acceptInvitation(accountId, { token }),
        ),
      ),
    )
    expect(codes.filter((code) => code === undefined)).toHaveLength(1)
    const { data } = await clientele.events.read(accountId, { userId: user.id })
    expect(data.filter(({ type }) => type === 'user.email_verified')).toHaveLength(1)
  })

  test('it is no token of another kind, account or time', async () => {
    const { clientele, mailed, accountId, token, email } = await invite()
    const stranger = await world.addUser(clientele)
    expect(await accept(clientele, stranger.accountId, token)).toBe('invitation_invalid')
    expect(await codeOf(clientele.auth.resetPassword(accountId, { token, password }))).toBe(
      'reset_token_invalid',
    )
    expect(await codeOf(clientele.auth.verifyEmail(accountId, { token }))).toBe(
      'verification_token_invalid',
    )
    await clientele.auth.forgotPassword(accountId, { email })
    expect(await accept(clientele, accountId, await mailed('password_reset'))).toBe(
      'invitation_invalid',
    )
    world.now += weekMs
    expect(await accept(clientele, accountId, token)).toBe('invitation_invalid')
  })

  test('a refused password leaves the invitation', async () => {
    const passwords = { isBreached: async (text: string) => text === 'breached' }
    const { clientele, accountId, token } = await invite({
      passwords: { ...passwords, hashing: { memoryKiB: 8 } },
    })
    for (const chosen of ['short', 'breached'])
      expect(await accept(clientele, accountId, token, chosen)).toBe('validation_failed')
    expect(await codeOf(clientele.auth.acceptInvitation(accountId, { token }))).toBe(
      'validation_failed',
    )
    expect(await accept(clientele, accountId, token)).toBeUndefined()
  })

  test('the one before is void, also of invitations that are sent at once', async () => {
    const { clientele, mails, mailed, accountId, user, token } = await invite()
    expect(await again(clientele, accountId, user.id)).toBeUndefined()
    expect(await accept(clientele, accountId, token)).toBe('invitation_invalid')
    await mailed('invitation', 1)
    const other = await world.start()
    await Promise.all(
      [clientele, other.clientele, clientele].map((each) => again(each, accountId, user.id)),
    )
    await expect.poll(() => mails.length + other.mails.length).toBe(5)
    const sent = [...mails, ...other.mails].flatMap((mail) => ('token' in mail ? mail.token : []))
    const codes: (string | undefined)[] = []
    for (const each of sent) codes.push(await accept(clientele, accountId, each))
    expect(codes.filter((code) => code === undefined)).toHaveLength(1)
  })

  test('invitations to an address are limited, however they are asked for', async () => {
    const { clientele, accountId, user, email } = await invite()
    for (let count = 2; count <= 5; count++)
      expect(await again(clientele, accountId, user.id)).toBeUndefined()
    expect(await again(clientele, accountId, user.id)).toBe('rate_limited')
    await clientele.users.delete(accountId, user.id)
    const input = { name: 'Ada', email }
    expect(await codeOf(clientele.users.invite(accountId, input))).toBe('rate_limited')
    const { total } = await clientele.users.list(accountId)
    expect(total).toBe(0)
  })

  test('with a key a user is invited once, and the first answer comes again', async () => {
    const { clientele, mails } = await world.start()
    const { id: accountId } = await clientele.accounts.create({ name: 'Acme' })
    const call = { accountId, idempotencyKey: 'invite-1' }
    const input = { name: 'Ada', email: `${randomUUID()}@example.com` }
    const answers = await Promise.all(
      Array.from({ length: 3 }, () => clientele.users.invite(call, input)),
    )
    expect(new Set(answers.map(({ user }) => user.id)).size).toBe(1)
    expect(answers[1]).toEqual(answers[0])
    const other = clientele.users.invite(call, { ...input, locale: 'de' })
    expect(await codeOf(other)).toBe('idempotency_key_reused')
    const sibling = clientele.users.invite(accountId, input)
    expect(await codeOf(sibling)).toBe('email_taken')
    await clientele.users.invite(accountId, { name: 'Bob', email: `${randomUUID()}@example.com` })
    await expect.poll(() => mails.length).toBe(2)
    expect(mails.map((mail) => mail.user.name)).toEqual(['Ada', 'Bob'])
  })

  test('nothing is stored where no mail can be sent, or too many wait', async () => {
    const silent = await openSilent()
    const { id: accountId } = await silent.accounts.create({ name: 'Acme' })
    const input = { name: 'Ada', email: `${randomUUID()}@example.com` }
    expect(await codeOf(silent.users.invite(accountId, input))).toBe('mail_unavailable')
    const gate = Promise.withResolvers<void>()
    const full = await world.start({ sendMail: () => gate.promise })
    const codes: (string | undefined)[] = []
    while (codes.length < 1_020)
      codes.push(
        ...(await Promise.all(
          Array.from({ length: 20 }, () => {
            const email = `${randomUUID()}@example.com`
            return codeOf(full.clientele.users.invite(accountId, { name: 'Ada', email }))
          }),
        )),
      )
    const { total } = await full.clientele.users.list(accountId)
    gate.resolve()
    expect(codes.filter((code) => code !== undefined)).toEqual(Array(20).fill('overloaded'))
    expect(total).toBe(1_000)
  })

  test('it ends with a password set otherwise, with deactivation, deletion and erasure', async () => {
    const ends: [
      string,
      (clientele: Clientele, accountId: string, id: string) => Promise<unknown>,
    ][] = [
      [
        'patched',
        (each, account, id) => each.users.patch(account, id, { password: 'by operator' }),
      ],
      ['deactivated', (each, account, id) => each.users.deactivate(account, id)],
      ['deleted', (each, account, id) => each.users.delete(account, id)],
      ['erased', (each, account, id) => each.users.erase(account, id)],
      [
        'given another address',
        (each, account, id) =>
          each.users.patch(account, id, { email: `${randomUUID()}@example.com` }),
      ],
    ]
    for (const [name, end] of ends) {
      const { clientele, accountId, user, token } = await invite()
      await end(clientele, accountId, user.id)
      expect([name, await accept(clientele, accountId, token)]).toEqual([
        name,
        'invitation_invalid',
      ])
      const sent = await again(clientele, accountId, user.id)
      const code = {
        ...{ patched: 'invitation_accepted', deactivated: 'user_inactive' },
        ...{ deleted: 'user_not_found', erased: 'user_not_found' },
      }
      expect([name, sent]).toEqual([name, Object(code)[name]])
    }
  })

  test('a deactivated user who is activated again needs a new one', async () => {
    const { clientele, mailed, accountId, user, token } = await invite()
    await clientele.users.deactivate(accountId, user.id)
    await clientele.users.activate(accountId, user.id)
    expect(await accept(clientele, accountId, token)).toBe('invitation_invalid')
    await clientele.users.sendInvitation(accountId, user.id)
    expect(await accept(clientele, accountId, await mailed('invitation', 1))).toBeUndefined()
    expect(await again(clientele, accountId, user.id)).toBe('invitation_accepted')
  })

  test('after a change of the address only what went to the new one works', async () => {
    const { clientele, mails, mailed, accountId, user, token } = await invite()
    const email = `${randomUUID()}@example.com`
    await clientele.users.patch(accountId, user.id, { email })
    await clientele.users.sendInvitation(accountId, user.id)
    const latest = await mailed('invitation', 1)
    expect(mails[1]?.user.email).toBe(email)
    expect(await accept(clientele, accountId, token)).toBe('invitation_invalid')
    expect(await accept(clientele, accountId, latest)).toBeUndefined()
    await logIn(clientele, accountId, { email, password })
  })

  test('an address that was given up and taken back voids it', async () => {
    const { clientele, accountId, user, email, token } = await invite()
    const other = `${randomUUID()}@example.com`
    await clientele.users.patch(accountId, user.id, { email: other })
    await clientele.users.patch(accountId, user.id, { email })
    expect(await accept(clientele, accountId, token)).toBe('invitation_invalid')
  })

  test('acceptance is the first proof of the address: what others enrolled before ends', async () => {
    const { clientele, accountId, user, token } = await invite()
    const issuer = 'https://issuer.example.com'
    await clientele.identities.link(accountId, user.id, { issuer, subject: 'a stranger' })
    await world.enrolTotp(clientele, accountId, user.id)
    expect(await accept(clientele, accountId, token)).toBeUndefined()
    expect(await clientele.identities.list(accountId, user.id)).toEqual([])
    expect((await clientele.mfa.read(accountId, user.id)).totp).toBe(false)
  })

  test('a user who has a password or has signed in otherwise is not invited', async () => {
    const { clientele, mails, accountId, user } = await invite()
    const other = await world.addUser(clientele, { accountId })
    expect(await again(clientele, accountId, other.user.id)).toBe('invitation_accepted')
    const issuer = 'https://issuer.example.com'
    const sharedSecret = 'a secret that the account and its issuer share'
    const trusted = { issuer, audience: accountId, algorithms: ['HS256' as const], sharedSecret }
    await clientele.trustedIssuers.create(accountId, {
      ...{ ...trusted, signIn: true, nonce: 'optional' as const },
    })
    await clientele.identities.link(accountId, user.id, { issuer, subject: 'ada' })
    await clientele.auth.impersonate(accountId, user.id, { actor: 'Support', reason: 'A ticket' })
    // An identity that was never used is no sign-in, nor is that of somebody who acts as the user.
    expect(await again(clientele, accountId, user.id)).toBeUndefined()
    const seconds = Math.floor(world.now / 1000)
    const claims = { iss: issuer, aud: accountId, sub: 'ada', iat: seconds, exp: seconds + 3600 }
    const idToken = signHs256(claims, sharedSecret)
    const signedIn = await clientele.auth.logInWithIdToken(accountId, { idToken })
    expect(await again(clientele, accountId, user.id)).toBe('invitation_accepted')
    if (!('refreshToken' in signedIn)) throw new Error('A second factor was asked for.')
    await clientele.auth.logOut(accountId, { refreshToken: signedIn.refreshToken })
    expect(await again(clientele, accountId, user.id)).toBe('invitation_accepted')
    expect(mails.filter(({ kind }) => kind === 'invitation')).toHaveLength(2)
  })

  test('an import invites its new users who have no password, and names whom it could not', async () => {
    const { clientele, mails } = await world.start({
      sendMail: async (mail) => {
        if (mail.user.name === 'Unreachable') throw new Error('no such mailbox')
        mails.push(mail)
      },
    })
    const { id: accountId } = await clientele.accounts.create({ name: 'Acme' })
    const known = await world.addUser(clientele, { accountId })
    const rows = [
      { name: 'Ada' },
      { name: 'Has one', password: 'a password' },
      { name: 'Off', isActive: false },
      { name: 'Unreachable' },
      { name: 'Known', email: known.user.email },
      { name: 'Verified', emailVerified: true },
    ]
    const people = rows.map((row) => ({ email: `${randomUUID()}@example.com`, ...row }))
    const options = { invite: true, onConflict: 'skip', locale: 'FR' } as const
    const rehearsed = await clientele.users.import(accountId, toRecords(people), {
      ...{ ...options, dryRun: true },
    })
    expect(rehearsed).toMatchObject({ invited: 4 - 1, uninvited: [], withoutPassword: 4 })
    expect(mails).toEqual([])
    const result = await clientele.users.import(accountId, toRecords(people), options)
    expect(result).toMatchObject({ imported: 5, skipped: 1, withoutPassword: 4, invited: 2 })
    expect(result.uninvited.map(({ line, code }) => [line, code])).toEqual([
      [3, 'user_inactive'],
      [4, 'mail_failed'],
    ])
    expect(mails.map(({ user, locale }) => [user.name, locale]).toSorted()).toEqual([
      ['Ada', 'fr'],
      ['Verified', 'fr'],
    ])
    const token = mails.flatMap((mail) => ('token' in mail ? mail.token : []))[0] ?? ''
    expect(await accept(clientele, accountId, token)).toBeUndefined()
    const silent = await openSilent()
    expect(await codeOf(silent.users.import(accountId, [], { invite: true }))).toBe(
      'mail_unavailable',
    )
  })

  test('an import that changes the address ends what was mailed to the one before', async () => {
    const { clientele, accountId, user, email, token } = await invite()
    const change = async (next: string) => {
      const records = toRecords([{ id: user.id, name: 'Ada', email: next }])
      expect(
        await clientele.users.import(accountId, records, { onConflict: 'update' }),
      ).toMatchObject({ updated: 1 })
    }
    await change(`${randomUUID()}@example.com`)
    await change(email)
    expect(await accept(clientele, accountId, token)).toBe('invitation_invalid')
  })

  test('the export names it, and an erasure leaves nothing of it', async () => {
    const { clientele, accountId, user, email, token } = await invite()
    const { emailTokens } = await clientele.users.exportData(accountId, user.id)
    expect(emailTokens).toEqual([
      { purpose: 'invitation', email, expiresAt: new Date(world.now + weekMs) },
    ])
    const { removed } = await clientele.users.erase(accountId, user.id)
    expect(removed).toMatchObject({ clientele_email_tokens: 1, clientele_rate_limits: 1 })
    expect(await accept(clientele, accountId, token)).toBe('invitation_invalid')
    const input = { name: 'Ada', email }
    expect(await codeOf(clientele.users.invite(accountId, input))).toBeUndefined()
  })

  test('a password that is set meanwhile stays, and an address that is given meanwhile is unproved', async () => {
    const other = await world.start()
    for (let round = 0; round < 8; round++) {
      const { clientele, accountId, user, email, token } = await invite()
      const byOperator = 'chosen by the operator'
      await Promise.all([
        accept(clientele, accountId, token),
        other.clientele.users.patch(accountId, user.id, { password: byOperator }),
      ])
      await logIn(clientele, accountId, { email, password: byOperator })
    }
    const outcomes = new Set<string | undefined>()
    for (let round = 0; round < 8; round++) {
      const { clientele, accountId, user, token } = await invite()
      const next = `${randomUUID()}@example.com`
      const [code] = await Promise.all([
        accept(clientele, accountId, token),
        other.clientele.users.patch(accountId, user.id, { email: next }),
      ])
      outcomes.add(code)
      expect(await clientele.users.getEmailVerifiedAt(accountId, user.id)).toBeNull()
      const signedIn = await codeOf(logIn(clientele, accountId, { email: next, password }))
      expect([code, signedIn]).toEqual([code, code && 'credentials_invalid'])
    }
    expect([undefined, 'invitation_invalid']).toEqual(expect.arrayContaining([...outcomes]))
  })

  test('a login that was locked by guesses is open after acceptance', async () => {
    const rateLimits = { login: { points: 2, windowSeconds: 900 } }
    const { clientele, accountId, email, token } = await invite({ rateLimits })
    for (let attempt = 0; attempt < 2; attempt++)
      await codeOf(logIn(clientele, accountId, { email, password: 'a guess' }))
    expect(await codeOf(logIn(clientele, accountId, { email, password: 'a guess' }))).toBe(
      'rate_limited',
    )
    expect(await accept(clientele, accountId, token)).toBeUndefined()
    await logIn(clientele, accountId, { email, password })
  })

  test('a mail that fails is logged, and the user can be invited again', async () => {
    const log = new LogRecorder()
    const { clientele } = await world.start({
      sendMail: () => Promise.reject(new Error('the mail server is away')),
      logger: log,
    })
    const { id: accountId } = await clientele.accounts.create({ name: 'Acme' })
    const email = `${randomUUID()}@example.com`
    const { user } = await clientele.users.invite(accountId, { name: 'Ada', email })
    await expect.poll(() => log.lines.length).toBe(1)
    expect(log.lines[0]?.message).toBe('A mail could not be sent.')
    const { clientele: other, mailed } = await world.start()
    await other.users.sendInvitation(accountId, user.id)
    expect(await accept(other, accountId, await mailed('invitation'))).toBeUndefined()
  })
})

function signHs256(claims: object, secret: string): string {
  const encode = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url')
  const signed = `${encode({ alg: 'HS256' })}.${encode(claims)}`
  return `${signed}.${createHmac('sha256', secret).update(signed).digest('base64url')}`
}
