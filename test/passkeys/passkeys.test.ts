import type { Clientele, Repository } from '@clientele/core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { codeOf, openRepository } from '../keys/open-clientele.ts'
import { anyDatabase, type OpenDatabase } from '../support/databases.ts'
import { runSql } from '../support/run-sql.ts'
import { SignInWorld } from '../support/sign-in-world.ts'
import { type Behaviour, SoftwareAuthenticator, site } from './software-authenticator.ts'

describe.each(anyDatabase)('passkeys on $name', ({ open }) => {
  let database: OpenDatabase
  const world = new SignInWorld(() => database.url)

  beforeAll(async () => {
    database = await open()
  })
  afterAll(() => database.close())

  async function start() {
    const { clientele } = await world.start()
    const { accountId, user, credentials } = await world.addUser(clientele)
    await clientele.accounts.setPasskeys(accountId, site)
    return { clientele, accountId, user, credentials }
  }

  async function enrol(
    clientele: Clientele,
    accountId: string,
    userId: string,
    authenticator: SoftwareAuthenticator,
    { behaviour, use }: { behaviour?: Behaviour; use?: 'second_factor' } = {},
  ) {
    const as = use === undefined ? {} : { use }
    const begun = await clientele.passkeys.beginEnrolment(accountId, userId, as)
    const response = authenticator.create(begun.options, behaviour)
    return clientele.passkeys.enrol(accountId, userId, {
      ...{ challenge: begun.challenge, response },
      ...as,
    })
  }

  /** Enrols a passkey, and returns what showed it, which another user may show again. */
  async function enrolShowing(
    clientele: Clientele,
    accountId: string,
    userId: string,
    authenticator: SoftwareAuthenticator,
  ) {
    const { challenge, options } = await clientele.passkeys.beginEnrolment(accountId, userId)
    const response = authenticator.create(options)
    await clientele.passkeys.enrol(accountId, userId, { challenge, response })
    return response
  }

  async function logIn(
    clientele: Clientele,
    accountId: string,
    authenticator: SoftwareAuthenticator,
    behaviour?: Behaviour,
  ) {
    const { challenge, options } = await clientele.auth.beginPasskeyLogIn(accountId)
    const response = authenticator.get(options, behaviour)
    return clientele.auth.logInWithPasskey(accountId, { challenge, response })
  }

  test('a counter that does not grow means a copy, except for synced passkeys', async () => {
    const { clientele, accountId, user } = await start()
    const device = new SoftwareAuthenticator()
    await enrol(clientele, accountId, user.id, device, { behaviour: { counter: 5 } })
    const use = (counter: number) => codeOf(logIn(clientele, accountId, device, { counter }))
    expect(await use(6)).toBeUndefined()
    for (const counter of [6, 5, 0]) expect(await use(counter)).toBe('passkey_invalid')
    expect(await use(7)).toBeUndefined()
    const synced = new SoftwareAuthenticator({ isSynced: true })
    await enrol(clientele, accountId, user.id, synced, { behaviour: { counter: 9 } })
    for (const counter of [3, 3, 0, 1]) {
      const { token } = await logIn(clientele, accountId, synced, { counter })
      const claims = JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString())
      expect(claims.amr).toEqual(['swk', 'user'])
    }
    const [, last] = await clientele.passkeys.list(accountId, user.id)
    expect(last).toMatchObject({ backedUp: true, lastUsedAt: new Date(world.now) })
  })

  test('if one response is used sixteen times at once, one sign-in succeeds', async () => {
    const { clientele, accountId, user } = await start()
    const device = new SoftwareAuthenticator()
    await enrol(clientele, accountId, user.id, device)
    const { challenge, options } = await clientele.auth.beginPasskeyLogIn(accountId)
    const input = { challenge, response: device.get(options) }
    const codes = await Promise.all(
      Array.from({ length: 16 }, () => codeOf(clientele.auth.logInWithPasskey(accountId, input))),
    )
    expect(codes.filter((code) => code === undefined)).toHaveLength(1)
    expect(codes.filter((code) => code === 'challenge_invalid')).toHaveLength(15)
  })

  test('if ten passkeys are enrolled at once beside fifteen, twenty stay', async () => {
    const { clientele, accountId, user } = await start()
    const device = new SoftwareAuthenticator()
    for (let count = 0; count < 15; count++) await enrol(clientele, accountId, user.id, device)
    const begun = await Promise.all(
      Array.from({ length: 10 }, () => clientele.passkeys.beginEnrolment(accountId, user.id)),
    )
    const codes = await Promise.all(
      begun.map(({ challenge, options }) =>
        codeOf(
          clientele.passkeys.enrol(accountId, user.id, {
            ...{ challenge, response: device.create(options) },
          }),
        ),
      ),
    )
    expect(codes.filter((code) => code === undefined)).toHaveLength(5)
    expect(codes.filter((code) => code === 'passkey_limit_reached')).toHaveLength(5)
  })

  test('an invalid enrolment stores no passkey', async () => {
    const { clientele, accountId, user } = await start()
    const wrong: Behaviour[] = [
      { origin: 'https://evil.example' },
      { rpId: 'evil.example' },
      { type: 'webauthn.get' },
      { challenge: 'x' },
      { isUserVerified: false },
      { isUserPresent: false },
    ]
    for (const behaviour of wrong) {
      const enrolled = enrol(clientele, accountId, user.id, new SoftwareAuthenticator(behaviour))
      expect([behaviour, await codeOf(enrolled)]).toEqual([behaviour, 'passkey_invalid'])
    }
    const begun = await clientele.passkeys.beginEnrolment(accountId, user.id)
    const response = new SoftwareAuthenticator().create(begun.options)
    const deep = Buffer.alloc(12_000, 0x81).toString('base64url')
    const cut = response.response.attestationObject.slice(0, 90)
    for (const attestationObject of ['AA', cut, deep]) {
      const { challenge } = await clientele.passkeys.beginEnrolment(accountId, user.id)
      const broken = { ...response, response: { ...response.response, attestationObject } }
      const enrolled = clientele.passkeys.enrol(accountId, user.id, { challenge, response: broken })
      expect(await codeOf(enrolled)).toBe('passkey_invalid')
    }
    expect(await clientele.passkeys.list(accountId, user.id)).toEqual([])
  })

  test("pages of another site enrol and use nothing; pages of the account's site do both", async () => {
    const { clientele, accountId, user } = await start()
    const framing = 'https://app.example.com'
    const origins = [...site.origins, framing]
    await clientele.accounts.setPasskeys(accountId, { ...site, origins })
    const known = { crossOrigin: true, topOrigin: framing }
    const device = new SoftwareAuthenticator()
    await enrol(clientele, accountId, user.id, device, { behaviour: known })
    expect(await codeOf(logIn(clientele, accountId, device, known))).toBeUndefined()
    const wrong: Behaviour[] = [
      { origin: 'https://evil.example' },
      { crossOrigin: true, topOrigin: 'https://evil.example' },
      // No browser says this.
      { crossOrigin: false, topOrigin: framing },
    ]
    for (const behaviour of wrong) {
      const enrolled = enrol(clientele, accountId, user.id, new SoftwareAuthenticator(behaviour))
      expect([behaviour, await codeOf(enrolled)]).toEqual([behaviour, 'passkey_invalid'])
      const used = logIn(clientele, accountId, device, behaviour)
      expect([behaviour, await codeOf(used)]).toEqual([behaviour, 'passkey_invalid'])
    }
    expect(await clientele.passkeys.list(accountId, user.id)).toHaveLength(1)
  })

  test("an authenticator's attestation is not read", async () => {
    const { clientele, accountId, user } = await start()
    const forged = new Map([['x5c', [Buffer.from('no certificate')]]])
    const attestation = { fmt: 'packed', attStmt: forged }
    const device = new SoftwareAuthenticator({ attestation })
    await enrol(clientele, accountId, user.id, device)
    expect(await codeOf(logIn(clientele, accountId, device))).toBeUndefined()
  })

  test('a passkey belongs to one user per account', async () => {
    const { clientele, accountId, user } = await start()
    const device = new SoftwareAuthenticator()
    const response = await enrolShowing(clientele, accountId, user.id, device)
    const other = await start()
    expect(await codeOf(logIn(clientele, other.accountId, device))).toBe('passkey_invalid')
    const { user: heir } = await world.addUser(clientele, { accountId })
    const heirs = await clientele.passkeys.beginEnrolment(accountId, heir.id)
    // The same key again, for the heir's challenge
    const again = { challenge: heirs.challenge, response: device.recreate(response, heirs.options) }
    expect(await codeOf(clientele.passkeys.enrol(accountId, heir.id, again))).toBe('passkey_taken')
    await clientele.users.erase(accountId, user.id)
    expect(await codeOf(logIn(clientele, accountId, device))).toBe('passkey_invalid')
  })

  test('ids of passkeys that nobody has are refused, and counted, as known ones, which sign in all the same', async () => {
    const { clientele, accountId, user, credentials } = await start()
    const [device, stranger] = [new SoftwareAuthenticator(), new SoftwareAuthenticator()]
    const { email } = credentials
    await enrol(clientele, accountId, user.id, device)
    const other = await world.addUser(clientele, { accountId })
    await enrol(clientele, accountId, other.user.id, stranger)
    const { options } = await clientele.auth.beginPasskeyLogIn(accountId, { email })
    const [known] = options.allowCredentials ?? []
    const answersTo = async (id: string, named: { email?: string }) => {
      const codes: (string | undefined)[] = []
      for (let time = 0; time < 12; time++) {
        const begun = await clientele.auth.beginPasskeyLogIn(accountId, named)
        // A signature by another key
        const { response, ...rest } = stranger.get({ ...begun.options, allowCredentials: [] })
        const forged = { ...rest, id, rawId: id, response }
        const input = { challenge: begun.challenge, response: forged }
        codes.push(await codeOf(clientele.auth.logInWithPasskey(accountId, input)))
      }
      return codes
    }
    const refused = [...new Array(10).fill('passkey_invalid'), 'rate_limited', 'rate_limited']
    const madeUp = Buffer.alloc(16, 7).toString('base64url')
    expect(await answersTo(madeUp, {})).toEqual(refused)
    expect(await answersTo(known?.id ?? '', {})).toEqual(refused)
    expect(await answersTo(known?.id ?? '', { email })).toEqual(refused)
    expect(await answersTo(madeUp, { email: 'nobody@example.com' })).toEqual(refused)
    expect((await logIn(clientele, accountId, device)).token).toBeDefined()
  })

  test("a user may find out about ten of others' passkeys in a quarter of an hour", async () => {
    const { clientele, accountId, user } = await start()
    const device = new SoftwareAuthenticator()
    const response = await enrolShowing(clientele, accountId, user.id, device)
    const { user: curious } = await world.addUser(clientele, { accountId })
    const begin = () => clientele.passkeys.beginEnrolment(accountId, curious.id)
    const all = await Promise.all(Array.from({ length: 16 }, begin))
    const codes = await Promise.all(
      all.map(({ challenge, options }) => {
        const input = { challenge, response: device.recreate(response, options) }
        return codeOf(clientele.passkeys.enrol(accountId, curious.id, input))
      }),
    )
    expect(codes.filter((code) => code === 'passkey_taken')).toHaveLength(10)
    expect(codes.filter((code) => code === 'rate_limited')).toHaveLength(6)
    const own = enrol(clientele, accountId, curious.id, new SoftwareAuthenticator())
    expect(await codeOf(own)).toBe('rate_limited')
    world.now += 900_001
    await enrol(clientele, accountId, curious.id, new SoftwareAuthenticator())
  })

  test('enrolments at once of passkeys that no other user has count for nothing, also those that are refused', async () => {
    const { clientele, accountId, user } = await start()
    const device = new SoftwareAuthenticator()
    const response = await enrolShowing(clientele, accountId, user.id, device)
    const { user: busy } = await world.addUser(clientele, { accountId })
    const begin = () => clientele.passkeys.beginEnrolment(accountId, busy.id)
    const all = await Promise.all(Array.from({ length: 40 }, begin))
    const codes = await Promise.all(
      all.map(({ challenge, options }) => {
        const input = { challenge, response: new SoftwareAuthenticator().create(options) }
        return codeOf(clientele.passkeys.enrol(accountId, busy.id, input))
      }),
    )
    expect(codes).toContain('rate_limited')
    // Ten others may still be found out, no more.
    for (let time = 0; time < 10; time++) {
      const { challenge, options } = await begin()
      const input = { challenge, response: device.recreate(response, options) }
      const shown = clientele.passkeys.enrol(accountId, busy.id, input)
      expect(await codeOf(shown)).toBe('passkey_taken')
    }
    expect(await codeOf(begin())).toBe('rate_limited')
  })

  test('faults of the database count for nothing, and what is stored is said to be', async () => {
    const opened = openRepository(database.url)
    let failing: 'enrol' | 'count' | undefined = 'enrol'
    const fault = () => Promise.reject(new Error('The connection was lost.'))
    const enrolOrFail: Repository['passkeys']['enrol'] = (...input) =>
      failing === 'enrol' ? fault() : opened.passkeys.enrol(...input)
    const countOrFail: Repository['rateLimits']['add'] = (...input) =>
      failing === 'count' && input[2] < 0 ? fault() : opened.rateLimits.add(...input)
    const repository = {
      ...opened,
      passkeys: { ...opened.passkeys, enrol: enrolOrFail },
      rateLimits: { ...opened.rateLimits, add: countOrFail },
    }
    const { clientele } = await world.start({ repository })
    const { accountId, user } = await world.addUser(clientele)
    await clientele.accounts.setPasskeys(accountId, site)
    const told: string[] = []
    clientele.events.on('passkey.enrolled', ({ passkeyId }) => told.push(passkeyId))
    const enrolOne = () => enrol(clientele, accountId, user.id, new SoftwareAuthenticator())
    for (let time = 0; time < 11; time++) await expect(enrolOne()).rejects.toThrow('lost')
    failing = 'count'
    const { id } = await enrolOne()
    await expect.poll(() => told).toEqual([id])
  })

  test('inactive users and users of disabled accounts cannot sign in', async () => {
    const { clientele, accountId, user } = await start()
    const device = new SoftwareAuthenticator()
    await enrol(clientele, accountId, user.id, device)
    await clientele.users.deactivate(accountId, user.id)
    expect(await codeOf(logIn(clientele, accountId, device))).toBe('passkey_invalid')
    await clientele.users.activate(accountId, user.id)
    await clientele.accounts.disable(accountId)
    expect(await codeOf(logIn(clientele, accountId, device))).toBe('passkey_invalid')
    await clientele.accounts.enable(accountId)
    expect(await codeOf(logIn(clientele, accountId, device))).toBeUndefined()
  })

  test('a new password ends ceremonies that began before', async () => {
    const { clientele, accountId, user } = await start()
    const { challenge, options } = await clientele.passkeys.beginEnrolment(accountId, user.id)
    await clientele.users.patch(accountId, user.id, { password: 'another password' })
    const response = new SoftwareAuthenticator().create(options)
    const enrolled = clientele.passkeys.enrol(accountId, user.id, { challenge, response })
    expect(await codeOf(enrolled)).toBe('challenge_invalid')
  })

  test('another rpId is refused while passkeys are enrolled, unless it is forced', async () => {
    const { clientele, accountId, user } = await start()
    const other = { ...site, rpId: 'example.org' }
    const set = (settings: typeof site, options?: { force?: boolean }) =>
      codeOf(clientele.accounts.setPasskeys(accountId, settings, options))
    expect(await set(other)).toBeUndefined()
    expect(await set(site)).toBeUndefined()
    const device = new SoftwareAuthenticator()
    await enrol(clientele, accountId, user.id, device)
    expect(await set(other)).toBe('passkeys_enrolled')
    expect(await set({ ...site, rpName: 'Globex' })).toBeUndefined()
    expect(await set(other, { force: true })).toBeUndefined()
    expect(await codeOf(logIn(clientele, accountId, device))).toBe('passkey_invalid')
    const claim = { rpId: other.rpId }
    expect(await codeOf(logIn(clientele, accountId, device, claim))).toBe('passkey_invalid')
    expect(await set(site)).toBeUndefined()
    expect(await codeOf(logIn(clientele, accountId, device))).toBeUndefined()
    const { passkeys } = await clientele.accounts.find(accountId)
    expect(passkeys).toEqual({ ...site, requireToken: false })
    const { data } = await clientele.events.read(accountId, { types: ['account.updated'] })
    expect(data.at(-1)?.data).toMatchObject({ account: { passkeys: { ...site } } })
  })

  test('settings that no browser accepts are refused', async () => {
    const { clientele, accountId } = await start()
    const set = (change: object) =>
      codeOf(clientele.accounts.setPasskeys(accountId, { ...site, ...change }))
    for (const rpId of ['', 'https://example.com', 'Example.com', '10.0.0.1', 'a..b', 'a_b.com'])
      expect([rpId, await set({ rpId })]).toEqual([rpId, 'validation_failed'])
    const origins = [
      ...['http://example.com', 'https://example.com/', 'https://example.com/a', 'example.com'],
      ...['https://u@example.com', 'javascript:alert(1)', '*', 'null', ''],
    ]
    for (const origin of origins)
      expect([origin, await set({ origins: [origin] })]).toEqual([origin, 'validation_failed'])
    expect(await set({ origins: [] })).toBe('validation_failed')
    const many = Array.from({ length: 21 }, (_, index) => `https://a${index}.example.com`)
    expect(await set({ origins: many })).toBe('validation_failed')
    expect(await set({ origins: many.slice(1) })).toBeUndefined()
    const local = { rpId: 'localhost', origins: ['http://localhost:3000'] }
    expect(await set(local)).toBeUndefined()
    expect(
      await set({ origins: ['android:apk-key-hash:7d1043473d55bfa90e8530d35801d4e3'] }),
    ).toBeUndefined()
  })

  test('second factors: a response answers its own challenge only, and recovery codes work, too', async () => {
    const { clientele, accountId, user, credentials } = await start()
    const device = new SoftwareAuthenticator()
    await enrol(clientele, accountId, user.id, device, { use: 'second_factor' })
    const codes = await clientele.mfa.renewRecoveryCodes(accountId, user.id)
    expect(codes).toHaveLength(10)
    const first = await world.challengeOf(clientele, accountId, credentials)
    const second = await world.challengeOf(clientele, accountId, credentials)
    const { options } = await clientele.auth.beginPasskeyMfa(accountId, { challenge: first })
    const method = 'passkey'
    const answer = (challenge: string) =>
      ({ challenge, method, response: device.get(options) }) as const
    const complete = (challenge: string) =>
      codeOf(clientele.auth.completeMfa(accountId, answer(challenge)))
    expect(await complete(second)).toBe('passkey_invalid')
    expect(await complete(first)).toBeUndefined()
    expect(await complete(first)).toBe('challenge_invalid')
    const other = await enrolledElsewhere(clientele, accountId)
    const stolen = await clientele.auth.beginPasskeyMfa(accountId, { challenge: second })
    const foreign = { challenge: second, method, response: other.get(stolen.options) } as const
    expect(await codeOf(clientele.auth.completeMfa(accountId, foreign))).toBe('passkey_invalid')
    const [code = ''] = codes
    const byCode = { challenge: second, method: 'recovery_code', code } as const
    expect(await codeOf(clientele.auth.completeMfa(accountId, byCode))).toBeUndefined()
  })

  test('after a forced change of the site, a second factor for the old site does not work', async () => {
    const { clientele, accountId, user, credentials } = await start()
    const device = new SoftwareAuthenticator()
    await enrol(clientele, accountId, user.id, device, { use: 'second_factor' })
    const challenge = await world.challengeOf(clientele, accountId, credentials)
    const { options } = await clientele.auth.beginPasskeyMfa(accountId, { challenge })
    const rpId = 'example.org'
    await clientele.accounts.setPasskeys(accountId, { ...site, rpId }, { force: true })
    const response = device.get(options, { rpId })
    const answer = { challenge, method: 'passkey', response } as const
    expect(await codeOf(clientele.auth.completeMfa(accountId, answer))).toBe('passkey_invalid')
  })

  /** Another user's second factor */
  async function enrolledElsewhere(clientele: Clientele, accountId: string) {
    const { user } = await world.addUser(clientele, { accountId })
    const device = new SoftwareAuthenticator()
    await enrol(clientele, accountId, user.id, device, { use: 'second_factor' })
    return device
  }

  test('decoy passkeys change with the site and have the form of real ones', async () => {
    const { clientele, accountId, user } = await start()
    await enrol(clientele, accountId, user.id, new SoftwareAuthenticator())
    const emails = [
      user.email,
      ...Array.from({ length: 60 }, (_, at) => `nobody-${at}@example.com`),
    ]
    const ask = async (email: string) =>
      (await clientele.auth.beginPasskeyLogIn(accountId, { email })).options.allowCredentials ?? []
    const before = await Promise.all(emails.map(ask))
    const shapes = before.map((credentials) =>
      credentials.map(({ id, ...others }) => JSON.stringify([id.length, others])),
    )
    const [[real] = []] = shapes
    expect(real).toBe('[22,{"type":"public-key"}]')
    expect(shapes.slice(1).flat()).toContain(real)
    expect(new Set(shapes.flat()).size).toBe(5)
    const other = { ...site, rpId: 'example.org' }
    await clientele.accounts.setPasskeys(accountId, other, { force: true })
    const names = new Set(before.flat().map(({ id }) => id))
    const after = (await Promise.all(emails.map(ask))).flat()
    expect(after.filter(({ id }) => names.has(id))).toEqual([])
    await clientele.accounts.setPasskeys(accountId, site)
    expect(await Promise.all(emails.map(ask))).toEqual(before)
  })

  test('decoy passkeys differ between accounts, and vary in number', async () => {
    const { clientele, accountId } = await start()
    const other = await start()
    const ask = async (id: string, email: string) =>
      (await clientele.auth.beginPasskeyLogIn(id, { email })).options.allowCredentials ?? []
    const email = 'nobody@example.com'
    expect(await ask(accountId, email)).toEqual(await ask(accountId, email.toUpperCase()))
    expect(await ask(accountId, email)).not.toEqual(await ask(other.accountId, email))
    const counts = new Set<number>()
    for (let index = 0; index < 120; index++)
      counts.add((await ask(accountId, `nobody-${index}@example.com`)).length)
    expect([1, 2, 3].filter((count) => counts.has(count))).toEqual([1, 2, 3])
  })

  test('the export of a person has the passkeys, and the erasure deletes them', async () => {
    const { clientele, accountId, user } = await start()
    const device = new SoftwareAuthenticator()
    const passkey = await enrol(clientele, accountId, user.id, device)
    const { passkeys } = await clientele.users.exportData(accountId, user.id)
    expect(passkeys).toEqual([passkey])
    // Counts of the passkey, and of one of others that the person has tried to enrol
    const ofCounts = `select key from clientele_rate_limits where account_id = '${accountId}' and key like 'login%'`
    const failed = { isUserVerified: false }
    expect(await codeOf(logIn(clientele, accountId, device, failed))).toBe('passkey_invalid')
    const { user: other } = await world.addUser(clientele, { accountId })
    const theirs = new SoftwareAuthenticator()
    const response = await enrolShowing(clientele, accountId, other.id, theirs)
    const { challenge, options } = await clientele.passkeys.beginEnrolment(accountId, user.id)
    const again = { challenge, response: theirs.recreate(response, options) }
    expect(await codeOf(clientele.passkeys.enrol(accountId, user.id, again))).toBe('passkey_taken')
    // And one of the other user, who has failed at nothing
    expect(await runSql(database.url, ofCounts)).toHaveLength(3)
    const { removed } = await clientele.users.erase(accountId, user.id)
    expect(removed.clientele_passkeys).toBe(1)
    expect(await runSql(database.url, ofCounts)).toHaveLength(1)
  })
})
