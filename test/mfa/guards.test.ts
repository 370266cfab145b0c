import { randomUUID } from 'node:crypto'
import type { Clientele, ImportRecord } from '@clientele/core'
import { Client } from 'pg'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { lowestId } from '../../packages/core/src/base/input/id.ts'
import { codeOf, openRepository, send } from '../keys/open-clientele.ts'
import { databases, type OpenDatabase } from '../support/databases.ts'
import { SignInWorld } from '../support/sign-in-world.ts'

const bcryptOfLong = '$2b$04$04TIJYak480aMBzZvVfGpux18AXVyZ9t/OMyfOBoGxsp7SXcoe4DS'
const limit = { points: 3, windowSeconds: 60 }

describe.each(databases)('limits of second factors, on $name', ({ name, open }) => {
  let database: OpenDatabase
  const world = new SignInWorld(() => database.url)

  beforeAll(async () => {
    database = await open()
  })
  afterAll(() => database.close())

  test.each(['database', 'memory'] as const)(
    'many failures of another caller do not lock the user out, counted in %s',
    async (store) => {
      const rateLimits = { login: limit, reset: limit, store }
      const { clientele } = await world.start({ rateLimits })
      const { accountId, user, credentials } = await world.addUser(clientele)
      const wrong = { ...credentials, password: 'wrong' }
      const home = { accountId, clientAddress: '198.51.100.7' }
      const stranger = { accountId, clientAddress: '203.0.113.1' }
      const burst = (ask: () => Promise<unknown>) =>
        Promise.all(Array.from({ length: 40 }, () => codeOf(ask())))
      await burst(() => clientele.auth.logIn(stranger, wrong))
      await burst(() => clientele.auth.forgotPassword(stranger, { email: user.email }))
      expect(await codeOf(clientele.auth.logIn(home, credentials))).toBeUndefined()
      expect(
        await codeOf(clientele.auth.forgotPassword(home, { email: user.email })),
      ).toBeUndefined()
    },
  )

  test('of forty simultaneous confirmations, no correct one succeeds beyond the limit', async () => {
    const { clientele } = await world.start({ rateLimits: { mfa: limit } })
    const { accountId, user } = await world.addUser(clientele)
    const { secret } = await clientele.mfa.enrolTotp(accountId, user.id)
    const right = world.totpCode(secret)
    const answers = await Promise.all(
      Array.from({ length: 40 }, (_, index) =>
        codeOf(
          clientele.mfa.confirmTotp(accountId, user.id, {
            code: index === 39 ? right : 'no',
          }),
        ),
      ),
    )
    expect(answers[39]).toBe('rate_limited')
  })

  test('a reset ends the pause of e-mails that an attacker with the old password has caused', async () => {
    const { clientele, mailed } = await world.start({ rateLimits: { mfa: limit } })
    const { accountId, user, credentials } = await world.addUser(clientele)
    await world.proveAddress(accountId, user.email)
    await clientele.mfa.enrolEmail(accountId, user.id)
    const bad = await world.challengeOf(clientele, accountId, credentials)
    for (let mail = 0; mail < 3; mail++) {
      await clientele.auth.mailMfaCode(accountId, { challenge: bad })
    }
    await clientele.auth.forgotPassword(accountId, { email: user.email })
    const password = 'a new one'
    const token = await mailed('password_reset')
    await clientele.auth.resetPassword(accountId, { token, password })
    const anew = { ...credentials, password }
    const challenge = await world.challengeOf(clientele, accountId, anew)
    const mail = clientele.auth.mailMfaCode(accountId, { challenge })
    expect(await codeOf(mail)).toBeUndefined()
  })

  test('a refused second e-mail leaves the first code valid', async () => {
    const rateLimits = { mfa: { points: 1, windowSeconds: 60 } }
    const { clientele, mailed } = await world.start({ rateLimits })
    const { accountId, user, credentials } = await world.addUser(clientele)
    await clientele.mfa.enrolEmail(accountId, user.id)
    const challenge = await world.challengeOf(clientele, accountId, credentials)
    await clientele.auth.mailMfaCode(accountId, { challenge })
    const code = await mailed('two_factor_code')
    const second = clientele.auth.mailMfaCode(accountId, { challenge })
    expect(await codeOf(second)).toBe('rate_limited')
    const answer = { challenge, method: 'email', code } as const
    expect(await codeOf(clientele.auth.completeMfa(accountId, answer))).toBeUndefined()
  })

  test('a new password ends a challenge: it sends, uses up and counts nothing', async () => {
    const { clientele, mails } = await world.start({ rateLimits: { mfa: limit } })
    const { accountId, user, credentials } = await world.addUser(clientele)
    const { generate, recoveryCodes } = await world.enrolTotp(clientele, accountId, user.id)
    await clientele.mfa.enrolEmail(accountId, user.id)
    const challenge = await world.challengeOf(clientele, accountId, credentials)
    const password = 'changed by the user'
    await clientele.users.patch(accountId, user.id, { password })
    const mail = clientele.auth.mailMfaCode(accountId, { challenge })
    expect(await codeOf(mail)).toBe('challenge_invalid')
    for (const code of [recoveryCodes[0] ?? '', 'no', 'no', 'no']) {
      const answer = { challenge, method: 'recovery_code', code } as const
      expect(await codeOf(clientele.auth.completeMfa(accountId, answer))).toBe('challenge_invalid')
    }
    const own = await world.challengeOf(clientele, accountId, { ...credentials, password })
    const answer = { challenge: own, method: 'totp', code: generate() } as const
    expect(await codeOf(clientele.auth.completeMfa(accountId, answer))).toBeUndefined()
    const left = await clientele.mfa.read(accountId, user.id)
    expect([left.recoveryCodesLeft, mails]).toEqual([10, []])
  })

  test('a QR code has room for long names', async () => {
    const { clientele } = await world.start()
    const email = `${'я'.repeat(60)}@${'я'.repeat(30)}.${'я'.repeat(30)}.рф`
    const accountName = '🏦'.repeat(100)
    const { accountId, user } = await world.addUser(clientele, { accountName, email })
    const { apiKey: key } = await clientele.apiKeys.create(accountId)
    const path = `/client/user/${user.id}/two-factor/totp?qr=svg`
    const { status, body } = await send(clientele, 'POST', path, { key })
    expect(status).toBe(201)
    expect(Buffer.byteLength(String(body.otpauth_uri))).toBeLessThanOrEqual(310)
  })

  test('enrolling e-mail again writes no second event', async () => {
    const { clientele } = await world.start()
    const { accountId, user } = await world.addUser(clientele)
    const methods: string[] = []
    clientele.events.on('two_factor.enrolled', ({ method }) => methods.push(method))
    await clientele.mfa.enrolEmail(accountId, user.id)
    await clientele.mfa.enrolEmail(accountId, user.id)
    expect(methods).toEqual(['email'])
  })

  test('mails that hang take up a few places, and the rest waits', async () => {
    let begun = 0
    const hanging = Promise.withResolvers<void>()
    const sendMail = () => {
      begun++
      return hanging.promise
    }
    const reset = { points: 1_000_000, windowSeconds: 60 }
    const { clientele } = await world.start({ sendMail, rateLimits: { reset, store: 'memory' } })
    const { accountId, user } = await world.addUser(clientele)
    const codes: unknown[] = []
    for (let index = 0; index < 1001; index++) {
      codes.push(await codeOf(clientele.auth.forgotPassword(accountId, { email: user.email })))
    }
    expect(codes.filter((code) => code !== undefined)).toEqual(['overloaded'])
    await expect.poll(() => begun).toBe(16)
    // The end of a process waits for mails.
    hanging.resolve()
  })

  test.each([Number.NaN, 0, -1, 1.5])('a limit of %d is refused at the start', async (bad) => {
    for (const login of [
      { ...limit, points: bad },
      { ...limit, windowSeconds: bad },
    ]) {
      expect(await codeOf(world.start({ rateLimits: { login } }))).toBe('configuration_invalid')
    }
  })

  // Only where others write at the same time.
  test.runIf(name === 'postgres')(
    'the sweeper waits for no other process, and keeps a count that has begun anew',
    async () => {
      const { clientele } = await world.start()
      const { accountId } = await world.addUser(clientele)
      const repository = openRepository(database.url)
      onTestFinished(() => repository.storage.close())
      const other = new Client({ connectionString: database.url })
      await other.connect()
      onTestFinished(() => other.end())
      const at = world.now
      await repository.rateLimits.add(accountId, 'login:old', 10, at - 2000, at - 1000)
      await other.query('begin')
      await other.query(
        'update clientele_rate_limits set points = 1, expires_at = $2 where account_id = $1 and key = $3',
        [accountId, at + 60_000, 'login:old'],
      )
      await repository.storage.sweep(lowestId, { now: at, eventsBefore: 0 })
      await other.query('commit')
      const kept = await repository.rateLimits.find(accountId, 'login:old', at, 60_000)
      expect(kept).toEqual({ points: 1, expiresAt: at + 60_000 })
    },
  )
})

describe.each(databases)('hashes over time, on $name', ({ open }) => {
  let database: OpenDatabase
  const world = new SignInWorld(() => database.url)

  beforeAll(async () => {
    database = await open()
  })
  afterAll(() => database.close())

  async function importHash(clientele: Clientele, accountId: string, passwordHash: string) {
    const email = `${randomUUID()}@example.com`
    async function* records(): AsyncGenerator<ImportRecord> {
      yield { line: 1, value: { email, name: 'Ada', passwordHash } }
    }
    const { errors } = await clientele.users.import(accountId, records())
    expect(errors).toEqual([])
    return email
  }

  async function hashOf(clientele: Clientele, accountId: string, email: string): Promise<string> {
    for await (const user of clientele.users.export(accountId, { withHashes: true })) {
      if (user.email === email) return user.passwordHash ?? ''
    }
    return ''
  }

  test('an argon2 hash in padded base64 signs in', async () => {
    const { clientele } = await world.start()
    const { accountId, credentials } = await world.addUser(clientele)
    const hash = await hashOf(clientele, accountId, credentials.email)
    const padded = hash.replace(/[^$]+$/, (text) =>
      text.padEnd(Math.ceil(text.length / 4) * 4, '='),
    )
    expect(padded).toMatch(/=$/)
    const email = await importHash(clientele, accountId, padded)
    const logIn = clientele.auth.logIn(accountId, { email, password: 'password' })
    expect(await codeOf(logIn)).toBeUndefined()
  })

  test('a typo after the 72nd byte of a bcrypt password does not become the password', async () => {
    const { clientele } = await world.start()
    const { accountId } = await world.addUser(clientele)
    // Of 72 times "a" and anything behind it.
    const email = await importHash(clientele, accountId, bcryptOfLong)
    for (const rest of ['the slip', 'the password']) {
      const password = `${'a'.repeat(72)} and ${rest}`
      expect(await codeOf(clientele.auth.logIn(accountId, { email, password }))).toBeUndefined()
    }
    expect(await hashOf(clientele, accountId, email)).toMatch(/^\$2b\$/)
  })
})
