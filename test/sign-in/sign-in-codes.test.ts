import { createHash, randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { Encryptor } from '../../packages/core/src/base/crypto/encryptor.ts'
import {
  codeOf,
  issuesOf,
  openClientele,
  openRepository,
  testSecret,
} from '../keys/open-clientele.ts'
import { eitherDatabase, type OpenDatabase } from '../support/databases.ts'
import { runSql } from '../support/run-sql.ts'
import { byCode, otherThan, SignInCodeWorld, typesOf } from './sign-in-code-world.ts'

const databases = eitherDatabase(import.meta.filename)

const nobody = 'nobody@example.com'

describe.each(databases)('signing in by a mailed code, on $name', ({ open }) => {
  let database: OpenDatabase
  const world = new SignInCodeWorld(() => database.url)
  beforeAll(async () => {
    database = await open()
  })
  afterAll(() => database.close())

  test('opens a session and verifies the address, once', async () => {
    const { clientele, accountId, user, codes } = await world.open()
    const { auth, sessions, users } = clientele
    const asked = await auth.mailSignInCode(accountId, {
      email: ` ${user.email} `,
      locale: 'DE-ch',
    })
    expect(asked).toEqual({ challenge: expect.stringMatching(/^[\w-]{43}$/), expiresIn: 600 })
    await expect.poll(() => codes().length).toBe(1)
    const [mail] = codes()
    expect(mail).toEqual({
      kind: 'sign_in_code',
      accountId,
      to: user.email,
      user,
      code: expect.stringMatching(/^\d{8}$/),
      token: expect.stringMatching(/^[\w-]{43}$/),
      expiresInSeconds: 600,
      locale: 'de-CH',
    })
    const { challenge } = asked
    const given = { challenge, code: mail?.code.replace(/(.{4})/, '$1 ') ?? '' }
    const signedIn = await auth.logInWithCode(accountId, given)
    if (!('token' in signedIn)) throw new Error('Not signed in.')
    expect(signedIn.user.id).toBe(user.id)
    expect((await auth.validateToken(accountId, signedIn.token)).user.id).toBe(user.id)
    expect(await sessions.list(accountId, user.id)).toMatchObject([{ amr: ['otp'] }])
    expect(await users.getEmailVerifiedAt(accountId, user.id)).not.toBeNull()
    expect(await codeOf(auth.logInWithCode(accountId, given))).toBe('challenge_invalid')
    const { refreshToken } = signedIn
    expect(await codeOf(auth.refresh(accountId, { refreshToken }))).toBeUndefined()
    expect(await typesOf(clientele, accountId)).toEqual([
      'user.email_verified by user',
      'user.logged_in by user',
    ])
    const { data } = await clientele.events.read(accountId, { types: ['user.email_verified'] })
    const [session] = await sessions.list(accountId, user.id)
    const verified = { revokedCredentials: true, keptSessionId: session?.id }
    expect(data[0]?.data).toMatchObject(verified)
  })

  test('or by the token of the link, with the challenge of the page that asked, and no other', async () => {
    const { clientele, accountId, ask } = await world.open()
    const { auth, accounts } = clientele
    const first = await ask()
    const { id: otherId } = await accounts.create({ name: 'Other' })
    await accounts.setPolicy(otherId, { signIn: [...byCode] })
    const { challenge: foreign } = await auth.mailSignInCode(otherId, {
      email: first.mail.user.email,
    })
    const { challenge: strangers } = await auth.mailSignInCode(accountId, { email: nobody })
    const { token, challenge, code } = first
    for (const [account, given] of [
      [accountId, token],
      [accountId, code],
      [accountId, foreign],
      [otherId, challenge],
    ] as const)
      expect(await codeOf(auth.logInWithCode(account, { challenge: given, code: token }))).toBe(
        'challenge_invalid',
      )
    for (const wrong of [token, code])
      expect(
        await codeOf(auth.logInWithCode(accountId, { challenge: strangers, code: wrong })),
      ).toBe('sign_in_code_invalid')
    expect(await codeOf(auth.logInWithCode(accountId, { challenge, code: challenge }))).toBe(
      'sign_in_code_invalid',
    )
    expect(await auth.logInWithCode(accountId, { challenge, code: token })).toHaveProperty('token')
    // What came with it is used up, too.
    expect(await codeOf(auth.logInWithCode(accountId, { challenge, code }))).toBe(
      'challenge_invalid',
    )
  })

  test('a new request voids the code before', async () => {
    const { clientele, accountId, ask } = await world.open()
    const { auth } = clientele
    const [first, second] = [await ask(), await ask()]
    const by = (challenge: string, code: string) =>
      auth.logInWithCode(accountId, { challenge, code })
    expect(await codeOf(by(first.challenge, first.code))).toBe('challenge_invalid')
    expect(await codeOf(by(second.challenge, first.code))).toBe('sign_in_code_invalid')
    expect(await codeOf(by(second.challenge, first.token))).toBe('sign_in_code_invalid')
    expect(await by(second.challenge, second.code)).toHaveProperty('token')
  })

  test('a code has five tries, and ten minutes', async () => {
    const { clientele, accountId, ask } = await world.open()
    const { auth } = clientele
    const first = await ask()
    const wrong = { challenge: first.challenge, code: otherThan(first.code) }
    // At once: no more tries than one after the other.
    const tried = await Promise.all(
      Array.from({ length: 8 }, () => codeOf(auth.logInWithCode(accountId, wrong))),
    )
    expect(tried.filter((each) => each === 'sign_in_code_invalid')).toHaveLength(5)
    expect(await codeOf(auth.logInWithCode(accountId, { ...wrong, code: first.code }))).toBe(
      'challenge_invalid',
    )
    const { challenge, code } = await ask()
    world.now += 600_000
    expect(await codeOf(auth.logInWithCode(accountId, { challenge, code }))).toBe(
      'challenge_invalid',
    )
    const third = await ask()
    world.now += 599_999
    const { challenge: last, code: right } = third
    expect(await auth.logInWithCode(accountId, { challenge: last, code: right })).toHaveProperty(
      'token',
    )
  })

  test('of several uses at once, in two processes, one opens a session', async () => {
    const { clientele, accountId, user, ask } = await world.open()
    const clock = () => world.now
    const other = await openClientele(database.url, { clock, sendMail: async () => {} })
    const { challenge, code, token } = await ask()
    const outcomes = await Promise.all(
      [code, token, code, token].map((given, index) =>
        codeOf(
          [clientele, other][index % 2]?.auth.logInWithCode(accountId, {
            challenge,
            code: given,
          }) ?? Promise.reject(new Error('No process.')),
        ),
      ),
    )
    expect(outcomes.filter((each) => each === undefined)).toHaveLength(1)
    expect(outcomes.filter((each) => each === 'challenge_invalid')).toHaveLength(3)
    expect(await clientele.sessions.list(accountId, user.id)).toHaveLength(1)
    await other.close()
  })

  test('of simultaneous requests, the code of one counts', async () => {
    const { clientele, accountId, user, codes } = await world.open()
    const { auth } = clientele
    const { email } = user
    const asked = await Promise.all([1, 2].map(() => auth.mailSignInCode(accountId, { email })))
    const opened = new Set<string>()
    const tried = new Set<string>()
    const tryAll = async () => {
      for (const { challenge } of asked)
        for (const { code } of codes()) {
          if (tried.has(challenge + code)) continue
          tried.add(challenge + code)
          const outcome = await codeOf(auth.logInWithCode(accountId, { challenge, code }))
          if (outcome === undefined) opened.add(challenge)
        }
      return opened.size
    }
    await expect.poll(tryAll).toBe(1)
    expect(await codeOf(auth.logIn(accountId, { email, password: 'password' }))).toBe(
      'credentials_invalid',
    )
    expect(await clientele.sessions.list(accountId, user.id)).toHaveLength(1)
  })

  test('is refused from the first request on where the policy does not have it', async () => {
    const { clientele, accountId, user, ask, codes } = await world.open()
    const { accounts, auth, events } = clientele
    const { challenge, code } = await ask()
    await accounts.setPolicy(accountId, { signIn: ['password', 'passkey', 'id_token'] })
    for (const email of [user.email, nobody, user.email, nobody, user.email, nobody, user.email])
      expect(await codeOf(auth.mailSignInCode(accountId, { email }))).toBe(
        'sign_in_method_disabled',
      )
    for (const given of [challenge, 'x'])
      expect(await codeOf(auth.logInWithCode(accountId, { challenge: given, code }))).toBe(
        'sign_in_method_disabled',
      )
    expect(codes()).toHaveLength(1)
    expect((await events.read(accountId, { types: ['user.login_failed'] })).data).toEqual([])
    const { id } = await accounts.create({ name: 'New' })
    expect((await accounts.find(id)).policy.signIn).toEqual(['password', 'passkey', 'id_token'])
    expect(await codeOf(auth.mailSignInCode(id, { email: nobody }))).toBe('sign_in_method_disabled')
    // Allowed again, the code still counts.
    await accounts.setPolicy(accountId, { signIn: ['email_code'] })
    expect(await auth.logInWithCode(accountId, { challenge, code })).toHaveProperty('token')
    expect(await codeOf(auth.logIn(accountId, { email: user.email, password: 'password' }))).toBe(
      'sign_in_method_disabled',
    )
    await accounts.disable(accountId)
    expect(await codeOf(auth.logInWithCode(accountId, { challenge, code }))).toBe(
      'challenge_invalid',
    )
  })

  test('needs a way to send mail, whoever asks, and a locale that is one', async () => {
    const { clientele, accountId, user } = await world.open()
    const email = user.email
    for (const locale of ['not a tag', 'de_DE'])
      expect(
        await issuesOf(clientele.auth.mailSignInCode(accountId, { email, locale })),
      ).toMatchObject([{ pointer: '/locale' }])
    const silent = await openClientele(database.url)
    for (const given of [user.email, nobody])
      expect(await codeOf(silent.auth.mailSignInCode(accountId, { email: given }))).toBe(
        'mail_unavailable',
      )
    await silent.close()
  })

  type Opened = Awaited<ReturnType<SignInCodeWorld['open']>>
  const ends: [string, (opened: Opened) => Promise<unknown>][] = [
    [
      'a new password',
      ({ clientele: { users }, accountId, user }) =>
        users.patch(accountId, user.id, { password: 'another one' }),
    ],
    [
      'a deactivation',
      async ({ clientele: { users }, accountId, user }) => {
        await users.deactivate(accountId, user.id)
        await users.activate(accountId, user.id)
      },
    ],
    [
      'a first proof of the address',
      async ({ clientele: { auth }, accountId, user, mailed }) => {
        await auth.requestEmailVerification(accountId, { email: user.email })
        await auth.verifyEmail(accountId, { token: await mailed('email_verification') })
      },
    ],
    [
      'another address',
      ({ clientele: { users }, accountId, user }) =>
        users.patch(accountId, user.id, { email: `new-${user.email}` }),
    ],
    [
      'another address that is taken back',
      async ({ clientele: { users }, accountId, user }) => {
        await users.patch(accountId, user.id, { email: `new-${user.email}` })
        await users.patch(accountId, user.id, { email: user.email })
      },
    ],
    [
      'another address that is taken back, by imports',
      async ({ clientele: { users }, accountId, user: { id, name, email } }) => {
        for (const next of [`new-${email}`, email]) {
          const records = [{ line: 1, value: { id, name, email: next } }]
          const { updated } = await users.import(accountId, records, { onConflict: 'update' })
          expect(updated).toBe(1)
        }
      },
    ],
    [
      'a deletion, and another user with the address',
      async ({ clientele: { users }, accountId, user, credentials }) => {
        await users.delete(accountId, user.id)
        await users.create(accountId, { name: 'Bob', ...credentials })
      },
    ],
  ]
  test.each(ends)('is ended by %s', async (_, end) => {
    const opened = await world.open()
    const { challenge, code, token } = await opened.ask()
    await end(opened)
    const { auth } = opened.clientele
    // Refused as a code of an address that nobody has
    for (const given of [code, token])
      expect(await codeOf(auth.logInWithCode(opened.accountId, { challenge, code: given }))).toBe(
        'sign_in_code_invalid',
      )
  })

  test("is nobody's, if the user is inactive by the time that it is written", async () => {
    const { clientele, accountId, user } = await world.open()
    const code = { hash: 'challenge', codeHash: 'code', tokenHash: 'token' }
    const repository = openRepository(database.url)
    const { put, assign } = repository.signInCodes
    await put(accountId, { ...code, email: user.email, tries: 5, expiresAt: world.now + 60_000 })
    await clientele.users.deactivate(accountId, user.id)
    expect(await assign(accountId, code.hash, user.email)).toBeUndefined()
    await clientele.users.activate(accountId, user.id)
    expect(await assign(accountId, code.hash, user.email)).toBe(user.id)
    await repository.storage.close()
  })

  test('is stored for no account that is being deleted', async () => {
    const repository = openRepository(database.url)
    const code = { hash: 'challenge', codeHash: 'code', tokenHash: 'token' }
    const stored = repository.signInCodes.put(randomUUID(), {
      ...code,
      ...{ email: nobody, tries: 5, expiresAt: world.now + 60_000 },
    })
    expect(await codeOf(stored)).toBe('account_not_found')
    await repository.storage.close()
  })

  test('counts failures and requests per address, apart from passwords', async () => {
    const { clientele, accountId, user, credentials, ask } = await world.open()
    const { auth } = clientele
    const fail = async (count: number, challenge: string, code: string) => {
      for (let tries = 1; tries <= count; tries++)
        expect(await codeOf(auth.logInWithCode(accountId, { challenge, code }))).toBe(
          'sign_in_code_invalid',
        )
    }
    for (let round = 1; round <= 2; round++) {
      const { challenge, code } = await ask()
      await fail(5, challenge, otherThan(code))
    }
    const third = await ask()
    const { challenge, code } = third
    expect(await codeOf(auth.logInWithCode(accountId, { challenge, code }))).toBe('rate_limited')
    expect(await auth.logIn(accountId, credentials)).toHaveProperty('token')
    world.now += 900_000
    const fourth = await ask()
    const right = { challenge: fourth.challenge, code: fourth.code }
    await fail(1, right.challenge, otherThan(right.code))
    expect(await auth.logInWithCode(accountId, right)).toHaveProperty('token')
    // The success has cleared the requests.
    for (let count = 1; count <= 5; count++) await ask()
    const { email } = user
    expect(await codeOf(auth.mailSignInCode(accountId, { email }))).toBe('rate_limited')
  })

  test('a client address is limited over all e-mails together', async () => {
    const { clientele, accountId } = await world.open()
    const { auth } = clientele
    const call = { accountId, clientAddress: '192.0.2.7' }
    const guess = async (email: string) => {
      const { challenge } = await auth.mailSignInCode(call, { email })
      const outcomes: unknown[] = []
      for (let tries = 1; tries <= 5; tries++)
        outcomes.push(await codeOf(auth.logInWithCode(call, { challenge, code: '00000000' })))
      return outcomes
    }
    for (let count = 1; count <= 20; count++)
      expect(await guess(`guess-${count}@example.com`)).toEqual(
        Array(5).fill('sign_in_code_invalid'),
      )
    expect(await guess('guess-21@example.com')).toEqual(Array(5).fill('rate_limited'))
    const elsewhere = { accountId, clientAddress: '192.0.2.8' }
    const { challenge } = await auth.mailSignInCode(elsewhere, { email: 'other@example.com' })
    expect(await codeOf(auth.logInWithCode(elsewhere, { challenge, code: '00000000' }))).toBe(
      'sign_in_code_invalid',
    )
  })

  test('stores nothing by which a reader of the database could sign in', async () => {
    const { accountId, user, ask } = await world.open()
    const { challenge, code, token } = await ask()
    const rows = await runSql(
      database.url,
      `select * from clientele_sign_in_codes where account_id = '${accountId}'`,
    )
    // Who has asked knows the challenge: the secret keeps the eight digits from being guessed.
    const encryptor = new Encryptor(() => [testSecret])
    const keyed = (text: string) => encryptor.digest(text, `mailed code ${challenge}`)
    expect(rows).toEqual([
      {
        account_id: accountId,
        email: user.email,
        hash: createHash('sha256').update(challenge).digest('base64url'),
        user_id: user.id,
        code_hash: keyed(code),
        token_hash: keyed(token),
        tries_left: expect.anything(),
        expires_at: expect.anything(),
      },
    ])
  })

  test('is exported while it waits, and erased with the person', async () => {
    const { clientele, accountId, user, ask, codes } = await world.open()
    const { auth, users } = clientele
    const { email } = user
    // Asked for before the address had a user: it stands under the address alone.
    const earlier = `earlier-${email}`
    const repository = openRepository(database.url)
    const hashes = { hash: 'h', codeHash: 'c', tokenHash: 't' }
    const unowned = { email: earlier, ...hashes, tries: 5, expiresAt: world.now + 600_000 }
    await repository.signInCodes.put(accountId, unowned)
    await repository.storage.close()
    await users.patch(accountId, user.id, { email: earlier })
    await users.patch(accountId, user.id, { email })
    await ask()
    const { emailTokens } = await users.exportData(accountId, user.id)
    expect(emailTokens).toEqual([
      { purpose: 'sign_in_code', email, expiresAt: new Date(world.now + 600_000) },
    ])
    const { removed } = await users.erase(accountId, user.id)
    expect(removed).toMatchObject({ clientele_sign_in_codes: 2 })
    expect(codes()).toHaveLength(1)
    // Their counts are gone, too.
    for (let count = 1; count <= 5; count++) await auth.mailSignInCode(accountId, { email })
  })
})
