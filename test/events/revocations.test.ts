import type { Clientele, Mail, Revocation, SignedIn } from '@clientele/core'
import { decodeJwt, decodeProtectedHeader } from 'jose'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { bcryptOfPassword, toRecords } from '../import/import-world.ts'
import { codeOf, openClientele } from '../keys/open-clientele.ts'
import { eitherDatabase, type OpenDatabase } from '../support/databases.ts'
import { logIn } from '../support/log-in.ts'

const databases = eitherDatabase(import.meta.filename)

const password = 'correct horse'
const email = 'ada@example.com'

/** A user with three sessions. */
interface Signed {
  accountId: string
  userId: string
  sessions: SignedIn[]
}

const sessionOf = ({ token }: SignedIn): string => String(decodeJwt(token).sid)

/** When a session was opened: its id is a UUIDv7. */
const timeOf = (id: unknown): number =>
  Number.parseInt(String(id).replace('-', '').slice(0, 12), 16)

/** Whether a validator that uses signatures and the feed accepts a token. */
function isTaken({ token }: SignedIn, revocations: readonly Revocation[]): boolean {
  const { sid, sub, iat = 0 } = decodeJwt(token)
  const { kid } = decodeProtectedHeader(token)
  return !revocations.some((each) => {
    if (each.type === 'session') return each.sessionId === sid
    if (each.type === 'signing_key') return each.kid === kid
    const since = Math.min(iat * 1000, timeOf(sid))
    const isOld = since <= each.notBefore.getTime() && each.exceptSessionId !== sid
    return each.userId === sub && isOld
  })
}

describe.each(databases)('revocations on $name', ({ open }) => {
  let database: OpenDatabase
  let clientele: Clientele
  let elsewhere: Clientele
  const mails: Mail[] = []
  let now = Date.parse('2026-05-05T23:41:45.619Z')

  beforeAll(async () => {
    database = await open()
    const clock = () => now
    const sendMail = async (mail: Mail) => void mails.push(mail)
    clientele = await openClientele(database.url, { clock, sendMail })
    elsewhere = await openClientele(database.url, { clock })
  })
  afterAll(async () => {
    await clientele.close()
    await elsewhere.close()
    await database.close()
  })

  async function signIn(): Promise<Signed> {
    const accountId = (await clientele.accounts.create({ name: 'Acme' })).id
    const { user } = await clientele.users.create(accountId, { name: 'Ada', email, password })
    const sessions: SignedIn[] = []
    for (let count = 0; count < 3; count++)
      sessions.push(await logIn(clientele, accountId, { email, password }))
    now += 20_000
    return { accountId, userId: user.id, sessions }
  }

  async function readAll(accountId: string, limit = 100): Promise<Revocation[]> {
    const all: Revocation[] = []
    let after: string | undefined
    for (;;) {
      const { data, nextCursor, hasMore } = await elsewhere.revocations.read(accountId, {
        after,
        limit,
      })
      expect(data.length).toBeLessThanOrEqual(limit)
      all.push(...data)
      after = nextCursor
      if (!hasMore) return all
    }
  }

  const importUser = (accountId: string, more: object) =>
    clientele.users.import(accountId, toRecords([{ name: 'Ada', email, ...more }]), {
      fromWire: true,
      onConflict: 'update',
    })

  async function reset(accountId: string): Promise<void> {
    mails.length = 0
    await clientele.auth.forgotPassword(accountId, { email })
    await expect.poll(() => mails.length).toBe(1)
    const [mail] = mails
    if (mail?.kind !== 'password_reset') throw new Error('Another mail came.')
    await clientele.auth.resetPassword(accountId, { token: mail.token, password: 'new password' })
  }

  /** What is done, and of how many of the three sessions the token is still valid then. */
  const actions: Record<string, [number, (signed: Signed) => Promise<unknown>]> = {
    'logging out': [
      2,
      ({ accountId, sessions: [first] }) =>
        clientele.auth.logOut(accountId, { refreshToken: first?.refreshToken ?? '' }),
    ],
    'revoking a session': [
      2,
      ({ accountId, userId, sessions: [first] }) =>
        clientele.sessions.revoke(accountId, userId, first ? sessionOf(first) : ''),
    ],
    'revoking all sessions': [
      0,
      ({ accountId, userId }) => clientele.sessions.revokeAll(accountId, userId),
    ],
    'using a refresh token twice': [
      2,
      async ({ accountId, sessions: [first] }) => {
        const refreshToken = first?.refreshToken ?? ''
        await clientele.auth.refresh(accountId, { refreshToken })
        now += 60_000
        expect(await codeOf(clientele.auth.refresh(accountId, { refreshToken }))).toBe(
          'refresh_token_invalid',
        )
      },
    ],
    'a new password': [
      0,
      ({ accountId, userId }) =>
        clientele.users.patch(accountId, userId, { password: 'new password' }),
    ],
    'a new password and more': [
      0,
      ({ accountId, userId }) =>
        clientele.users.replace(accountId, userId, { name: 'Bob', email, password: 'new one' }),
    ],
    'a new password that keeps a session': [
      1,
      ({ accountId, userId, sessions: [first] }) =>
        clientele.users.patch(
          accountId,
          userId,
          { password: 'new password' },
          { keepSessionId: first ? sessionOf(first) : '' },
        ),
    ],
    'a new password that would keep a session of a user who is shut out': [
      0,
      ({ accountId, userId, sessions: [first] }) =>
        clientele.users.patch(
          accountId,
          userId,
          { password: 'new password', isActive: false },
          { keepSessionId: first ? sessionOf(first) : '' },
        ),
    ],
    'a reset': [0, ({ accountId }) => reset(accountId)],
    deactivating: [0, ({ accountId, userId }) => clientele.users.deactivate(accountId, userId)],
    'deactivating with another name': [
      0,
      ({ accountId, userId }) =>
        clientele.users.patch(accountId, userId, { name: 'Bob', isActive: false }),
    ],
    'deactivating and activating again': [
      0,
      async ({ accountId, userId }) => {
        await clientele.users.deactivate(accountId, userId)
        await clientele.users.activate(accountId, userId)
      },
    ],
    deleting: [0, ({ accountId, userId }) => clientele.users.delete(accountId, userId)],
    erasing: [0, ({ accountId, userId }) => clientele.users.erase(accountId, userId)],
    'erasing after a new password': [
      0,
      async ({ accountId, userId }) => {
        await clientele.users.patch(accountId, userId, { password: 'new password' })
        await clientele.users.erase(accountId, userId)
      },
    ],
    'importing another password': [
      0,
      ({ accountId }) => importUser(accountId, { password_hash: bcryptOfPassword }),
    ],
    'importing that the user is inactive': [
      0,
      ({ accountId }) => importUser(accountId, { is_active: false }),
    ],
    'another name': [
      3,
      ({ accountId, userId }) => clientele.users.patch(accountId, userId, { name: 'Bob' }),
    ],
    'another address': [
      3,
      ({ accountId, userId }) =>
        clientele.users.patch(accountId, userId, { email: 'bob@example.com' }),
    ],
    'importing another name': [3, ({ accountId }) => importUser(accountId, { name: 'Bob' })],
    'a refresh, and a further sign-in': [
      3,
      async ({ accountId, sessions: [first] }) => {
        await clientele.auth.refresh(accountId, { refreshToken: first?.refreshToken ?? '' })
        await logIn(clientele, accountId, { email, password })
      },
    ],
  }

  test.each(Object.keys(actions))('%s: the feed agrees with the validation', async (name) => {
    const [left, act] = actions[name] ?? [0, async () => {}]
    const signed = await signIn()
    const { accountId, sessions } = signed
    expect(await readAll(accountId)).toEqual([])
    await act(signed)
    const results = await clientele.auth.validateTokens(
      accountId,
      sessions.map(({ token }) => token),
    )
    const revocations = await readAll(accountId)
    expect(sessions.map((session) => isTaken(session, revocations))).toEqual(
      results.map(({ isValid }) => isValid),
    )
    expect(results.filter(({ isValid }) => isValid)).toHaveLength(left)
  })

  test('the feed has a removed signing key', async () => {
    const { accountId, sessions } = await signIn()
    const [key] = await clientele.signingKeys.list(accountId)
    await clientele.signingKeys.rotate(accountId, { now: true })
    await clientele.signingKeys.remove(accountId, key?.id ?? '')
    const revocations = await readAll(accountId)
    expect(revocations).toEqual([{ type: 'signing_key', kid: key?.id, at: new Date(now) }])
    expect(sessions.map((session) => isTaken(session, revocations))).toEqual([false, false, false])
    const later = await logIn(clientele, accountId, { email, password })
    expect(isTaken(later, revocations)).toBe(true)
  })

  test('a token from after a new password is accepted', async () => {
    const { accountId, userId } = await signIn()
    await clientele.users.patch(accountId, userId, { password: 'new password' })
    now += 1_000
    const later = await logIn(clientele, accountId, { email, password: 'new password' })
    expect(isTaken(later, await readAll(accountId))).toBe(true)
  })

  test('an event that ends many sessions is read in parts, each entry once', async () => {
    const { accountId, userId, sessions } = await signIn()
    for (let count = 0; count < 4; count++)
      sessions.push(await logIn(clientele, accountId, { email, password }))
    await clientele.sessions.revokeAll(accountId, userId)
    await clientele.users.deactivate(accountId, userId)
    for (const limit of [1, 2, 3, 7, 8, 100]) {
      const all = await readAll(accountId, limit)
      const ended = all.flatMap((each) => (each.type === 'session' ? [each.sessionId] : []))
      expect(ended.toSorted()).toEqual(sessions.map(sessionOf).toSorted())
      expect(all.map(({ type }) => type)).toEqual([...Array(7).fill('session'), 'user'])
    }
  })

  test('without a cursor, reading begins with revocations that still matter', async () => {
    const { accountId, sessions } = await signIn()
    const end = (index: number) =>
      clientele.auth.logOut(accountId, { refreshToken: sessions[index]?.refreshToken ?? '' })
    const { nextCursor } = await clientele.revocations.read(accountId)
    await end(0)
    // Tokens live two hours; some minutes more are read, for clocks that differ.
    now += 2 * 3_600_000 + 10 * 60_000
    expect(await readAll(accountId)).toEqual([])
    await end(1)
    const at = new Date(now)
    const sessionId = sessions[1] ? sessionOf(sessions[1]) : ''
    expect(await readAll(accountId)).toEqual([{ type: 'session', sessionId, at }])
    // A reader with a cursor continues after it.
    const { data } = await clientele.revocations.read(accountId, { after: nextCursor })
    expect(data).toHaveLength(2)
  })

  test('without a cursor, no event is missed that was written out of time order', async () => {
    const { accountId, sessions } = await signIn()
    now += 2 * 3_600_000 + 10 * 60_000
    const clockOfOther = now - 5_000
    const other = await openClientele(database.url, { clock: () => clockOfOther })
    const end = (at: Clientele, index: number) =>
      at.auth.logOut(accountId, { refreshToken: sessions[index]?.refreshToken ?? '' })
    await end(clientele, 0)
    await end(other, 1)
    await end(clientele, 2)
    await other.close()
    const ended = (await readAll(accountId)).flatMap((each) =>
      each.type === 'session' ? [each.sessionId] : [],
    )
    expect(ended).toEqual(sessions.map(sessionOf))
  })

  test('a revocation wakes a reader, from this process or another', async () => {
    const { accountId, sessions } = await signIn()
    let { nextCursor } = await clientele.revocations.read(accountId)
    for (const [index, reader] of [clientele, elsewhere].entries()) {
      const waiting = reader.revocations.read(accountId, { after: nextCursor, wait: 25 })
      // Events without a revocation do not end a wait.
      await clientele.users.create(accountId, {
        name: 'Bob',
        email: `bob${index}@example.com`,
        password,
      })
      const refreshToken = sessions[index]?.refreshToken ?? ''
      await clientele.auth.logOut(accountId, { refreshToken })
      const page = await waiting
      expect(page.data).toMatchObject([{ type: 'session' }])
      nextCursor = page.nextCursor
    }
  })

  test('closing the service answers waiting readers', async () => {
    const { accountId } = await signIn()
    const other = await openClientele(database.url, { clock: () => now })
    const waiting = other.revocations.read(accountId, { wait: 25 })
    // Another connection may answer sooner: after twenty reads it has looked, and waits.
    for (let times = 0; times < 20; times++) await other.revocations.read(accountId)
    await other.close()
    expect(await waiting).toMatchObject({ data: [], hasMore: false })
  })

  test('a cursor of another feed is refused', async () => {
    const { accountId } = await signIn()
    const other = await signIn()
    const { nextCursor: foreign } = await clientele.revocations.read(other.accountId)
    const { nextCursor: own } = await clientele.revocations.read(accountId)
    const wrong = [foreign, 'x', '.1', `${own}.x`, `${own}.0`, `${own}.1.1`, `${own}=`]
    for (const after of wrong)
      expect(await codeOf(clientele.revocations.read(accountId, { after }))).toBe(
        'validation_failed',
      )
  })
})
