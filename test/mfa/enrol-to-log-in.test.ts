import type { Clientele, MfaEnrolmentRequired, Repository } from '@clientele/core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { codeOf, openRepository } from '../keys/open-clientele.ts'
import { SoftwareAuthenticator, site } from '../passkeys/software-authenticator.ts'
import { eitherDatabase, type OpenDatabase, type TestDatabase } from '../support/databases.ts'
import { byKeys, IssuerWorld } from '../support/issuer-world.ts'
import { runSql } from '../support/run-sql.ts'
import type { AddedUser } from '../support/sign-in-world.ts'

const databases = eitherDatabase(import.meta.filename)

describe.each(databases)('a second factor that an account requires, on $name', ({ name, open }) => {
  let database: OpenDatabase
  const world = new IssuerWorld(() => database.url)
  beforeAll(async () => {
    database = await open()
  })
  afterAll(() => database.close())

  async function start(repository?: Repository) {
    const started = await world.start(repository && { repository })
    const { clientele } = started
    const added = await world.addUser(clientele)
    await clientele.accounts.setPolicy(added.accountId, { secondFactor: 'required' })
    return { ...started, ...added }
  }

  async function ask(
    clientele: Clientele,
    { accountId, credentials }: Pick<AddedUser, 'accountId' | 'credentials'>,
  ): Promise<MfaEnrolmentRequired> {
    const result = await clientele.auth.logIn(accountId, credentials)
    if (!('mfaEnrolmentRequired' in result)) throw new Error('No enrolment was asked for.')
    return result
  }

  const typesOf = async (clientele: Clientele, accountId: string) => {
    const { data } = await clientele.events.read(accountId, {
      types: ['two_factor.*', 'user.logged_in', 'user.login_failed'],
    })
    return data.map(({ type, actor }) => `${type} by ${actor.type}`)
  }

  test('is an app that is enrolled on the way in, without a session before it is proved', async () => {
    const { clientele, accountId, user, credentials } = await start()
    const { auth, mfa, sessions } = clientele
    const asked = await ask(clientele, { accountId, credentials })
    expect(asked).toEqual({
      mfaEnrolmentRequired: true,
      challenge: expect.stringMatching(/^[\w-]{43,}$/),
      methods: ['totp', 'email'],
      expiresIn: 300,
    })
    const { challenge } = asked
    const complete = (code: string) =>
      auth.completeMfa(accountId, { challenge, method: 'totp', code })
    expect(await codeOf(complete('123456'))).toBe('two_factor_code_invalid')
    const { secret, qrSvg } = await auth.enrolToLogIn(
      accountId,
      { challenge, method: 'totp' },
      { qrCode: true },
    )
    expect(qrSvg).toMatch(/^<svg/)
    const wrong = world.totpCode(secret, 3_600_000)
    expect(await codeOf(complete(wrong))).toBe('two_factor_code_invalid')
    expect(await mfa.read(accountId, user.id)).toMatchObject({ totp: false, recoveryCodesLeft: 0 })
    expect(await sessions.list(accountId, user.id)).toEqual([])
    const signedIn = await complete(world.totpCode(secret))
    expect(signedIn.recoveryCodes).toHaveLength(10)
    expect(await sessions.list(accountId, user.id)).toMatchObject([{ amr: ['pwd', 'otp', 'mfa'] }])
    expect(await mfa.read(accountId, user.id)).toMatchObject({ totp: true, recoveryCodesLeft: 10 })
    expect(await codeOf(complete(world.totpCode(secret)))).toBe('challenge_invalid')
    expect(await typesOf(clientele, accountId)).toEqual([
      'user.login_failed by operator',
      'user.login_failed by operator',
      'two_factor.enrolled by user',
      'user.logged_in by user',
    ])
    // From now on it is asked for as any other, and a code works once.
    const next = await world.challengeOf(clientele, accountId, credentials)
    const again = { challenge: next, method: 'totp' as const, code: world.totpCode(secret) }
    expect(await codeOf(auth.completeMfa(accountId, again))).toBe('two_factor_code_invalid')
    const [code = ''] = signedIn.recoveryCodes ?? []
    const recovered = await auth.completeMfa(accountId, {
      challenge: next,
      method: 'recovery_code',
      code,
    })
    expect(recovered.recoveryCodes).toBeUndefined()
  })

  test('is codes by mail, sent again at the user’s wish', async () => {
    const { clientele, accountId, user, credentials, mailed } = await start()
    const { auth } = clientele
    const { challenge } = await ask(clientele, { accountId, credentials })
    const begin = () => auth.enrolToLogIn(accountId, { challenge, method: 'email' })
    const complete = (code: string) =>
      auth.completeMfa(accountId, { challenge, method: 'email', code })
    expect(await begin()).toBeUndefined()
    const first = await mailed('two_factor_code')
    await begin()
    const second = await mailed('two_factor_code', 1)
    expect(await codeOf(complete(first))).toBe('two_factor_code_invalid')
    const { recoveryCodes } = await complete(second)
    expect(recoveryCodes).toHaveLength(10)
    expect(await clientele.mfa.read(accountId, user.id)).toMatchObject({
      email: true,
      recoveryCodesLeft: 10,
    })
    expect(await world.challengeOf(clientele, accountId, credentials)).toBeTruthy()
  })

  test('is asked for after an ID token, and not after a passkey, which is both factors', async () => {
    const { clientele, accountId, user, trust, signByKey } = await world.openAccount()
    await trust({ ...byKeys, signIn: true, nonce: 'optional' })
    await clientele.identities.link(accountId, user.id, { issuer: byKeys.issuer, subject: 'ada' })
    await clientele.accounts.setPolicy(accountId, { secondFactor: 'required' })
    const { auth, passkeys } = clientele
    const idToken = await signByKey({ sub: 'ada' })
    const asked = await auth.logInWithIdToken(accountId, { idToken })
    if (!('mfaEnrolmentRequired' in asked)) throw new Error('No enrolment was asked for.')
    const { challenge } = asked
    const { secret } = await auth.enrolToLogIn(accountId, { challenge, method: 'totp' })
    const code = world.totpCode(secret)
    await auth.completeMfa(accountId, { challenge, method: 'totp', code })
    expect(await clientele.sessions.list(accountId, user.id)).toMatchObject([
      { amr: ['fed', 'otp', 'mfa'] },
    ])
    await clientele.accounts.setPasskeys(accountId, site)
    const authenticator = new SoftwareAuthenticator()
    const begun = await passkeys.beginEnrolment(accountId, user.id)
    const response = authenticator.create(begun.options)
    await passkeys.enrol(accountId, user.id, { challenge: begun.challenge, response })
    const given = await auth.beginPasskeyLogIn(accountId)
    const used = { challenge: given.challenge, response: authenticator.get(given.options) }
    expect(await auth.logInWithPasskey(accountId, used)).toHaveProperty('token')
  })

  test('is not enrolled by the password alone beside a factor that the user has', async () => {
    const { clientele, accountId, user, credentials } = await start()
    const { auth } = clientele
    // Somebody else with the password asks first.
    const { challenge: early } = await ask(clientele, { accountId, credentials })
    const { secret } = await auth.enrolToLogIn(accountId, { challenge: early, method: 'totp' })
    await clientele.mfa.enrolEmail(accountId, user.id)
    const late = await world.challengeOf(clientele, accountId, credentials)
    for (const [challenge, enrolling, completing] of [
      [early, 'challenge_invalid', 'challenge_invalid'],
      [late, 'two_factor_already_enrolled', 'two_factor_code_invalid'],
    ] as const) {
      const enrol = auth.enrolToLogIn(accountId, { challenge, method: 'totp' })
      expect(await codeOf(enrol)).toBe(enrolling)
      const answer = { challenge, method: 'totp' as const, code: world.totpCode(secret) }
      expect(await codeOf(auth.completeMfa(accountId, answer))).toBe(completing)
    }
    expect(await clientele.mfa.read(accountId, user.id)).toMatchObject({ totp: false, email: true })
    expect(await clientele.sessions.list(accountId, user.id)).toEqual([])
  })

  test('of two who enrol with the password at the same time, one is signed in', async () => {
    const { clientele, accountId, user, credentials } = await start()
    const { clientele: other } = await world.start()
    const challenges = [
      (await ask(clientele, { accountId, credentials })).challenge,
      (await ask(other, { accountId, credentials })).challenge,
    ]
    let code = ''
    for (const challenge of challenges) {
      const begun = { challenge, method: 'totp' as const }
      code = world.totpCode((await clientele.auth.enrolToLogIn(accountId, begun)).secret)
    }
    const outcomes = await Promise.all(
      [clientele, other, clientele, other].map((each, index) => {
        const challenge = challenges[index % 2] ?? ''
        return codeOf(each.auth.completeMfa(accountId, { challenge, method: 'totp', code }))
      }),
    )
    expect(outcomes.filter((outcome) => outcome === undefined)).toHaveLength(1)
    expect(await clientele.sessions.list(accountId, user.id)).toHaveLength(1)
    expect(
      (await typesOf(clientele, accountId)).filter((type) => /enrolled/.test(type)),
    ).toHaveLength(1)
  })

  test('is not stored when the password changes before it is', async () => {
    const opened = openRepository(database.url)
    let change: (() => Promise<unknown>) | undefined
    const enrolByChallenge: Repository['mfa']['enrolByChallenge'] = async (...args) => {
      await change?.()
      return opened.mfa.enrolByChallenge(...args)
    }
    const repository = { ...opened, mfa: { ...opened.mfa, enrolByChallenge } }
    const { clientele, accountId, user, credentials } = await start(repository)
    const { auth, users, mfa } = clientele
    const changes = [
      () => users.patch(accountId, user.id, { password: 'another password' }),
      () => users.deactivate(accountId, user.id),
    ]
    for (const next of changes) {
      const password = next === changes[0] ? credentials.password : 'another password'
      const { challenge } = await ask(clientele, {
        accountId,
        credentials: { ...credentials, password },
      })
      const { secret } = await auth.enrolToLogIn(accountId, { challenge, method: 'totp' })
      change = next
      const code = world.totpCode(secret)
      expect(await codeOf(auth.completeMfa(accountId, { challenge, method: 'totp', code }))).toBe(
        'challenge_invalid',
      )
      change = undefined
    }
    expect(await mfa.read(accountId, user.id)).toMatchObject({ totp: false, recoveryCodesLeft: 0 })
  })

  test('is enrolled on the way in only as long as it is required', async () => {
    const { clientele, accountId, user, credentials } = await start()
    const { challenge } = await ask(clientele, { accountId, credentials })
    await clientele.accounts.setPolicy(accountId, { secondFactor: 'optional' })
    const enrolled = clientele.auth.enrolToLogIn(accountId, { challenge, method: 'totp' })
    expect(await codeOf(enrolled)).toBe('challenge_invalid')
    expect(await clientele.mfa.read(accountId, user.id)).toMatchObject({ totp: false })
    expect(await clientele.auth.logIn(accountId, credentials)).toHaveProperty('token')
  })

  test('is not stored beside a passkey that comes before it is', async () => {
    const opened = openRepository(database.url)
    let meanwhile = async () => {}
    const enrolByChallenge: Repository['mfa']['enrolByChallenge'] = async (...args) => {
      await meanwhile()
      return opened.mfa.enrolByChallenge(...args)
    }
    const repository = { ...opened, mfa: { ...opened.mfa, enrolByChallenge } }
    const { clientele, accountId, user, credentials } = await start(repository)
    const { auth, mfa, passkeys } = clientele
    await clientele.accounts.setPasskeys(accountId, site)
    const { challenge } = await ask(clientele, { accountId, credentials })
    const { secret } = await auth.enrolToLogIn(accountId, { challenge, method: 'totp' })
    meanwhile = async () => {
      const use = 'second_factor' as const
      const begun = await passkeys.beginEnrolment(accountId, user.id, { use })
      const response = new SoftwareAuthenticator().create(begun.options)
      await passkeys.enrol(accountId, user.id, { challenge: begun.challenge, response, use })
    }
    const code = world.totpCode(secret)
    const completed = auth.completeMfa(accountId, { challenge, method: 'totp', code })
    expect(await codeOf(completed)).toBe('challenge_invalid')
    expect(await mfa.read(accountId, user.id)).toMatchObject({ totp: false, recoveryCodesLeft: 0 })
    expect(await clientele.sessions.list(accountId, user.id)).toEqual([])
  })

  test('asks a sign-in that was under way when it became required', async () => {
    const opened = openRepository(database.url)
    let change: (() => Promise<unknown>) | undefined
    const create: Repository['sessions']['create'] = async (...args) => {
      const next = change
      change = undefined
      await next?.()
      return opened.sessions.create(...args)
    }
    const repository = { ...opened, sessions: { ...opened.sessions, create } }
    const { clientele } = await world.start({ repository })
    const { accountId, user, credentials } = await world.addUser(clientele)
    change = () => clientele.accounts.setPolicy(accountId, { secondFactor: 'required' })
    await ask(clientele, { accountId, credentials })
    expect(await clientele.sessions.list(accountId, user.id)).toEqual([])
  })

  test('leaves no half when the database fails between the factor and its event', async () => {
    const { clientele, accountId, user, credentials } = await start()
    const { auth, mfa } = clientele
    const { challenge } = await ask(clientele, { accountId, credentials })
    const { secret } = await auth.enrolToLogIn(accountId, { challenge, method: 'totp' })
    const complete = () =>
      auth.completeMfa(accountId, { challenge, method: 'totp', code: world.totpCode(secret) })
    const [fault, mend] = faults[name]
    await runSql(database.url, ...fault)
    try {
      await expect(complete()).rejects.toThrow()
    } finally {
      await runSql(database.url, ...mend)
    }
    expect(await mfa.read(accountId, user.id)).toMatchObject({ totp: false, recoveryCodesLeft: 0 })
    expect((await complete()).recoveryCodes).toHaveLength(10)
    expect(await mfa.read(accountId, user.id)).toMatchObject({ totp: true, recoveryCodesLeft: 10 })
  })
})

/** Makes writing the event of an enrolment fail; and what takes the fault away. */
const faults: Record<TestDatabase['name'], [string[], string[]]> = {
  sqlite: [
    [
      `create trigger enrol_fault before insert on clientele_events
       when new.type = 'two_factor.enrolled' begin select raise(abort, 'fault'); end`,
    ],
    ['drop trigger enrol_fault'],
  ],
  postgres: [
    [
      `create function enrol_fault() returns trigger language plpgsql as $$
       begin raise exception 'fault'; end $$`,
      `create trigger enrol_fault before insert on clientele_events
       for each row when (new.type = 'two_factor.enrolled') execute function enrol_fault()`,
    ],
    ['drop trigger enrol_fault on clientele_events', 'drop function enrol_fault'],
  ],
}
