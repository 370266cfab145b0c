import type { ClienteleEvents } from '@clientele/core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { codeOf, send } from '../keys/open-clientele.ts'
import { byOperator } from '../support/by-operator.ts'
import { eitherDatabase, type OpenDatabase } from '../support/databases.ts'
import { logIn } from '../support/log-in.ts'
import { SignInWorld } from '../support/sign-in-world.ts'
import { toSignedIn } from '../support/to-signed-in.ts'

const databases = eitherDatabase(import.meta.filename)

describe.each(databases)('MFA factors on $name', ({ open }) => {
  let database: OpenDatabase
  const world = new SignInWorld(() => database.url)

  beforeAll(async () => {
    database = await open()
  })
  afterAll(() => database.close())

  test('wrong codes of sign-ins do not prevent that an app is confirmed', async () => {
    const { clientele } = await world.start()
    const { accountId, user, credentials } = await world.addUser(clientele)
    await clientele.mfa.enrolEmail(accountId, user.id)
    for (let tries = 0; tries < 10; tries++) {
      const challenge = await world.challengeOf(clientele, accountId, credentials)
      const wrong = { challenge, method: 'email', code: '000000' } as const
      await codeOf(clientele.auth.completeMfa(accountId, wrong))
    }
    const { secret } = await clientele.mfa.enrolTotp(accountId, user.id)
    const confirm = (code: string) =>
      codeOf(clientele.mfa.confirmTotp(accountId, user.id, { code }))
    for (let tries = 0; tries < 9; tries++)
      expect(await confirm('x')).toBe('two_factor_code_invalid')
    expect(await confirm(world.totpCode(secret))).toBeUndefined()
  })

  test.each([
    ['emoji', '😀'.repeat(60), `${'é'.repeat(60)}@${'é'.repeat(30)}.com`],
    ['letters', 'A'.repeat(100), `${'a'.repeat(60)}@${'b'.repeat(60)}.${'c'.repeat(60)}.com`],
    ['emoji after a letter', `x${'😀'.repeat(60)}`, `x${'é'.repeat(60)}@example.com`],
    ['signs', "'(*)!".repeat(20), 'ada@example.com'],
  ])('a QR code stays small if names are of %s', async (_, accountName, email) => {
    const { clientele } = await world.start()
    const { id: accountId } = await clientele.accounts.create({ name: accountName })
    const user = { name: 'Ada', email, password: 'password' }
    const { id } = (await clientele.users.create(accountId, user)).user
    const enrolled = await clientele.mfa.enrolTotp(accountId, id, { qrCode: true })
    const { otpauthUri, qrSvg = '' } = enrolled
    expect(Buffer.byteLength(otpauthUri)).toBeLessThan(320)
    // Version 12 has 65 modules a side, and the quiet zone eight.
    expect(Number(/viewBox="0 0 (\d+)/.exec(qrSvg)?.[1])).toBeLessThanOrEqual(10 * 73)
    // It throws where a character was cut in two.
    const [issuer = '', label = ''] = decodeURIComponent(new URL(otpauthUri).pathname)
      .slice(1)
      .split(':')
    expect(`${issuer} ${label}`.isWellFormed()).toBe(true)
    expect(issuer).not.toBe('')
    expect(accountName.startsWith(issuer)).toBe(true)
    expect(label).not.toBe('')
    expect(email.normalize('NFC').startsWith(label)).toBe(true)
    expect(new URL(otpauthUri).searchParams.get('issuer')).toBe(issuer)
  })

  test('an app is enrolled and confirmed; then a sign-in needs its code', async () => {
    const { clientele } = await world.start()
    const { accountId, user, credentials } = await world.addUser(clientele, {
      accountName: 'Acme & Söhne',
    })
    const events: ClienteleEvents['two_factor.enrolled'][] = []
    clientele.events.on('two_factor.enrolled', (event) => events.push(event))
    const enrolled = await clientele.mfa.enrolTotp(accountId, user.id, { qrCode: true })
    const uri = new URL(enrolled.otpauthUri)
    expect(uri.protocol + uri.host).toBe('otpauth:totp')
    expect(decodeURIComponent(uri.pathname)).toContain(`Acme & Söhne:${user.email}`)
    expect(uri.searchParams.get('secret')).toBe(enrolled.secret)
    expect(enrolled.qrSvg).toMatch(/^<svg /)
    await logIn(clientele, accountId, credentials)
    expect(await clientele.mfa.read(accountId, user.id)).toEqual({
      totp: false,
      email: false,
      recoveryCodesLeft: 0,
    })
    const wrong = { code: '000000' === world.totpCode(enrolled.secret) ? '000001' : '000000' }
    expect(await codeOf(clientele.mfa.confirmTotp(accountId, user.id, wrong))).toBe(
      'two_factor_code_invalid',
    )
    const code = world.totpCode(enrolled.secret)
    const codes = await clientele.mfa.confirmTotp(accountId, user.id, { code })
    expect(new Set(codes).size).toBe(10)
    expect(events).toEqual([{ ...byOperator, accountId, user, method: 'totp' }])
    expect(await codeOf(clientele.mfa.enrolTotp(accountId, user.id))).toBe(
      'two_factor_already_enrolled',
    )
    const asked = await clientele.auth.logIn(accountId, credentials)
    expect(asked).toEqual({
      mfaRequired: true,
      challenge: expect.any(String),
      methods: ['totp', 'recovery_code'],
      expiresIn: 300,
    })
    if (!('challenge' in asked)) throw new Error('No MFA factor was asked for.')
    expect(await clientele.sessions.list(accountId, user.id)).toHaveLength(1)
    // The code that confirmed is used up.
    const answer = { challenge: asked.challenge, method: 'totp' as const, code }
    expect(await codeOf(clientele.auth.completeMfa(accountId, answer))).toBe(
      'two_factor_code_invalid',
    )
    world.now += 30_000
    const next = { ...answer, code: world.totpCode(enrolled.secret) }
    const signedIn = toSignedIn(await clientele.auth.completeMfa(accountId, next))
    const { claims } = await clientele.auth.validateToken(accountId, signedIn.token)
    expect(claims.amr).toEqual(['pwd', 'otp', 'mfa'])
  })

  test('a code is e-mailed to users who have enrolled that, at most three times', async () => {
    const { clientele, mails, mailed } = await world.start()
    const { accountId, user, credentials } = await world.addUser(clientele)
    await clientele.mfa.enrolEmail(accountId, user.id)
    const asked = await clientele.auth.logIn(accountId, credentials)
    if (!('mfaRequired' in asked)) throw new Error('No MFA factor was asked for.')
    expect(asked.methods).toEqual(['email'])
    const { challenge } = asked
    const mail = () => clientele.auth.mailMfaCode(accountId, { challenge })
    for (let round = 0; round < 3; round++) await mail()
    expect(await codeOf(mail())).toBe('challenge_invalid')
    const first = await mailed('two_factor_code')
    const code = await mailed('two_factor_code', 2)
    expect(mails).toHaveLength(3)
    expect(mails[2]).toMatchObject({ kind: 'two_factor_code', accountId, expiresInSeconds: 300 })
    const answer = { challenge: asked.challenge, method: 'email', code } as const
    if (first !== code) {
      const stale = { ...answer, code: first }
      expect(await codeOf(clientele.auth.completeMfa(accountId, stale))).toBe(
        'two_factor_code_invalid',
      )
    }
    const { clientele: other } = await world.start()
    const atOnce = [clientele, other, clientele, other].map(({ auth }) =>
      codeOf(auth.completeMfa(accountId, answer)),
    )
    expect((await Promise.all(atOnce)).filter((code) => code === undefined)).toHaveLength(1)
    expect(await clientele.sessions.list(accountId, user.id)).toHaveLength(1)
  })

  test('recovery codes can be renewed, and a factor removed', async () => {
    const { clientele } = await world.start()
    const { accountId, user, credentials } = await world.addUser(clientele)
    const { recoveryCodes } = await world.enrolTotp(clientele, accountId, user.id)
    const renewed = await clientele.mfa.renewRecoveryCodes(accountId, user.id)
    const challenge = await world.challengeOf(clientele, accountId, credentials)
    const method = 'recovery_code' as const
    const old = { challenge, method, code: recoveryCodes[3] ?? '' }
    expect(await codeOf(clientele.auth.completeMfa(accountId, old))).toBe('two_factor_code_invalid')
    const spaced = (renewed[3] ?? '').toUpperCase().replaceAll('-', ' ')
    await clientele.auth.completeMfa(accountId, { challenge, method, code: spaced })
    await clientele.mfa.remove(accountId, user.id)
    await logIn(clientele, accountId, credentials)
    expect(await codeOf(clientele.mfa.renewRecoveryCodes(accountId, user.id))).toBe(
      'two_factor_not_enrolled',
    )
  })

  test('the responses over HTTP follow the contract', async () => {
    const { clientele } = await world.start()
    const { accountId, user, credentials } = await world.addUser(clientele)
    const { apiKey: key } = await clientele.apiKeys.create(accountId)
    const base = `/client/user/${user.id}/two-factor`
    const call = (method: string, path: string, body?: unknown) =>
      send(clientele, method, path, { key, body })
    const enrolled = await call('POST', `${base}/totp?qr=svg`)
    expect(enrolled.status).toBe(201)
    expect(Object.keys(enrolled.body)).toEqual(['secret', 'otpauth_uri', 'qr_svg'])
    const secret = String(enrolled.body.secret)
    const confirmed = await call('POST', `${base}/totp/confirm`, { code: world.totpCode(secret) })
    expect(confirmed).toMatchObject({ status: 200, body: { recovery_codes: { length: 10 } } })
    expect((await call('POST', `${base}/email`)).status).toBe(204)
    expect((await call('GET', base)).body).toEqual({
      totp: true,
      email: true,
      recovery_codes_left: 10,
    })
    expect((await call('POST', `${base}/recovery-codes`)).status).toBe(200)
    const asked = await call('POST', '/client/user/auth/login', credentials)
    expect(asked).toMatchObject({
      status: 202,
      body: { success_code: 202, data: { methods: ['totp', 'email', 'recovery_code'] } },
    })
    const { challenge: text } = asked.body.data as { challenge: string } // as the line above has it
    const mailed = await call('POST', '/client/user/auth/login/two-factor/email', {
      challenge: text,
    })
    expect(mailed.status).toBe(202)
    world.now += 30_000
    const answer = { challenge: text, method: 'totp', code: world.totpCode(secret) }
    const signedIn = await call('POST', '/client/user/auth/login/two-factor', answer)
    expect(signedIn).toMatchObject({
      status: 200,
      body: { success_code: 200, user: { id: user.id } },
    })
    expect((await call('POST', '/client/user/auth/login/two-factor', answer)).body.code).toBe(
      'challenge_invalid',
    )
    expect((await call('DELETE', base)).status).toBe(204)
  })
})
