import type { ClienteleEvents } from '@clientele/core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { codeOf } from '../keys/open-clientele.ts'
import { eitherDatabase, type OpenDatabase } from '../support/databases.ts'
import { logIn, toRefresh } from '../support/log-in.ts'
import { SignInWorld } from '../support/sign-in-world.ts'

const databases = eitherDatabase(import.meta.filename)

const day = 24 * 3600 * 1000

describe.each(databases)('sessions on $name', ({ open }) => {
  let database: OpenDatabase
  const world = new SignInWorld(() => database.url)

  beforeAll(async () => {
    database = await open()
  })
  afterAll(() => database.close())

  test('a refresh token gives a successor and a token of the same session', async () => {
    const { clientele } = await world.start()
    const { accountId, user, signedIn } = await world.signIn(clientele)
    world.now += 1000
    const next = await clientele.auth.refresh(accountId, toRefresh(signedIn))
    expect(next.refreshToken).not.toBe(signedIn.refreshToken)
    expect(next.user).toEqual(user)
    const before = await clientele.auth.validateToken(accountId, signedIn.token)
    const after = await clientele.auth.validateToken(accountId, next.token)
    expect(after.claims.sid).toBe(before.claims.sid)
    expect(await clientele.sessions.list(accountId, user.id)).toEqual([
      {
        id: before.claims.sid,
        amr: ['pwd'],
        impersonatedBy: null,
        createdAt: new Date(world.now - 1000),
        lastUsedAt: new Date(world.now),
        expiresAt: new Date(world.now + 30 * day),
      },
    ])
  })

  test('a user has a hundred sessions: with one more, the one that was unused for longest ends', async () => {
    const { clientele } = await world.start()
    const { accountId, user, credentials } = await world.addUser(clientele)
    const opened: Awaited<ReturnType<typeof logIn>>[] = []
    const open = async () => {
      world.now += 1_000
      opened.push(await logIn(clientele, accountId, credentials))
    }
    for (let count = 0; count < 100; count++) await open()
    const [first, second] = await clientele.sessions.list(accountId, user.id)
    // It is in use.
    world.now += 1_000
    await clientele.auth.refresh(accountId, { refreshToken: opened[0]?.refreshToken ?? '' })
    const told: string[] = []
    clientele.events.on('session.revoked', ({ sessionIds }) => told.push(...sessionIds))
    await open()
    const left = await clientele.sessions.list(accountId, user.id)
    expect(left).toHaveLength(100)
    const ids = left.map(({ id }) => id)
    expect([ids.includes(first?.id ?? ''), ids.includes(second?.id ?? '')]).toEqual([true, false])
    expect(told).toEqual([second?.id])
    const { data } = await clientele.events.read(accountId, { types: ['session.revoked'] })
    expect(data).toMatchObject([
      { actor: { type: 'user', id: user.id }, data: { sessionIds: [second?.id] } },
    ])
    await Promise.all(Array.from({ length: 8 }, () => logIn(clientele, accountId, credentials)))
    await open()
    expect(await clientele.sessions.list(accountId, user.id)).toHaveLength(100)
  }, 60_000)

  test('sixteen refreshes of one token at once give one successor, in several processes too', async () => {
    const [{ clientele: first }, { clientele: second }] = [await world.start(), await world.start()]
    const { accountId, signedIn } = await world.signIn(first)
    const answers = await Promise.all(
      Array.from({ length: 16 }, (_, index) =>
        (index % 2 === 0 ? first : second).auth.refresh(accountId, toRefresh(signedIn)),
      ),
    )
    expect(new Set(answers.map((answer) => answer.refreshToken)).size).toBe(1)
    await first.auth.refresh(accountId, { refreshToken: answers[0]?.refreshToken ?? '' })
  })

  test('a token used again after the window ends its session, and writes one event', async () => {
    const { clientele } = await world.start({ refreshReuseSeconds: 10 })
    const { accountId, user, signedIn } = await world.signIn(clientele)
    const told: ClienteleEvents['session.reuse_detected'][] = []
    clientele.events.on('session.reuse_detected', (event) => told.push(event))
    const next = await clientele.auth.refresh(accountId, toRefresh(signedIn))
    world.now += 10_000
    const again = await clientele.auth.refresh(accountId, toRefresh(signedIn))
    expect(again.refreshToken).toBe(next.refreshToken)
    world.now += 1
    const reuses = await Promise.all([
      codeOf(clientele.auth.refresh(accountId, toRefresh(signedIn))),
      codeOf(clientele.auth.refresh(accountId, toRefresh(signedIn))),
    ])
    expect(reuses).toEqual(['refresh_token_invalid', 'refresh_token_invalid'])
    expect(told).toEqual([
      {
        id: expect.any(String),
        createdAt: new Date(world.now),
        accountId,
        actor: { type: 'user', id: user.id },
        requestId: expect.any(String),
        userId: user.id,
        sessionId: expect.any(String),
      },
    ])
    expect(await codeOf(clientele.auth.refresh(accountId, toRefresh(next)))).toBe(
      'refresh_token_invalid',
    )
    expect(await codeOf(clientele.auth.validateToken(accountId, next.token))).toBe('token_revoked')
  })

  test('an unused session ends, and so does a used one at its maximum age', async () => {
    const { clientele } = await world.start({ sessionTtlSeconds: 100, sessionMaxSeconds: 250 })
    const { accountId, signedIn } = await world.signIn(clientele)
    world.now += 99_000
    const second = await clientele.auth.refresh(accountId, toRefresh(signedIn))
    expect(second.refreshExpiresIn).toBe(100)
    world.now += 99_000
    const third = await clientele.auth.refresh(accountId, toRefresh(second))
    expect(third.refreshExpiresIn).toBe(52)
    world.now += 52_000
    expect(await codeOf(clientele.auth.refresh(accountId, toRefresh(third)))).toBe(
      'refresh_token_invalid',
    )
    expect(await codeOf(clientele.auth.validateToken(accountId, third.token))).toBe('token_expired')
  })

  test('no token outlives its session, and an ended session gives none', async () => {
    const { clientele } = await world.start({ sessionTtlSeconds: 1800, sessionMaxSeconds: 3600 })
    const { accountId, signedIn } = await world.signIn(clientele)
    expect(signedIn.expiresIn).toBe(1800)
    world.now += 1_799_000
    const second = await clientele.auth.refresh(accountId, toRefresh(signedIn))
    world.now += 1_799_000
    const third = await clientele.auth.refresh(accountId, toRefresh(second))
    expect([third.expiresIn, third.refreshExpiresIn]).toEqual([2, 2])
    const { claims } = await clientele.auth.validateToken(accountId, third.token)
    expect(claims.exp).toBe(Math.floor((world.now + 2_000) / 1000))
    world.now += 2_000
    // Within the time in which a used token gives its successor again.
    expect(await codeOf(clientele.auth.refresh(accountId, toRefresh(second)))).toBe(
      'refresh_token_invalid',
    )
  })

  test('logging out ends the session and its tokens; once more is no error', async () => {
    const { clientele } = await world.start()
    const { accountId, signedIn } = await world.signIn(clientele)
    await clientele.auth.logOut(accountId, toRefresh(signedIn))
    await clientele.auth.logOut(accountId, toRefresh(signedIn))
    expect(await codeOf(clientele.auth.validateToken(accountId, signedIn.token))).toBe(
      'token_revoked',
    )
    expect(await codeOf(clientele.auth.refresh(accountId, toRefresh(signedIn)))).toBe(
      'refresh_token_invalid',
    )
  })

  test('another account can neither use a refresh token nor end its session', async () => {
    const { clientele } = await world.start()
    const { accountId, user, signedIn } = await world.signIn(clientele)
    const other = await world.signIn(clientele)
    expect(await codeOf(clientele.auth.refresh(other.accountId, toRefresh(signedIn)))).toBe(
      'refresh_token_invalid',
    )
    await clientele.auth.logOut(other.accountId, toRefresh(signedIn))
    const [session] = await clientele.sessions.list(accountId, user.id)
    expect(
      await codeOf(clientele.sessions.revoke(other.accountId, user.id, session?.id ?? '')),
    ).toBe('session_not_found')
    expect(await codeOf(clientele.sessions.list(other.accountId, user.id))).toBe('user_not_found')
    await clientele.auth.refresh(accountId, toRefresh(signedIn))
  })

  test('sessions are ended one by one and all together', async () => {
    const { clientele } = await world.start()
    const { accountId, user, credentials, signedIn } = await world.signIn(clientele)
    const second = await logIn(clientele, accountId, credentials)
    const [first] = await clientele.sessions.list(accountId, user.id)
    await clientele.sessions.revoke(accountId, user.id, first?.id ?? '')
    expect(await codeOf(clientele.auth.validateToken(accountId, signedIn.token))).toBe(
      'token_revoked',
    )
    await clientele.auth.validateToken(accountId, second.token)
    await clientele.sessions.revokeAll(accountId, user.id)
    expect(await codeOf(clientele.auth.validateToken(accountId, second.token))).toBe(
      'token_revoked',
    )
    expect(await clientele.sessions.list(accountId, user.id)).toEqual([])
  })

  test('a new password ends every session but the one to keep', async () => {
    const { clientele } = await world.start()
    const { accountId, user, credentials, signedIn } = await world.signIn(clientele)
    const kept = await logIn(clientele, accountId, credentials)
    const { claims } = await clientele.auth.validateToken(accountId, kept.token)
    const keepSessionId = String(claims.sid)
    await clientele.users.patch(accountId, user.id, { password: 'another' }, { keepSessionId })
    await clientele.auth.validateToken(accountId, kept.token)
    expect(await codeOf(clientele.auth.refresh(accountId, toRefresh(signedIn)))).toBe(
      'refresh_token_invalid',
    )
    await clientele.users.patch(accountId, user.id, { password: 'a third' })
    expect(await codeOf(clientele.auth.validateToken(accountId, kept.token))).toBe('token_revoked')
  })

  test('a refresh beside a logout, a new password or a deletion leaves no session', async () => {
    const { clientele } = await world.start()
    for (const end of ['logOut', 'password', 'delete'] as const) {
      for (let round = 0; round < 5; round++) {
        const { accountId, user, signedIn } = await world.signIn(clientele)
        const ending = {
          logOut: () => clientele.auth.logOut(accountId, toRefresh(signedIn)),
          password: () => clientele.users.patch(accountId, user.id, { password: 'another' }),
          delete: () => clientele.users.delete(accountId, user.id),
        }[end]
        const [refreshed] = await Promise.allSettled([
          clientele.auth.refresh(accountId, toRefresh(signedIn)),
          ending(),
        ])
        if (refreshed.status === 'rejected') {
          expect(refreshed.reason).toMatchObject({ code: 'refresh_token_invalid' })
        } else {
          const { value } = refreshed
          expect(await codeOf(clientele.auth.refresh(accountId, toRefresh(value)))).toBe(
            'refresh_token_invalid',
          )
          expect(await codeOf(clientele.auth.validateToken(accountId, value.token))).toMatch(
            /^token_(revoked|user_not_found)$/,
          )
        }
      }
    }
  })
})
