import type { SetPolicy } from '@clientele/core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { codeOf } from '../keys/open-clientele.ts'
import { eitherDatabase, type OpenDatabase } from '../support/databases.ts'
import { byKeys, IssuerWorld } from '../support/issuer-world.ts'
import { logIn, toRefresh } from '../support/log-in.ts'
import { toSignedIn } from '../support/to-signed-in.ts'

const databases = eitherDatabase(import.meta.filename)

const absentId = '019dfae2-6a4d-7000-8000-000000000000'
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

describe.each(databases)('the policy of an account, on $name', ({ open }) => {
  let database: OpenDatabase
  const world = new IssuerWorld(() => database.url)
  beforeAll(async () => {
    database = await open()
  })
  afterAll(() => database.close())

  const verify = async (accountId: string, email: string) => world.proveAddress(accountId, email)

  test('has a default, takes some members, keeps the others, and tells what changed', async () => {
    const { clientele } = await world.start()
    const { accounts } = clientele
    const account = await accounts.create({ name: 'Acme' })
    expect(account.policy).toEqual(defaultPolicy)
    const heard: unknown[] = []
    clientele.events.on('account.updated', (event) => heard.push(event.account.policy))
    const given: SetPolicy = { signIn: ['id_token', 'password', 'id_token'], minPasswordLength: 12 }
    const first = await accounts.setPolicy(account.id, given)
    // In our order, each way once
    const kept = { ...defaultPolicy, signIn: ['password', 'id_token'], minPasswordLength: 12 }
    expect(first).toEqual({ ...account, policy: kept })
    const second = await accounts.setPolicy(account.id, { verifiedEmail: 'required' })
    expect(second.policy).toEqual({ ...kept, verifiedEmail: 'required' })
    await accounts.setPolicy(account.id, { minPasswordLength: 12, signIn: undefined })
    await accounts.setPolicy(account.id, {})
    expect(heard).toEqual([first.policy, second.policy])
    await accounts.update(account.id, { slug: 'policied' })
    await accounts.disable(account.id)
    expect((await accounts.find({ slug: 'policied' })).policy).toEqual(second.policy)
    const { data } = await clientele.events.read(account.id, { types: ['account.updated'] })
    expect(data).toHaveLength(3)
    expect(data[0]).toMatchObject({ actor: { type: 'operator' }, data: { account: first } })
    expect(await codeOf(accounts.setPolicy(absentId, {}))).toBe('account_not_found')
  })

  test('narrows what the service allows, and names a wider value', async () => {
    const { clientele } = await world.start({
      passwords: { minLength: 10, hashing: { memoryKiB: 8, passes: 1 } },
      sessionTtlSeconds: 3_600,
      sessionMaxSeconds: 7_200,
    })
    const { accounts } = clientele
    const { id } = await accounts.create({ name: 'Acme' })
    const wide = { minPasswordLength: 9, sessionTtlSeconds: 3_601, sessionMaxSeconds: 7_201 }
    await expect(accounts.setPolicy(id, wide)).rejects.toMatchObject({
      code: 'validation_failed',
      issues: [
        {
          pointer: '/minPasswordLength',
          code: 'too_small',
          message: expect.stringContaining('10'),
        },
        {
          pointer: '/sessionTtlSeconds',
          code: 'too_large',
          message: expect.stringContaining('3600'),
        },
        {
          pointer: '/sessionMaxSeconds',
          code: 'too_large',
          message: expect.stringContaining('7200'),
        },
      ],
    })
    expect((await accounts.find(id)).policy).toEqual(defaultPolicy)
    const narrow = { minPasswordLength: 10, sessionTtlSeconds: 3_600, sessionMaxSeconds: 7_200 }
    expect((await accounts.setPolicy(id, narrow)).policy).toMatchObject(narrow)
    // In a process with other settings, the narrower of both counts.
    const { clientele: other } = await world.start({ sessionTtlSeconds: 600 })
    const { credentials } = await world.addUser(other, { accountId: id }).catch(async () => {
      const email = 'long@example.com'
      const password = 'a longer password'
      await other.users.create(id, { name: 'Ada', email, password })
      return { credentials: { email, password } }
    })
    expect((await logIn(other, id, credentials)).refreshExpiresIn).toBe(600)
    expect((await logIn(clientele, id, credentials)).refreshExpiresIn).toBe(3_600)
  })

  test.each([
    [{ signIn: [] }, '/signIn', 'too_few'],
    [{ signIn: ['magic'] }, '/signIn/0', 'value'],
    [{ signIn: 'password' }, '/signIn', 'type'],
    [{ signIn: null }, '/signIn', 'type'],
    [{ passwordRequired: null }, '/passwordRequired', 'type'],
    [{ minPasswordLength: 5 }, '/minPasswordLength', 'too_small'],
    [{ minPasswordLength: 65 }, '/minPasswordLength', 'too_large'],
    [{ minPasswordLength: 7.5 }, '/minPasswordLength', 'type'],
    [{ verifiedEmail: true }, '/verifiedEmail', 'value'],
    [{ rememberDeviceDays: 91 }, '/rememberDeviceDays', 'too_large'],
    [{ rememberDeviceDays: null }, '/rememberDeviceDays', 'type'],
    [{ sessionTtlSeconds: 59 }, '/sessionTtlSeconds', 'too_small'],
    [{ sessionMaxSeconds: 1e12 }, '/sessionMaxSeconds', 'too_large'],
    [{ sign_in: ['password'] }, '/sign_in', 'unrecognized'],
    [{ secondFactor: true }, '/secondFactor', 'value'],
    [{ secondFactr: 'required' }, '/secondFactr', 'unrecognized'],
  ])('refuses %j', async (wrong, pointer, code) => {
    const { clientele } = await world.start()
    const { id } = await clientele.accounts.create({ name: 'Acme' })
    const issues = expect.arrayContaining([expect.objectContaining({ pointer, code })])
    const setting = clientele.accounts.setPolicy(id, wrong as SetPolicy) // types would refuse it
    await expect(setting).rejects.toMatchObject({ issues })
  })

  test('is obeyed by the next sign-in of every process, and ends no session', async () => {
    const { clientele } = await world.start()
    const { clientele: operator } = await world.start()
    const { accountId, user, credentials, signedIn } = await world.signIn(clientele)
    await operator.accounts.setPolicy(accountId, { signIn: ['passkey'] })
    const { auth } = clientele
    expect(await codeOf(auth.logIn(accountId, credentials))).toBe('sign_in_method_disabled')
    const nobody = { ...credentials, email: 'nobody@example.com' }
    expect(await codeOf(auth.logIn(accountId, nobody))).toBe('sign_in_method_disabled')
    const refreshed = await auth.refresh(accountId, toRefresh(signedIn))
    const validated = await auth.validateToken(accountId, refreshed.token)
    expect(validated.user.id).toBe(user.id)
    await operator.accounts.setPolicy(accountId, { signIn: ['password'] })
    await logIn(clientele, accountId, credentials)
  })

  test('asks for a verified address after a right password, also where a second factor follows', async () => {
    const { clientele } = await world.start()
    const { accountId, user, credentials } = await world.addUser(clientele)
    const { auth } = clientele
    await clientele.accounts.setPolicy(accountId, { verifiedEmail: 'required' })
    expect(await codeOf(auth.logIn(accountId, credentials))).toBe('email_not_verified')
    await verify(accountId, user.email)
    await logIn(clientele, accountId, credentials)
    const { generate } = await world.enrolTotp(clientele, accountId, user.id)
    const challenge = await world.challengeOf(clientele, accountId, credentials)
    await auth.completeMfa(accountId, { challenge, method: 'totp', code: generate() })
    const email = `new.${user.email}`
    await clientele.users.patch(accountId, user.id, { email })
    expect(await codeOf(auth.logIn(accountId, { ...credentials, email }))).toBe(
      'email_not_verified',
    )
  })

  test('counts for a challenge that was given before it', async () => {
    const { clientele } = await world.start()
    const { accountId, user, credentials } = await world.addUser(clientele)
    const { auth, accounts } = clientele
    const { generate } = await world.enrolTotp(clientele, accountId, user.id)
    await clientele.mfa.enrolEmail(accountId, user.id)
    const challenge = await world.challengeOf(clientele, accountId, credentials)
    const complete = () =>
      auth.completeMfa(accountId, { challenge, method: 'totp', code: generate() })
    await accounts.setPolicy(accountId, { signIn: ['id_token'] })
    expect(await codeOf(complete())).toBe('sign_in_method_disabled')
    expect(await codeOf(auth.mailMfaCode(accountId, { challenge }))).toBe('sign_in_method_disabled')
    expect(await codeOf(auth.beginPasskeyMfa(accountId, { challenge }))).toBe(
      'sign_in_method_disabled',
    )
    await accounts.setPolicy(accountId, { signIn: ['password'], verifiedEmail: 'required' })
    expect(await codeOf(complete())).toBe('email_not_verified')
    await accounts.setPolicy(accountId, { verifiedEmail: 'optional', sessionTtlSeconds: 300 })
    expect(toSignedIn(await complete()).refreshExpiresIn).toBe(300)
  })

  test('is asked before an ID token is looked at, and before a user is created', async () => {
    const { clientele, accountId, user, trust, signByKey } = await world.openAccount()
    await trust({ ...byKeys, signIn: true, linkByEmail: true, nonce: 'optional' })
    const claims = { sub: 'ada-there', email: user.email, email_verified: true }
    const idToken = await signByKey(claims)
    const { auth, accounts } = clientele
    await accounts.setPolicy(accountId, { signIn: ['password'] })
    const stranger = await signByKey({ ...claims, sub: 'grace', email: 'grace@example.com' })
    for (const token of [idToken, stranger, 'x', await signByKey({ exp: 1 })])
      expect(await codeOf(auth.logInWithIdToken(accountId, { idToken: token, create: true }))).toBe(
        'sign_in_method_disabled',
      )
    expect((await clientele.users.list(accountId)).total).toBe(1)
    expect(await clientele.identities.list(accountId, user.id)).toEqual([])
    await accounts.setPolicy(accountId, { signIn: ['id_token'], sessionTtlSeconds: 120 })
    const signedIn = await auth.logInWithIdToken(accountId, { idToken })
    expect(signedIn).toMatchObject({ refreshExpiresIn: 120 })
    // Tokens up to the link are revoked by it.
    world.now += 1_000
    // An address that the issuer vouches for is no matter of this rule, which is about passwords.
    await accounts.setPolicy(accountId, { verifiedEmail: 'required' })
    await auth.logInWithIdToken(accountId, { idToken: await signByKey({ ...claims, jti: '2' }) })
  })

  test('lets users be created without a password in process, and in a transaction of the host', async () => {
    const { clientele } = await world.start()
    const { id } = await clientele.accounts.create({ name: 'Acme' })
    const ada = { name: 'Ada', email: 'ada@example.com', password: undefined }
    const refused = { issues: [{ pointer: '/password', code: 'required' }] }
    await expect(clientele.users.create(id, ada)).rejects.toMatchObject(refused)
    await expect(clientele.users.create(absentId, ada)).rejects.toMatchObject(refused)
    await clientele.accounts.setPolicy(id, { passwordRequired: false, minPasswordLength: 12 })
    const { user } = await clientele.users.create(id, ada)
    const call = { accountId: id, idempotencyKey: 'grace' }
    const grace = { ...ada, email: 'grace@example.com' }
    const created = await clientele.users.create(call, grace)
    expect((await clientele.users.create(call, grace)).user).toEqual(created.user)
    const short = { issues: [{ pointer: '/password', code: 'too_short' }] }
    const password = 'elevenchars'
    const create = { name: 'Ada', email: 'x@example.com', password }
    await expect(clientele.users.create(id, create)).rejects.toMatchObject(short)
    await expect(clientele.users.patch(id, user.id, { password })).rejects.toMatchObject(short)
    await expect(clientele.users.replace(id, user.id, { ...ada, password })).rejects.toMatchObject(
      short,
    )
    const records = [
      { line: 1, value: { name: 'No', email: 'no@example.com', password } },
      { line: 2, value: { name: 'Yes', email: 'yes@example.com', password: `${password}!` } },
    ]
    const imported = await clientele.users.import(id, records, { onError: 'skip' })
    expect(imported).toMatchObject({ imported: 1, errors: [{ line: 1, code: 'too_short' }] })
  })

  test('counts for a password that is reset', async () => {
    const { clientele, mailed } = await world.start()
    const { accountId, user, credentials } = await world.addUser(clientele)
    await clientele.accounts.setPolicy(accountId, { minPasswordLength: 12 })
    await clientele.auth.forgotPassword(accountId, { email: user.email })
    const token = await mailed('password_reset')
    const reset = (password: string) => clientele.auth.resetPassword(accountId, { token, password })
    await expect(reset('elevenchars')).rejects.toMatchObject({
      issues: [{ pointer: '/password', code: 'too_short' }],
    })
    await logIn(clientele, accountId, credentials)
    await reset('twelve chars')
    await logIn(clientele, accountId, { ...credentials, password: 'twelve chars' })
  })
})
