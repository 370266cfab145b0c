import type { NewTrustedIssuer } from '@clientele/core'
import { SignJWT } from 'jose'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { codeOf } from '../keys/open-clientele.ts'
import { eitherDatabase, type OpenDatabase } from '../support/databases.ts'
import { logIn, toRefresh } from '../support/log-in.ts'
import { toSignedIn } from '../support/to-signed-in.ts'
import { byFilter, type Provider, type ScimAnswer, ScimWorld } from './scim-world.ts'

const databases = eitherDatabase(import.meta.filename)

const email = 'ada@example.com'
const credentials = { email, password: 'a password' }
const person = (displayName: string) => ({
  userName: 'person@example.com',
  displayName,
  emails: [{ value: 'person@example.com' }],
})
const issuer = {
  issuer: 'https://login.example.com',
  audience: 'app',
  algorithms: ['HS256'],
  sharedSecret: 'a shared secret of 32 bytes or more',
  signIn: true,
  nonce: 'optional',
} satisfies NewTrustedIssuer
const signIdToken = (iat: number) =>
  new SignJWT({ email: 'stranger@example.com', email_verified: true, iat, exp: iat + 60 })
    .setProtectedHeader({ alg: 'HS256' })
    .setIssuer(issuer.issuer)
    .setAudience(issuer.audience)
    .setSubject('stranger')
    .sign(new TextEncoder().encode(issuer.sharedSecret))
const byName = (name: string) => byFilter('/Users', `userName eq "${name}"`)

// A stranger registers an address before the identity provider of its owner finds the user by it.
describe.each(databases)('A user who is taken over by SCIM, on $name', ({ open }) => {
  let database: OpenDatabase
  let world: ScimWorld
  const mailed: { kind: string; token?: string }[] = []
  beforeAll(async () => {
    database = await open()
    const sendMail = async (mail: { kind: string; token?: string }) => void mailed.push(mail)
    world = await ScimWorld.open(database.url, { sendMail })
  })
  afterAll(async () => {
    await world.close()
    await database.close()
  })

  /** A provider, and a stranger who has signed in, with a second factor and a token of its own. */
  async function register() {
    const provider = await world.provider()
    const { accountId } = provider
    const { users, userTokens, mfa } = world.clientele
    const { user } = await users.create(accountId, { name: 'Stranger', ...credentials })
    const session = await logIn(world.clientele, accountId, credentials)
    const own = await userTokens.create(accountId, user.id, { name: 'Script' })
    await mfa.enrolEmail(accountId, user.id)
    const { body } = await provider.ask('GET', byName(email))
    expect(body.Resources.map(({ id }: { id: string }) => id)).toEqual([user.id])
    return { ...provider, user, session, own, path: `/Users/${user.id}` }
  }

  type Registered = Awaited<ReturnType<typeof register>>

  async function expectShutOut({ accountId, user, session, own, events }: Registered) {
    const { auth, mfa, revocations } = world.clientele
    await expect(auth.logIn(accountId, credentials)).rejects.toMatchObject({
      code: 'credentials_invalid',
    })
    await expect(auth.validateToken(accountId, session.token)).rejects.toMatchObject({
      code: 'token_revoked',
    })
    await expect(auth.refresh(accountId, toRefresh(session))).rejects.toMatchObject({
      code: 'refresh_token_invalid',
    })
    await expect(auth.validateToken(accountId, own.token)).rejects.toMatchObject({
      code: 'token_unknown_key',
    })
    expect(await mfa.read(accountId, user.id)).toMatchObject({ email: false })
    const { data } = await revocations.read(accountId)
    expect(data).toContainEqual(expect.objectContaining({ type: 'user', userId: user.id }))
    expect(data).toContainEqual(expect.objectContaining({ type: 'session', sessionId: own.id }))
    expect(await events()).toContainEqual([
      'user.updated',
      'api_key',
      expect.arrayContaining(['password']),
    ])
  }

  test('keeps nothing of who registered the address, by PUT, by PATCH or as a member', async () => {
    for (const takeOver of [
      ({ ask, path }: Registered) => ask('PUT', path, { userName: email, displayName: 'Stranger' }),
      ({ patch, path }: Registered) =>
        patch(path, { op: 'replace', path: 'externalId', value: '00u1' }),
      ({ ask, user }: Registered) =>
        ask('POST', '/Groups', { displayName: 'admin', members: [{ value: user.id }] }),
    ]) {
      const registered = await register()
      expect((await takeOver(registered)).status).toBeLessThan(300)
      await expectShutOut(registered)
    }
  })

  test('is taken over as a member who had the role of the group before', async () => {
    const toMembers = (id: string) => [{ value: id }]
    for (const write of [
      ({ ask, user }: Registered) =>
        ask('POST', '/Groups', { displayName: 'admin', members: toMembers(user.id) }),
      async ({ ask, patch, user }: Registered) => {
        const { body } = await ask('POST', '/Groups', { displayName: 'admin' })
        return patch(`/Groups/${body.id}`, {
          op: 'add',
          path: 'members',
          value: toMembers(user.id),
        })
      },
      async ({ ask, user }: Registered) => {
        const { body } = await ask('POST', '/Groups', { displayName: 'admin' })
        const group = { displayName: 'admin', members: toMembers(user.id) }
        return ask('PUT', `/Groups/${body.id}`, group)
      },
    ]) {
      const registered = await register()
      const { accountId, user } = registered
      await world.clientele.users.patch(accountId, user.id, { roles: ['admin'] })
      expect((await write(registered)).status).toBeLessThan(300)
      await expectShutOut(registered)
      expect(await world.clientele.users.find(accountId, user.id)).toMatchObject({
        user: { roles: ['admin'] },
      })
    }
  })

  test('keeps a password that the identity provider sends, then and later', async () => {
    const { patch, path, accountId } = await register()
    const password = 'of the provider'
    await patch(path, { op: 'replace', value: { password } })
    await patch(path, { op: 'replace', value: { externalId: '00u1' } })
    await logIn(world.clientele, accountId, { email, password })
  })

  test('is deactivated alone first, and taken over when it comes back', async () => {
    const registered = await register()
    const { patch, path, events } = registered
    await patch(path, { op: 'replace', value: { active: false } })
    expect((await events()).at(-1)).toEqual(['user.deactivated', 'api_key'])
    await patch(path, { op: 'replace', value: { active: true } })
    await expect(
      world.clientele.auth.logIn(registered.accountId, credentials),
    ).rejects.toMatchObject({ code: 'credentials_invalid' })
  })

  test('keeps everything where the address is proved', async () => {
    const { patch, path, accountId } = await world.provider().then(async (provider) => {
      const { users, auth } = world.clientele
      const { user } = await users.create(provider.accountId, { name: 'Owner', ...credentials })
      await auth.requestEmailVerification(provider.accountId, { email })
      await expect.poll(() => mailed.at(-1)?.kind).toBe('email_verification')
      await auth.verifyEmail(provider.accountId, { token: mailed.at(-1)?.token ?? '' })
      return { ...provider, path: `/Users/${user.id}` }
    })
    const { token } = await logIn(world.clientele, accountId, credentials)
    await patch(path, { op: 'replace', value: { externalId: '00u1' } })
    await world.clientele.auth.validateToken(accountId, token)
    await logIn(world.clientele, accountId, credentials)
  })

  test.each<[string, (registered: Registered) => Promise<ScimAnswer>]>([
    ['PUT', ({ ask, path }) => ask('PUT', path, { userName: email, displayName: 'Ada' })],
    [
      'PATCH',
      ({ patch, path }) => patch(path, { op: 'replace', value: { userName: email.toUpperCase() } }),
    ],
  ])(
    'is taken over by a %s that gives it the address back, though another one is proved',
    async (_, change) => {
      mailed.length = 0
      const registered = await register()
      const { accountId, user } = registered
      const { users, auth } = world.clientele
      const find = (kind: string) => mailed.findLast((mail) => mail.kind === kind)?.token ?? ''
      // The provider has found the user by the address. It is the stranger's own one until the first change.
      await users.requestEmailChange(accountId, user.id, { email: 'stranger@example.com' })
      await expect.poll(() => find('email_change')).not.toBe('')
      await auth.confirmEmailChange(accountId, { token: find('email_change') })
      const own = { email: 'stranger@example.com', password: credentials.password }
      const session = await logIn(world.clientele, accountId, own)
      const made = await world.clientele.userTokens.create(accountId, user.id, { name: 'Script' })
      expect((await change(registered)).status).toBe(200)
      await expectShutOut({ ...registered, session, own: made })
      expect(await users.find(accountId, user.id)).toMatchObject({ user: { email } })
    },
  )

  test('keeps a proved address beside a user name that never was one of its addresses', async () => {
    const { patch, path, accountId, user } = await register()
    const { users, auth } = world.clientele
    await auth.requestEmailVerification(accountId, { email })
    await expect.poll(() => mailed.at(-1)?.kind).toBe('email_verification')
    await auth.verifyEmail(accountId, { token: mailed.at(-1)?.token ?? '' })
    const named = await patch(path, { op: 'replace', value: { userName: 'upn@example.com' } })
    expect([named.status, named.body.userName]).toEqual([200, 'upn@example.com'])
    expect(await users.find(accountId, user.id)).toMatchObject({ user: { email } })
  })

  test('is not created beside by its name, and not found beside by another address', async () => {
    const { ask, add, accountId, user, patch, path } = await register()
    const named = { userName: email, displayName: 'Ada', emails: [{ value: 'other@example.com' }] }
    const { status, body } = await ask('POST', '/Users', named)
    expect([status, body.scimType]).toEqual([409, 'uniqueness'])
    const other = await add()
    const renamed = await patch(`/Users/${other.id}`, { op: 'replace', value: { userName: email } })
    expect(renamed.status).toBe(409)
    // Later a stranger registers what is a user name by now.
    await patch(path, { op: 'replace', value: { userName: 'upn@example.com' } })
    await world.clientele.users.create(accountId, {
      name: 'Stranger',
      email: 'upn@example.com',
      password: 'a password',
    })
    const found = (await ask('GET', byName('upn@example.com'))).body
    expect(found.Resources.map(({ id }: { id: string }) => id)).toEqual([user.id])
    const kept = await ask('PUT', path, { userName: 'upn@example.com', displayName: 'Ada Byron' })
    expect([kept.status, kept.body.userName]).toEqual([200, 'upn@example.com'])
  })

  test.each<[string, (provider: Provider, id: string) => Promise<ScimAnswer>]>([
    ['changed', ({ ask }, id) => ask('PUT', `/Users/${id}`, person('Person'))],
    ['confirmed', ({ ask }, id) => ask('PUT', `/Users/${id}`, person('Stranger'))],
    [
      'added',
      ({ ask }, id) => ask('POST', '/Groups', { displayName: 'admin', members: [{ value: id }] }),
    ],
    [
      'named',
      ({ ask }, id) => ask('POST', '/Groups', { displayName: 'old', members: [{ value: id }] }),
    ],
  ])('goes back to no former address once the provider has %s the user', async (_, write) => {
    mailed.length = 0
    const provider = await world.provider()
    const { accountId, ask } = provider
    const { auth, users } = world.clientele
    const own = { email: 'stranger@example.com', password: 'a password' }
    const stranger = { name: 'Stranger', roles: ['old'], ...own }
    const { user } = await users.create(accountId, stranger)
    const find = (kind: string) => mailed.findLast((mail) => mail.kind === kind)?.token ?? ''
    await users.requestEmailChange(accountId, user.id, { email: 'person@example.com' })
    await expect.poll(() => find('email_change')).not.toBe('')
    await auth.confirmEmailChange(accountId, { token: find('email_change') })
    await expect.poll(() => find('email_change_notice')).not.toBe('')
    const { body } = await ask('GET', byName('person@example.com'))
    expect(body.Resources.map(({ id }: { id: string }) => id)).toEqual([user.id])
    expect((await write(provider, user.id)).status).toBeLessThan(300)
    const undo = auth.undoEmailChange(accountId, { token: find('email_change_notice') })
    await expect(undo).rejects.toMatchObject({ code: 'email_change_invalid' })
  })

  test('keeps the identity that created it only with the address of then', async () => {
    for (const [isMoved, code] of [
      [false, undefined],
      [true, 'token_user_not_found'],
    ] as const) {
      const { accountId, patch } = await world.provider()
      const { auth, users, trustedIssuers } = world.clientele
      await trustedIssuers.create(accountId, issuer)
      // A token of the second in which a user was taken over is too old.
      const sign = (seconds: number) => signIdToken(Math.floor(Date.now() / 1000) + seconds)
      const made = await auth.logInWithIdToken(accountId, { idToken: await sign(0), create: true })
      const { id } = toSignedIn(made).user
      if (isMoved) await users.patch(accountId, id, { email: 'person@example.com' })
      await patch(`/Users/${id}`, { op: 'replace', path: 'externalId', value: '00u1' })
      const idToken = await sign(2)
      expect(await codeOf(auth.logInWithIdToken(accountId, { idToken }))).toBe(code)
    }
  })
})
