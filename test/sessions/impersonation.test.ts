import type { Clientele, Scope } from '@clientele/core'
import { decodeJwt } from 'jose'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { codeOf } from '../keys/open-clientele.ts'
import { site } from '../passkeys/software-authenticator.ts'
import { eitherDatabase, type OpenDatabase } from '../support/databases.ts'
import { logIn } from '../support/log-in.ts'
import { useRowLocks } from '../support/row-locks.ts'
import { SignInWorld } from '../support/sign-in-world.ts'

const databases = eitherDatabase(import.meta.filename)

const actor = 'support@example.com'
const reason = 'Ticket 4711: the invoice does not open'
const input = { actor, reason }

describe.each(databases)('an impersonation, on $name', ({ open }) => {
  let database: OpenDatabase
  const world = new SignInWorld(() => database.url)
  beforeAll(async () => {
    database = await open()
  })
  afterAll(() => database.close())

  async function start(options: Parameters<typeof world.start>[0] = {}) {
    const { clientele } = await world.start(options)
    const added = await world.addUser(clientele)
    const { accountId, user } = added
    const impersonate = (more: object = {}) =>
      clientele.auth.impersonate(accountId, user.id, { ...input, ...more })
    const validate = (token: string) => codeOf(clientele.auth.validateToken(accountId, token))
    return { clientele, ...added, impersonate, validate }
  }
  const toldOf = async (clientele: Clientele, accountId: string) =>
    (await clientele.events.read(accountId, { types: ['user.impersonated'] })).data

  test('is a session of the user in which the token, the list and the event name the actor', async () => {
    const { clientele, accountId, user, impersonate } = await start()
    const heard: object[] = []
    clientele.events.on('user.impersonated', (event) => heard.push(event))
    const { token, ...rest } = await impersonate()
    expect(rest).toEqual({ tokenType: 'Bearer', expiresIn: 900 })
    const { claims, ...valid } = await clientele.auth.validateToken(accountId, token)
    expect(valid.user).toEqual(user)
    expect(claims).toMatchObject({ act: { sub: actor }, amr: [], auth_time: 0, sub: user.id })
    expect(claims).toEqual((await clientele.auth.validateToken(accountId, token)).claims)
    const [session, ...others] = await clientele.sessions.list(accountId, user.id)
    const expiresAt = new Date(world.now + 900_000)
    expect(session).toMatchObject({ id: claims.sid, amr: [], impersonatedBy: actor, expiresAt })
    expect(others).toEqual([])
    const [event] = await toldOf(clientele, accountId)
    const data = { sessionId: claims.sid, impersonatedBy: actor, expiresAt }
    expect(event).toMatchObject({
      actor: { type: 'operator', id: null },
      subject: { type: 'user', id: user.id },
      data: { user, reason, ...data },
    })
    expect(heard).toMatchObject([{ accountId, user, reason, ...data }])
    const exported = await clientele.users.exportData(accountId, user.id)
    expect(exported.sessions).toEqual([session])
    expect(exported.events).toContainEqual(event)
  })

  test('leaves the token of a sign-in as it was', async () => {
    const { clientele, accountId, credentials, user } = await start()
    const { token } = await logIn(clientele, accountId, credentials)
    expect(Object.keys(decodeJwt(token)).sort()).toEqual(
      'amr aud auth_time client_id exp iat iss jti sid sub'.split(' '),
    )
    const [session] = await clientele.sessions.list(accountId, user.id)
    expect(session?.impersonatedBy).toBeNull()
  })

  test('ends with another password, also where the change names its session to be kept', async () => {
    const { clientele, accountId, user, impersonate, validate } = await start()
    const { token } = await impersonate()
    const keepSessionId = String(decodeJwt(token).sid)
    await clientele.users.patch(accountId, user.id, { password: 'another' }, { keepSessionId })
    expect(await validate(token)).toBe('token_revoked')
    const { data } = await clientele.events.read(accountId, { types: ['user.updated'] })
    expect(data).toMatchObject([{ data: { changed: ['password'] } }])
    expect(data[0]?.data).not.toHaveProperty('keptSessionId', keepSessionId)
  })

  test('ends after its time, which the lifetime of tokens and the policy of the account shorten', async () => {
    const { clientele, accountId, impersonate, validate } = await start({ tokenTtlSeconds: 600 })
    const short = await impersonate({ expiresIn: 60 })
    const long = await impersonate({ expiresIn: 3600 })
    expect([short.expiresIn, long.expiresIn]).toEqual([60, 600])
    world.now += 61_000
    expect(await validate(short.token)).toBe('token_expired')
    expect(await validate(long.token)).toBeUndefined()
    await clientele.accounts.setPolicy(accountId, { sessionMaxSeconds: 300 })
    expect((await impersonate()).expiresIn).toBe(300)
  })

  test('ends as every session does', async () => {
    const { clientele, accountId, user, impersonate, validate } = await start()
    const { sessions, users } = clientele
    const endings: (() => Promise<unknown>)[] = [
      async () => {
        const [session] = await sessions.list(accountId, user.id)
        await sessions.revoke(accountId, user.id, session?.id ?? '')
      },
      () => sessions.revokeAll(accountId, user.id),
      () => users.patch(accountId, user.id, { password: 'another password' }),
      async () => {
        await users.deactivate(accountId, user.id)
        await users.activate(accountId, user.id)
      },
    ]
    for (const end of endings) {
      const { token } = await impersonate()
      expect(await validate(token)).toBeUndefined()
      await end()
      expect(await validate(token)).toBe('token_revoked')
      // A token of the same second as the end is none of later.
      world.now += 1_000
    }
    const { token } = await impersonate()
    await users.delete(accountId, user.id)
    expect(await validate(token)).toBe('token_user_not_found')
  })

  test('ends when the API key that opened it is revoked, and no other does', async () => {
    const { clientele, accountId, user, credentials, impersonate, validate } = await start()
    const { user: another } = await world.addUser(clientele, { accountId })
    const scopes: Scope[] = ['users:impersonate']
    const [key, other] = await Promise.all([
      clientele.apiKeys.create(accountId, { name: 'support', scopes }),
      clientele.apiKeys.create(accountId, { name: 'other', scopes }),
    ])
    const openWith = (keyId: string, userId: string) =>
      clientele.auth.impersonate(
        { accountId, actor: { type: 'api_key', id: keyId } },
        userId,
        input,
      )
    const ending = [
      await openWith(key.id, user.id),
      await openWith(key.id, user.id),
      await openWith(key.id, another.id),
    ]
    const staying = [
      await openWith(other.id, user.id),
      await impersonate(),
      await logIn(clientele, accountId, credentials),
    ]
    await clientele.apiKeys.revoke(accountId, key.id)
    for (const { token } of ending) expect(await validate(token)).toBe('token_revoked')
    for (const { token } of staying) expect(await validate(token)).toBeUndefined()
    const { data } = await clientele.events.read(accountId, { types: ['session.revoked'] })
    const sidOf = ({ token }: { token: string }) => decodeJwt(token).sid
    const ended = data.map((event) => [event.subject.id, event.data.sessionIds])
    expect(ended).toHaveLength(2)
    const ofUser = expect.arrayContaining(ending.slice(0, 2).map(sidOf))
    expect(ended).toContainEqual([user.id, ofUser])
    expect(ended).toContainEqual([another.id, ending.slice(2).map(sidOf)])
    expect(await codeOf(openWith(key.id, user.id))).toBe('api_key_invalid')
  })

  test('ends when its API key is revoked, of however many users', async () => {
    const { clientele, accountId, validate } = await start()
    const { id } = await clientele.apiKeys.create(accountId, { scopes: ['users:impersonate'] })
    const call = { accountId, actor: { type: 'api_key' as const, id } }
    const records = Array.from({ length: 120 }, (_, index) => ({
      line: index + 1,
      value: { name: 'Ada', email: `${index}@many.example` },
    }))
    await clientele.users.import(accountId, records)
    const opened: string[] = []
    for (const page of [1, 2]) {
      const { data } = await clientele.users.list(accountId, { page, limit: 100 })
      for (const { id: userId } of data)
        opened.push((await clientele.auth.impersonate(call, userId, input)).token)
    }
    expect(opened).toHaveLength(121)
    await clientele.apiKeys.revoke(accountId, id)
    for (const token of opened) expect(await validate(token)).toBe('token_revoked')
    const { data } = await clientele.events.read(accountId, {
      types: ['session.revoked'],
      limit: 1000,
    })
    expect(new Set(data.map(({ subject }) => subject.id)).size).toBe(121)
  })

  test('cannot be refreshed, and enrols no passkey', async () => {
    const { clientele, accountId, user, credentials, impersonate, validate } = await start()
    const { token } = await impersonate()
    const { sid } = decodeJwt(token)
    // In the form of a refresh token of this session, the first and the second one
    for (const position of [0, 1]) {
      const bytes = Buffer.alloc(68, 'x')
      bytes.write(String(sid).replaceAll('-', ''), 'hex')
      bytes.writeUInt32BE(position, 16)
      const refreshToken = bytes.toString('base64url')
      const refused = 'refresh_token_invalid'
      expect(await codeOf(clientele.auth.refresh(accountId, { refreshToken }))).toBe(refused)
      const again = { refreshToken, password: credentials.password }
      expect(await codeOf(clientele.auth.reauthenticate(accountId, again))).toBe(refused)
    }
    expect(await validate(token)).toBeUndefined()
    await clientele.accounts.setPasskeys(accountId, { ...site, requireToken: true })
    const begun = clientele.passkeys.beginEnrolment(accountId, user.id, {
      token: `Bearer ${token}`,
    })
    expect(await codeOf(begun)).toBe('impersonation_refused')
  })

  test('is not possible for a user who is deactivated or unknown, or in a disabled account', async () => {
    const { clientele, accountId, user, impersonate } = await start()
    const other = await world.addUser(clientele)
    const foreign = clientele.auth.impersonate(accountId, other.user.id, input)
    expect(await codeOf(foreign)).toBe('user_not_found')
    await clientele.users.deactivate(accountId, user.id)
    expect(await codeOf(impersonate())).toBe('user_inactive')
    await clientele.users.activate(accountId, user.id)
    await clientele.accounts.disable(accountId)
    expect(await codeOf(impersonate())).toBe('account_disabled')
    await clientele.accounts.enable(accountId)
    expect(await toldOf(clientele, accountId)).toEqual([])
    expect(await clientele.sessions.list(accountId, user.id)).toEqual([])
  })

  test('asks its hook again when the user gets another password meanwhile', async () => {
    let meanwhile = async (): Promise<unknown> => undefined
    let asked = 0
    const tokenClaims = async () => {
      asked++
      const once = meanwhile
      meanwhile = async () => undefined
      await once()
      return { asked }
    }
    const { clientele, accountId, user, impersonate, validate } = await start({
      hooks: { tokenClaims },
    })
    meanwhile = () => clientele.users.patch(accountId, user.id, { password: 'another password' })
    const { token } = await impersonate()
    expect(decodeJwt(token).asked).toBe(2)
    expect(await validate(token)).toBeUndefined()
    const { data } = await clientele.events.read(accountId, { userId: user.id })
    expect(data.map(({ type }) => type).slice(-2)).toEqual(['user.updated', 'user.impersonated'])
    const always = { asked: 0 }
    meanwhile = async function again() {
      always.asked++
      await clientele.users.patch(accountId, user.id, { name: `Ada ${always.asked}` })
      meanwhile = again
    }
    expect(await codeOf(impersonate())).toBe('overloaded')
    expect(always.asked).toBe(3)
  })

  test('is one of twenty at most, which end none of the user’s own sessions', async () => {
    const { clientele, accountId, credentials, user, impersonate, validate } = await start()
    const own = await logIn(clientele, accountId, credentials)
    for (let count = 1; count <= 20; count++) await impersonate({ expiresIn: 60 })
    expect(await codeOf(impersonate())).toBe('impersonation_limit_reached')
    expect(await validate(own.token)).toBeUndefined()
    expect(await clientele.sessions.list(accountId, user.id)).toHaveLength(21)
    world.now += 61_000
    await impersonate()
  })

  test('is one of twenty also when two processes are asked at once', async () => {
    const { clientele, accountId, user } = await start()
    const { clientele: another } = await world.start()
    const outcomes = await Promise.all(
      Array.from({ length: 40 }, (_, index) => {
        const { auth } = index % 2 === 0 ? clientele : another
        return codeOf(auth.impersonate(accountId, user.id, input))
      }),
    )
    expect(outcomes.filter((code) => code === undefined)).toHaveLength(20)
  })

  test('takes one line each as actor and reason, and 60 to 3,600 seconds', async () => {
    const { impersonate } = await start()
    const wrong = [
      { actor: '' },
      { actor: 'x'.repeat(255) },
      { actor: 'a\nb' },
      { reason: ' ' },
      { reason: 'x'.repeat(501) },
      { reason: 'a\u2028b' },
      { expiresIn: 59 },
      { expiresIn: 3601 },
      { expiresIn: 60.5 },
      { scope: 'all' },
    ]
    for (const more of wrong) expect(await codeOf(impersonate(more))).toBe('validation_failed')
  })

  test('leaves actor and time in the event of an erased person, and not the reason', async () => {
    const { clientele, accountId, user, impersonate } = await start()
    await impersonate()
    await clientele.users.erase(accountId, user.id)
    const [event] = await toldOf(clientele, accountId)
    expect(event?.data).toEqual({
      sessionId: expect.any(String),
      impersonatedBy: actor,
      expiresAt: expect.any(Date),
    })
  })

  test('keeps an erased person who acted in the sessions and events of others', async () => {
    const { clientele, accountId, user, impersonate } = await start()
    const { user: actor } = await world.addUser(clientele, { accountId })
    await impersonate({ actor: actor.email })
    await clientele.users.erase(accountId, actor.id)
    const [session] = await clientele.sessions.list(accountId, user.id)
    expect(session?.impersonatedBy).toBe(actor.email)
    const [event] = await toldOf(clientele, accountId)
    expect(event?.data.impersonatedBy).toBe(actor.email)
  })
})

describe('an impersonation while its API key is revoked, on postgres', () => {
  const locks = useRowLocks()
  const world = new SignInWorld(() => locks.url)

  test('ends, too', async () => {
    const { clientele } = await world.start()
    const { accountId, user } = await world.addUser(clientele)
    const scopes: Scope[] = ['users:impersonate']
    const { id } = await clientele.apiKeys.create(accountId, { name: 'support', scopes })
    const holder = await locks.begin()
    await holder.query('select 1 from clientele_users where id = $1 for update', [user.id])
    const call = { accountId, actor: { type: 'api_key' as const, id } }
    const opened = clientele.auth.impersonate(call, user.id, input)
    await locks.untilWaiting('select')
    const revoked = clientele.apiKeys.revoke(accountId, id)
    await locks.untilWaiting('update "clientele_api_keys"')
    await holder.query('commit')
    const [{ token }] = await Promise.all([opened, revoked])
    expect(await codeOf(clientele.auth.validateToken(accountId, token))).toBe('token_revoked')
  })
})
