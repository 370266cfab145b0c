import type { Clientele, ClienteleOptions, ExportRecord } from '@clientele/core'
import { decodeJwt } from 'jose'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { codeOf } from '../keys/open-clientele.ts'
import { eitherDatabase, type OpenDatabase } from '../support/databases.ts'
import { type AddedUser, SignInWorld } from '../support/sign-in-world.ts'
import { toSignedIn } from '../support/to-signed-in.ts'

const databases = eitherDatabase(import.meta.filename)

const another = 'another password'

describe.each(databases)('a password that has expired, on $name', ({ open }) => {
  let database: OpenDatabase
  const world = new SignInWorld(() => database.url)
  beforeAll(async () => {
    database = await open()
  })
  afterAll(() => database.close())

  type Started = AddedUser & { clientele: Clientele }

  async function start(options: Partial<ClienteleOptions> = {}) {
    const started = await world.start(options)
    return { ...started, ...(await world.addUser(started.clientele)) }
  }

  async function startExpired(options: Partial<ClienteleOptions> = {}) {
    const started = await start(options)
    await started.clientele.users.expirePassword(started.accountId, started.user.id)
    return started
  }

  const logIn = ({ clientele, accountId, credentials }: Started) =>
    clientele.auth.logIn(accountId, credentials)

  /** Signs in up to the challenge that asks for another password. */
  async function ask(started: Started): Promise<string> {
    const asked = await logIn(started)
    if (!('passwordChangeRequired' in asked)) throw new Error('No other password was asked for.')
    return asked.challenge
  }

  const eventsOf = async ({ clientele, accountId }: Started) =>
    (await clientele.events.read(accountId, { types: ['user.*'] })).data.map(
      ({ type, actor, data }) => [type, actor.type, data],
    )

  test('asks for another at the next sign-in, and sessions go on', async () => {
    const started = await start()
    const { clientele, accountId, user, credentials } = started
    const { token, refreshToken } = toSignedIn(await logIn(started))
    await clientele.users.expirePassword(accountId, user.id)
    await clientele.users.expirePassword(accountId, user.id)
    const asked = await logIn(started)
    expect(asked).toEqual({
      passwordChangeRequired: true,
      challenge: expect.stringMatching(/^[\w-]{43}$/),
      expiresIn: 300,
    })
    await clientele.auth.validateToken(accountId, token)
    const { refreshToken: next } = await clientele.auth.refresh(accountId, { refreshToken })
    const shown = { refreshToken: next, password: credentials.password }
    expect(await codeOf(clientele.auth.reauthenticate(accountId, shown))).toBe(
      'credentials_invalid',
    )
    await clientele.auth.refresh(accountId, { refreshToken: next })
    const challenge = await ask(started)
    const wrong = { ...credentials, password: 'wrong' }
    expect(await codeOf(clientele.auth.logIn(accountId, wrong))).toBe('credentials_invalid')
    const changed = { challenge, password: another }
    const signedIn = await clientele.auth.changeExpiredPassword(accountId, changed)
    const { claims } = await clientele.auth.validateToken(accountId, signedIn.token)
    expect(claims.amr).toEqual(['pwd'])
    expect(signedIn.user.id).toBe(user.id)
    expect(await codeOf(clientele.auth.validateToken(accountId, token))).toBe('token_revoked')
    expect(await codeOf(logIn(started))).toBe('credentials_invalid')
    credentials.password = another
    expect(await logIn(started)).toHaveProperty('token')
    const about = (await eventsOf(started)).filter(([type]) => type !== 'user.logged_in')
    const fields = { user: expect.objectContaining({ id: user.id }) }
    expect(about).toEqual([
      ['user.created', 'operator', expect.anything()],
      ['user.password_expired', 'operator', fields],
      ['user.login_failed', 'operator', expect.anything()],
      ['user.updated', 'user', { ...fields, changed: ['password'], keptSessionId: claims.sid }],
      ['user.login_failed', 'operator', expect.anything()],
    ])
  })

  test.each([
    ['without hooks', undefined],
    ['with a hook', { beforeSignIn: () => undefined }],
  ])(
    '%s ends all sessions but the one that it opens, also for remote validators',
    async (_, hooks) => {
      const started = await startExpired(hooks && { hooks })
      const { clientele, accountId, user } = started
      const changed = { challenge: await ask(started), password: another }
      const { token } = await clientele.auth.changeExpiredPassword(accountId, changed)
      const { data } = await clientele.revocations.read(accountId)
      const { sid: exceptSessionId } = decodeJwt(token)
      const ended = data.filter((each) => each.type === 'user')
      expect(ended).toMatchObject([{ userId: user.id, exceptSessionId }])
    },
  )

  test('opens no session, whatever began before it or answers its challenge', async () => {
    const started = await start()
    const { clientele, accountId, user, credentials } = started
    const { recoveryCodes } = await world.enrolTotp(clientele, accountId, user.id)
    const [first = '', second = ''] = recoveryCodes
    const early = await world.challengeOf(clientele, accountId, credentials)
    await clientele.users.expirePassword(accountId, user.id)
    const prove = (challenge: string, code: string) =>
      clientele.auth.completeMfa(accountId, { challenge, method: 'recovery_code', code })
    // It was compared with the password as it was.
    expect(await codeOf(prove(early, first))).toBe('challenge_invalid')
    const challenge = await world.challengeOf(clientele, accountId, credentials)
    const change = (given: string) =>
      clientele.auth.changeExpiredPassword(accountId, { challenge: given, password: another })
    // The second factor comes first.
    expect(await codeOf(change(challenge))).toBe('challenge_invalid')
    const asked = await prove(challenge, second)
    expect(asked).toHaveProperty('passwordChangeRequired', true)
    if (!('passwordChangeRequired' in asked)) throw new Error('No other password was asked for.')
    const signedIn = await change(asked.challenge)
    const { claims } = await clientele.auth.validateToken(accountId, signedIn.token)
    expect(claims.amr).toEqual(['pwd', 'mfa'])
  })

  test('is not chosen again, and a challenge takes five tries', async () => {
    const started = await startExpired()
    const { clientele, accountId, credentials } = started
    const challenge = await ask(started)
    const change = (password: string) =>
      codeOf(clientele.auth.changeExpiredPassword(accountId, { challenge, password }))
    for (let tries = 0; tries < 5; tries++)
      expect(await change(credentials.password)).toBe('validation_failed')
    expect(await change(another)).toBe('challenge_invalid')
    const next = { challenge: await ask(started), password: 'short' }
    expect(await codeOf(clientele.auth.changeExpiredPassword(accountId, next))).toBe(
      'validation_failed',
    )
  })

  test('is changed once by one of several answers at once', async () => {
    const started = await startExpired()
    const { clientele: beside } = await world.start()
    const { clientele, accountId } = started
    const challenge = await ask(started)
    const results = await Promise.all(
      [clientele, beside, clientele, beside].map(({ auth }, index) => {
        const given = { challenge, password: `${another} ${index}` }
        return codeOf(auth.changeExpiredPassword(accountId, given))
      }),
    )
    expect(results.filter((code) => code === undefined)).toHaveLength(1)
    expect(new Set(results)).toEqual(new Set([undefined, 'challenge_invalid']))
  })

  test('stays changed where the policy changes meanwhile, and the sign-in starts over', async () => {
    let act: (() => Promise<unknown>) | undefined
    const beforeUpdate = async () => void (await act?.())
    const started = await startExpired({ hooks: { beforeUpdate } })
    const { clientele, accountId, credentials } = started
    const challenge = await ask(started)
    act = () => clientele.accounts.setPolicy(accountId, { secondFactor: 'required' })
    const answer = { challenge, password: another }
    expect(await codeOf(clientele.auth.changeExpiredPassword(accountId, answer))).toBe(
      'challenge_invalid',
    )
    await clientele.accounts.setPolicy(accountId, { secondFactor: 'optional' })
    expect(await codeOf(logIn(started))).toBe('credentials_invalid')
    toSignedIn(await clientele.auth.logIn(accountId, { ...credentials, password: another }))
  })

  test.each<[string, (started: Started) => Promise<unknown>]>([
    [
      'a new password',
      ({ clientele, accountId, user }) =>
        clientele.users.patch(accountId, user.id, { password: another }),
    ],
    [
      'a deactivation',
      ({ clientele, accountId, user }) => clientele.users.deactivate(accountId, user.id),
    ],
    ['a deletion', ({ clientele, accountId, user }) => clientele.users.delete(accountId, user.id)],
    [
      'five minutes',
      async () => {
        world.now += 300_000
      },
    ],
  ])('is not changed by a challenge that %s ended', async (_, end) => {
    const started = await startExpired()
    const { clientele, accountId } = started
    const given = { challenge: await ask(started), password: 'a third password' }
    await end(started)
    expect(await codeOf(clientele.auth.changeExpiredPassword(accountId, given))).toBe(
      'challenge_invalid',
    )
  })

  test('is not changed by a challenge that asks for a second factor, nor from another account', async () => {
    const started = await startExpired()
    const { clientele, accountId } = started
    const challenge = await ask(started)
    const other = await world.addUser(clientele)
    await world.enrolTotp(clientele, other.accountId, other.user.id)
    const theirs = await world.challengeOf(clientele, other.accountId, other.credentials)
    for (const [id, given] of [
      [other.accountId, challenge],
      [other.accountId, theirs],
      [accountId, theirs],
    ] as const)
      expect(
        await codeOf(
          clientele.auth.changeExpiredPassword(id, { challenge: given, password: another }),
        ),
      ).toBe('challenge_invalid')
  })

  test('leaves a user without a password as they are', async () => {
    const { clientele } = await start()
    const { id } = await clientele.accounts.create({ name: 'Acme' })
    await clientele.users.import(id, [
      { line: 1, value: { name: 'Ada', email: 'ada@example.com' } },
    ])
    const [user] = (await clientele.users.list(id)).data
    await clientele.users.expirePassword(id, user?.id ?? '')
    const { data } = await clientele.events.read(id, { types: ['user.password_expired'] })
    expect(data).toEqual([])
    const unknown = clientele.users.expirePassword(id, id)
    expect(await codeOf(unknown)).toBe('user_not_found')
  })

  test('comes after the second factor that the account requires, with its recovery codes', async () => {
    const started = await startExpired()
    const { clientele, accountId } = started
    await clientele.accounts.setPolicy(accountId, {
      secondFactor: 'required',
      rememberDeviceDays: 30,
    })
    const asked = await logIn(started)
    if (!('mfaEnrolmentRequired' in asked)) throw new Error('No enrolment was asked for.')
    const app = { challenge: asked.challenge, method: 'totp' } as const
    const early = { challenge: asked.challenge, password: another }
    expect(await codeOf(clientele.auth.changeExpiredPassword(accountId, early))).toBe(
      'challenge_invalid',
    )
    const { secret } = await clientele.auth.enrolToLogIn(accountId, app)
    const answer = { ...app, code: world.totpCode(secret), rememberDevice: true }
    const proved = await clientele.auth.completeMfa(accountId, answer)
    if (!('passwordChangeRequired' in proved)) throw new Error('No other password was asked for.')
    expect(proved.recoveryCodes).toHaveLength(10)
    expect(proved).not.toHaveProperty('deviceToken')
    const given = { challenge: proved.challenge, password: another, rememberDevice: true }
    const signedIn = await clientele.auth.changeExpiredPassword(accountId, given)
    expect(signedIn.deviceToken).toMatch(/^[\w-]{91}$/)
    const again = { ...started.credentials, password: another }
    const { deviceToken = '' } = signedIn
    expect(await clientele.auth.logIn(accountId, { ...again, deviceToken })).toHaveProperty('token')
  })

  test('is asked for on a remembered device, too', async () => {
    const started = await start()
    const { clientele, accountId, user, credentials } = started
    await clientele.accounts.setPolicy(accountId, { rememberDeviceDays: 30 })
    const { recoveryCodes } = await world.enrolTotp(clientele, accountId, user.id)
    const challenge = await world.challengeOf(clientele, accountId, credentials)
    const proof = { challenge, method: 'recovery_code' as const, code: recoveryCodes[0] ?? '' }
    const proved = await clientele.auth.completeMfa(accountId, { ...proof, rememberDevice: true })
    const { deviceToken = '' } = toSignedIn(proved)
    await clientele.users.expirePassword(accountId, user.id)
    // Another password ends the device: it does not stand for the second factor.
    const first = await clientele.auth.logIn(accountId, { ...credentials, deviceToken })
    if (!('mfaRequired' in first)) throw new Error('No second factor was asked for.')
    const shown = { method: 'recovery_code', code: recoveryCodes[1] ?? '' } as const
    const asked = await clientele.auth.completeMfa(accountId, {
      challenge: first.challenge,
      ...shown,
    })
    if (!('passwordChangeRequired' in asked)) throw new Error('No other password was asked for.')
    const given = { challenge: asked.challenge, password: another }
    expect(await clientele.auth.changeExpiredPassword(accountId, given)).toHaveProperty('token')
    expect(await clientele.devices.list(accountId, user.id)).toEqual([])
  })

  test('is imported and exported as such', async () => {
    const { clientele } = await start()
    const { id } = await clientele.accounts.create({ name: 'Acme' })
    const value = (name: string, more: object) => ({
      ...{ name, email: `${name.toLowerCase()}@example.com`, password: 'imported password' },
      ...more,
    })
    const records = [
      { line: 1, value: value('Ada', {}) },
      { line: 2, value: value('Grace', { passwordExpired: false }) },
      { line: 3, value: { name: 'Mary', email: 'mary@example.com' } },
      { line: 4, value: { name: 'Joan', email: 'joan@example.com', passwordExpired: true } },
    ]
    const options = { expirePasswords: true, onError: 'skip' } as const
    const { imported, errors } = await clientele.users.import(id, records, options)
    expect([imported, errors.map(({ line, message }) => [line, message])]).toEqual([
      3,
      [[4, '/passwordExpired needs password or passwordHash beside it']],
    ])
    const signIn = async (account: string, email: string) =>
      Object.keys(await clientele.auth.logIn(account, { email, password: 'imported password' }))[0]
    expect(await signIn(id, 'ada@example.com')).toBe('passwordChangeRequired')
    expect(await signIn(id, 'grace@example.com')).not.toBe('passwordChangeRequired')
    const exported: ExportRecord[] = []
    for await (const each of clientele.users.export(id, { withHashes: true })) exported.push(each)
    expect(exported.map(({ name, passwordExpired }) => [name, passwordExpired])).toEqual([
      ['Ada', true],
      ['Grace', undefined],
      ['Mary', undefined],
    ])
    expect(exported[0]?.passwordHash).toMatch(/^\$argon2id\$/)
    const { id: copy } = await clientele.accounts.create({ name: 'Copy' })
    const moved = exported.map(({ id: _, ...each }, index) => ({ line: index + 1, value: each }))
    expect(await clientele.users.import(copy, moved)).toMatchObject({ imported: 3 })
    expect(await signIn(copy, 'ada@example.com')).toBe('passwordChangeRequired')
  })
})
