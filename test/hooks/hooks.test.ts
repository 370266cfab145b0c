import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { type ClienteleHooks, HookRefusal, type NewTrustedIssuer } from '@clientele/core'
import { decodeJwt, SignJWT } from 'jose'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { codeOf } from '../keys/open-clientele.ts'
import { eitherDatabase, type OpenDatabase } from '../support/databases.ts'
import { logIn } from '../support/log-in.ts'
import { SignInWorld } from '../support/sign-in-world.ts'

const databases = eitherDatabase(import.meta.filename)

const words = 'Not here.'
const refuse = () => {
  throw new HookRefusal(words)
}
const fail = () => {
  throw new Error('The hook is broken.')
}

describe.each(databases)('hooks, on $name', ({ open }) => {
  let database: OpenDatabase
  const world = new SignInWorld(() => database.url)
  beforeAll(async () => {
    database = await open()
  })
  afterAll(() => database.close())

  /** Starts a process with hooks that may be replaced, and one without. */
  async function start(hooks: ClienteleHooks) {
    const free = await world.start()
    const added = await world.addUser(free.clientele)
    const errors: object[] = []
    const ignore = () => {}
    const logger = { info: ignore, warn: ignore, error: (about: object) => errors.push(about) }
    const { clientele, mails, mailed } = await world.start({ hooks, logger })
    return { free: free.clientele, clientele, mails, mailed, errors, ...added }
  }
  const newUser = { name: 'Grace', password: 'password' }
  let count = 0
  const newEmail = () => `grace-${++count}-${Date.now()}@example.com`

  test('let a user be created, and get the user without the password', async () => {
    const told: unknown[] = []
    const beforeCreate = (...given: unknown[]) => void told.push(given)
    const { clientele, accountId } = await start({ beforeCreate })
    const email = newEmail()
    const call = {
      accountId,
      requestId: 'req-1',
      clientAddress: '192.0.2.7',
      hookContext: 'captcha 1',
    }
    const { user } = await clientele.users.create(call, { ...newUser, email })
    const { user: invited } = await clientele.users.invite(accountId, {
      name: 'Ida',
      email: newEmail(),
    })
    const about = {
      accountId,
      requestId: 'req-1',
      clientAddress: '192.0.2.7',
      hookContext: 'captcha 1',
    }
    const actor = { type: 'operator', id: null }
    expect(told).toEqual([
      [user, { ...about, actor, origin: 'create', signal: expect.any(AbortSignal) }],
      [invited, expect.objectContaining({ origin: 'invitation', hookContext: undefined })],
    ])
  })

  test.each([
    ['refused_by_hook', refuse],
    ['hook_unavailable', fail],
  ])('leave nothing written: %s', async (code, hook) => {
    const hooks = { beforeCreate: hook, beforeUpdate: hook, beforeSignIn: hook, tokenClaims: hook }
    const { clientele, free, accountId, user, credentials, mails } = await start(hooks)
    const signedIn = await logIn(free, accountId, credentials)
    const { nextCursor } = await free.events.read(accountId, { limit: 1_000 })
    const before = await free.users.find(accountId, user.id)
    const other = await free.users.create(accountId, {
      ...newUser,
      email: newEmail(),
      isActive: false,
    })
    const { users, auth } = clientele
    const refused = [
      users.create(accountId, { ...newUser, email: newEmail() }),
      users.invite(accountId, { name: 'Ida', email: newEmail() }),
      users.patch(accountId, user.id, { name: 'Ada King' }),
      users.replace(accountId, user.id, { ...credentials, name: 'Ada King' }),
      users.activate(accountId, other.user.id),
      auth.logIn(accountId, credentials),
      auth.refresh(accountId, { refreshToken: signedIn.refreshToken }),
      auth.impersonate(accountId, user.id, { actor: 'Support', reason: 'Ticket 4711' }),
    ]
    expect(await Promise.all(refused.map(codeOf))).toEqual(refused.map(() => code))
    expect(await free.users.find(accountId, user.id)).toEqual(before)
    expect((await free.users.list(accountId)).total).toBe(2)
    expect(await free.sessions.list(accountId, user.id)).toHaveLength(1)
    expect(mails).toEqual([])
    const { data } = await free.events.read(accountId, { after: nextCursor })
    const told = data.map(({ type, data: { reason } }) => [type, reason])
    const failure = ['user.login_failed', 'refused_by_hook']
    expect(told).toEqual([
      ['user.created', undefined],
      ...(code === 'refused_by_hook' ? [failure] : []),
    ])
    // The refresh token is not used up.
    const again = await free.auth.refresh(accountId, { refreshToken: signedIn.refreshToken })
    expect(again.user.id).toBe(user.id)
  })

  test('give the caller their words, on one line, and nothing of an error', async () => {
    const hooks: ClienteleHooks = {
      beforeCreate: () => {
        throw new HookRefusal(`No\r\nline \u2028${'x'.repeat(600)}`)
      },
      beforeSignIn: fail,
    }
    const { clientele, accountId, credentials, errors } = await start(hooks)
    const refused = clientele.users.create(accountId, { ...newUser, email: newEmail() })
    await expect(refused).rejects.toMatchObject({
      detail: expect.stringMatching(/^No line x{490,491}$/),
    })
    const failed = clientele.auth.logIn(accountId, credentials)
    await expect(failed).rejects.toMatchObject({
      code: 'hook_unavailable',
      status: 503,
      detail: expect.not.stringContaining('broken'),
    })
    const [error] = errors
    expect(error).toMatchObject({ hook: 'beforeSignIn', accountId, error: { message: /broken/ } })
  })

  test.each<[string, string, () => unknown]>([
    ['a refusal', 'refused_by_hook', () => new HookRefusal('No.')],
    ['a refusal later', 'refused_by_hook', async () => new HookRefusal('No.')],
    ['false', 'hook_unavailable', () => false],
    ['the answer of a service', 'hook_unavailable', () => ({ refuse: 'No.' })],
  ])('let nothing happen where they return %s', async (_what, code, answer) => {
    const hook = answer as () => void // what a host without types may write
    const { clientele, accountId, user, credentials, errors } = await start({
      beforeCreate: hook,
      beforeUpdate: hook,
      beforeSignIn: hook,
    })
    const refused = [
      clientele.users.create(accountId, { ...newUser, email: newEmail() }),
      clientele.users.patch(accountId, user.id, { name: 'Ada King' }),
      clientele.auth.logIn(accountId, credentials),
    ]
    expect(await Promise.all(refused.map(codeOf))).toEqual([code, code, code])
    if (code === 'hook_unavailable')
      expect(errors[0]).toMatchObject({ error: { message: /must return nothing/ } })
  })

  test('get what changes, and are not asked when access is taken away', async () => {
    const told: unknown[] = []
    const beforeUpdate: ClienteleHooks['beforeUpdate'] = (user, { before, changed }) =>
      void told.push([changed, before.name, user.name, user.isActive])
    const { clientele, accountId, user } = await start({ beforeUpdate })
    const { users, sessions } = clientele
    const { id } = user
    await users.patch(accountId, id, { name: 'Ada King', password: 'another password' })
    await users.patch(accountId, id, { name: 'Ada King' })
    await users.patch(accountId, id, { isActive: false })
    await users.activate(accountId, id)
    await users.activate(accountId, id)
    await users.deactivate(accountId, id)
    await users.patch(accountId, id, { isActive: true, roles: ['a'] })
    await users.replace(accountId, id, { name: 'Ada', email: user.email, isActive: false })
    expect(told).toEqual([
      [['name', 'password'], 'Ada', 'Ada King', true],
      [['isActive'], 'Ada King', 'Ada King', true],
      [['roles', 'isActive'], 'Ada King', 'Ada King', true],
      [['name', 'roles', 'isActive'], 'Ada King', 'Ada', false],
    ])
    await sessions.revokeAll(accountId, id)
    await users.delete(accountId, id)
    expect(told).toHaveLength(4)
  })

  test('are asked about an activation also when the user is deactivated at the same moment', async () => {
    const { free, clientele, accountId, user } = await start({ beforeUpdate: refuse })
    for (let round = 0; round < 5; round++) {
      await free.users.activate(accountId, user.id)
      await Promise.all([
        free.users.deactivate(accountId, user.id),
        codeOf(clientele.users.activate(accountId, user.id)),
      ])
      expect((await free.users.find(accountId, user.id)).user.isActive).toBe(false)
    }
  })

  test('are asked again about an activation when the user changes meanwhile, so that no refused state is stored', async () => {
    const asked: unknown[] = []
    const beforeUpdate: ClienteleHooks['beforeUpdate'] = async ({ isActive, roles }) => {
      asked.push([isActive, roles])
      if (isActive && roles.includes('admin')) refuse()
      if (asked.length === 1) await clientele.users.patch(accountId, user.id, { roles: ['admin'] })
    }
    const { clientele, free, accountId, user } = await start({ beforeUpdate })
    await free.users.deactivate(accountId, user.id)
    expect(await codeOf(clientele.users.activate(accountId, user.id))).toBe('refused_by_hook')
    expect(asked).toEqual([
      [true, []],
      [false, ['admin']],
      [true, ['admin']],
    ])
    const { user: stored } = await free.users.find(accountId, user.id)
    expect(stored).toMatchObject({ isActive: false, roles: ['admin'] })
  })

  test('are asked before every session, after the second factor', async () => {
    const told: string[][] = []
    const beforeSignIn: ClienteleHooks['beforeSignIn'] = (_user, { amr }) => void told.push(amr)
    const { clientele, accountId, user, credentials, mailed } = await start({ beforeSignIn })
    const { auth, accounts } = clientele
    await accounts.setPolicy(accountId, { signIn: ['password', 'email_code'] })
    await logIn(clientele, accountId, credentials)
    const { challenge: asked } = await auth.mailSignInCode(accountId, { email: user.email })
    await auth.logInWithCode(accountId, { challenge: asked, code: await mailed('sign_in_code') })
    const { password } = { password: 'a new password' }
    await clientele.users.patch(accountId, user.id, { password })
    const { generate } = await world.enrolTotp(clientele, accountId, user.id)
    const signIn = { email: user.email, password }
    const challenge = await world.challengeOf(clientele, accountId, signIn)
    expect(told).toEqual([['pwd'], ['otp']])
    await auth.completeMfa(accountId, { challenge, method: 'totp', code: generate() })
    expect(told).toEqual([['pwd'], ['otp'], ['pwd', 'otp', 'mfa']])
  })

  test('are asked before an expired password is changed, so that a refusal leaves it', async () => {
    const asked: string[] = []
    let isRefused = true
    const hooks: ClienteleHooks = {
      beforeUpdate: (_user, { changed }) => void asked.push(`update ${changed}`),
      beforeSignIn: () => {
        asked.push('sign-in')
        if (isRefused) refuse()
      },
    }
    const { clientele, accountId, user, credentials } = await start(hooks)
    await clientele.users.expirePassword(accountId, user.id)
    const change = async () => {
      const result = await clientele.auth.logIn(accountId, credentials)
      if (!('passwordChangeRequired' in result)) throw new Error('It has not expired.')
      const { challenge } = result
      return clientele.auth.changeExpiredPassword(accountId, { challenge, password: 'another one' })
    }
    expect(await codeOf(change())).toBe('refused_by_hook')
    isRefused = false
    expect((await change()).user.id).toBe(user.id)
    expect(asked).toEqual(['update password', 'sign-in', 'update password', 'sign-in'])
  })

  test('refuse before a device is used up, before a factor is enrolled, and before a user is created', async () => {
    let isRefused = false
    const beforeSignIn = () => {
      if (isRefused) refuse()
    }
    const { clientele, accountId, user, credentials } = await start({ beforeSignIn })
    const { auth, accounts, mfa, users } = clientele
    await accounts.setPolicy(accountId, { rememberDeviceDays: 30, secondFactor: 'required' })
    const asked = await auth.logIn(accountId, credentials)
    if (!('challenge' in asked)) throw new Error('No second factor was asked for.')
    const { challenge } = asked
    const begun = await auth.enrolToLogIn(accountId, { challenge, method: 'totp' })
    const code = world.totpCode(begun?.secret ?? '')
    isRefused = true
    const enrol = (text: string) =>
      auth.completeMfa(accountId, { challenge, method: 'totp', code: text, rememberDevice: true })
    expect(await codeOf(enrol(code))).toBe('refused_by_hook')
    expect((await mfa.read(accountId, user.id)).totp).toBe(false)
    isRefused = false
    world.now += 30_000
    const enrolled = await enrol(world.totpCode(begun?.secret ?? ''))
    if (!('token' in enrolled)) throw new Error('The password has not expired.')
    expect(enrolled.recoveryCodes).toHaveLength(10)
    const onDevice = { ...credentials, deviceToken: enrolled.deviceToken ?? '' }
    isRefused = true
    for (const _ of [1, 2])
      expect(await codeOf(auth.logIn(accountId, onDevice))).toBe('refused_by_hook')
    isRefused = false
    expect(await auth.logIn(accountId, onDevice)).toHaveProperty('deviceToken')
    const issuer = {
      issuer: 'https://login.example.com',
      audience: 'a',
      algorithms: ['HS256' as const],
    }
    const sharedSecret = 'a shared secret of 32 bytes or more'
    const trust = { signIn: true, nonce: 'optional' as const, trustUnverifiedEmail: true }
    await clientele.trustedIssuers.create(accountId, { ...issuer, ...trust, sharedSecret })
    await accounts.setPolicy(accountId, { secondFactor: 'optional' })
    const email = newEmail()
    const idToken = await new SignJWT({ email, name: 'Grace' })
      .setProtectedHeader({ alg: 'HS256' })
      .setIssuer(issuer.issuer)
      .setAudience(issuer.audience)
      .setSubject('4711')
      .setIssuedAt(Math.floor(world.now / 1000))
      .setExpirationTime(Math.floor(world.now / 1000) + 60)
      .sign(new TextEncoder().encode(sharedSecret))
    const first = () => auth.logInWithIdToken(accountId, { idToken, create: true })
    isRefused = true
    expect(await codeOf(first())).toBe('refused_by_hook')
    expect((await users.list(accountId, { email })).total).toBe(0)
    isRefused = false
    expect(await first()).toMatchObject({ user: { email } })
  })

  const sharedSecret = 'a shared secret of 32 bytes or more'
  const trusted = {
    ...{ issuer: 'https://login.example.com', audience: 'a', sharedSecret },
    ...{ signIn: true, linkByEmail: true, nonce: 'optional', algorithms: ['HS256'] },
  } satisfies NewTrustedIssuer
  const sign = (email: string) => {
    const seconds = Math.floor(world.now / 1000)
    return new SignJWT({ email, email_verified: true })
      .setProtectedHeader({ alg: 'HS256' })
      .setIssuer(trusted.issuer)
      .setAudience(trusted.audience)
      .setSubject(email)
      .setIssuedAt(seconds)
      .setExpirationTime(seconds + 60)
      .sign(new TextEncoder().encode(sharedSecret))
  }

  test.each(['optional', 'required'] as const)(
    'refuse before an ID token links or creates a user, where a second factor is %s',
    async (secondFactor) => {
      let isRefused = true
      const told: object[] = []
      const beforeSignIn: ClienteleHooks['beforeSignIn'] = (_, context) => {
        told.push(context)
        if (isRefused) refuse()
      }
      const { clientele, free, accountId, user, credentials } = await start({ beforeSignIn })
      const { auth, identities, trustedIssuers } = clientele
      await trustedIssuers.create(accountId, trusted)
      const { token } = await logIn(free, accountId, credentials)
      world.now += 2_000
      const idToken = await sign(user.email)
      const ofAnother = { idToken: await sign(newEmail()), create: true }
      await free.accounts.setPolicy(accountId, { secondFactor })
      const { nextCursor } = await free.events.read(accountId)
      expect(await codeOf(auth.logInWithIdToken(accountId, { idToken }))).toBe('refused_by_hook')
      expect(await codeOf(auth.logInWithIdToken(accountId, ofAnother))).toBe('refused_by_hook')
      await free.accounts.setPolicy(accountId, { secondFactor: 'optional' })
      const { data } = await free.events.read(accountId, { after: nextCursor })
      const types = data.map(({ type }) => type).filter((type) => type !== 'account.updated')
      expect(types).toEqual(['user.login_failed', 'user.login_failed'])
      expect(await identities.list(accountId, user.id)).toEqual([])
      expect(await codeOf(auth.validateToken(accountId, token))).toBeUndefined()
      await logIn(free, accountId, credentials)
      isRefused = false
      expect(await auth.logInWithIdToken(accountId, { idToken })).toMatchObject({
        user: { id: user.id },
      })
      expect(await identities.list(accountId, user.id)).toHaveLength(1)
      expect(told[0]).toMatchObject({ needsSecondFactor: secondFactor === 'required' })
      expect(told.at(-1)).toMatchObject({ amr: ['fed'], needsSecondFactor: false })
    },
  )

  test('ask for no claims where a second factor follows an ID token', async () => {
    let asked = 0
    const tokenClaims = () => {
      asked++
      return refuse()
    }
    const { clientele, accountId, user } = await start({ tokenClaims })
    await clientele.trustedIssuers.create(accountId, trusted)
    await clientele.accounts.setPolicy(accountId, { secondFactor: 'required' })
    world.now += 2_000
    for (const email of [user.email, newEmail()]) {
      const input = { idToken: await sign(email), create: true }
      const answer = await clientele.auth.logInWithIdToken(accountId, input)
      expect(answer).toHaveProperty('mfaEnrolmentRequired')
    }
    expect(asked).toBe(0)
  })

  test('add claims to each token, which a refresh asks for again', async () => {
    let plan = 'free'
    const told: object[] = []
    const tokenClaims: ClienteleHooks['tokenClaims'] = async (user, context) => {
      told.push(context)
      return { plan, permissions: user.roles, left: undefined }
    }
    const { clientele, accountId, user, credentials } = await start({ tokenClaims })
    const { auth } = clientele
    const { token, refreshToken } = await logIn(clientele, accountId, credentials)
    const { claims } = await auth.validateToken(accountId, token)
    expect(claims).toMatchObject({ plan: 'free', permissions: [], sub: user.id, amr: ['pwd'] })
    expect(claims).not.toHaveProperty('left')
    plan = 'paid'
    const next = await auth.refresh(accountId, { refreshToken })
    expect(decodeJwt(next.token)).toMatchObject({ plan })
    const { password } = credentials
    const shown = await auth.reauthenticate(accountId, {
      refreshToken: next.refreshToken,
      password,
    })
    expect(decodeJwt(shown.token)).toMatchObject({ plan })
    const acting = { actor: 'Support', reason: 'Ticket 4711' }
    const acts = await auth.impersonate(accountId, user.id, acting)
    expect(decodeJwt(acts.token)).toMatchObject({ plan, act: { sub: 'Support' } })
    const { sid: sessionId } = claims
    expect(told).toMatchObject([
      { sessionId, amr: ['pwd'], impersonatedBy: null, actor: { type: 'user', id: user.id } },
      { sessionId, amr: ['pwd'] },
      { sessionId, amr: ['pwd'] },
      { amr: [], impersonatedBy: 'Support', actor: { type: 'operator' } },
    ])
  })

  test('get no token by claims that are too large, reserved, or no object', async () => {
    const loop: Record<string, unknown> = {}
    loop.loop = loop
    let claims: unknown
    const tokenClaims = () => claims as Record<string, unknown>
    const { clientele, accountId, user, credentials, errors } = await start({ tokenClaims })
    const wrong = [
      { text: 'x'.repeat(4_096) },
      { text: 'ü'.repeat(2_048) },
      ...[
        'iss',
        'sub',
        'aud',
        'exp',
        'nbf',
        'iat',
        'jti',
        'sid',
        'amr',
        'auth_time',
        'act',
        'scope',
      ].map((name) => ({ [name]: 1 })),
      loop,
      ['a'],
      'a',
      { big: 1n },
      { toJSON: () => undefined },
      { toJSON: () => ['a'] },
    ]
    for (claims of wrong)
      expect(await codeOf(clientele.auth.logIn(accountId, credentials))).toBe('hook_failed')
    expect(errors).toHaveLength(wrong.length)
    expect(await clientele.sessions.list(accountId, user.id)).toEqual([])
    claims = { text: 'x'.repeat(4_096 - '{"text":""}'.length) }
    const { token } = await logIn(clientele, accountId, credentials)
    expect(await codeOf(clientele.auth.validateToken(accountId, token))).toBeUndefined()
  })

  test('that hang for one account leave others alone, and are given up after three seconds', async () => {
    const pending: AbortSignal[] = []
    let hanging = ''
    const beforeUpdate: ClienteleHooks['beforeUpdate'] = (_user, { accountId, signal }) => {
      if (accountId !== hanging) return
      pending.push(signal)
      return new Promise(() => {})
    }
    const { clientele, accountId, user, errors } = await start({ beforeUpdate })
    const other = await world.addUser(clientele)
    hanging = accountId
    const patches = Array.from({ length: 220 }, (_, index) =>
      codeOf(clientele.users.patch(accountId, user.id, { name: `Ada ${index}` })),
    )
    await expect.poll(() => pending.length).toBe(16)
    await clientele.users.patch(other.accountId, other.user.id, { name: 'Grace' })
    expect(pending.some(({ aborted }) => aborted)).toBe(false)
    // More may not wait, which is no fault of the hook.
    const codes = await Promise.all(patches)
    expect(codes.filter((code) => code === 'overloaded')).toHaveLength(4)
    expect(codes.filter((code) => code === 'hook_unavailable')).toHaveLength(216)
    expect(errors).toHaveLength(216)
    expect(pending.every(({ aborted }) => aborted)).toBe(true)
    hanging = ''
    await clientele.users.patch(accountId, user.id, { name: 'Ada King' })
  })
})

test('a process without a server learns that a hook never answers', {
  timeout: 20_000,
}, async () => {
  const script = join(import.meta.dirname, 'silent-hook.ts')
  const { stdout } = await promisify(execFile)(process.execPath, [script])
  expect(stdout).toBe('hook_unavailable\n')
})
