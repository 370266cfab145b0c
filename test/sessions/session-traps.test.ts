import type { ClienteleEvents } from '@clientele/core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { codeOf } from '../keys/open-clientele.ts'
import { eitherDatabase, type OpenDatabase } from '../support/databases.ts'
import { logIn, toRefresh } from '../support/log-in.ts'
import { SignInWorld } from '../support/sign-in-world.ts'

const databases = eitherDatabase(import.meta.filename)

describe.each(databases)('traps of sessions, on $name', ({ open }) => {
  let database: OpenDatabase
  const world = new SignInWorld(() => database.url)

  beforeAll(async () => {
    database = await open()
  })
  afterAll(() => database.close())

  test('sessionMaxSeconds below the default idle time is the most that a session lives', async () => {
    const { clientele } = await world.start({ sessionMaxSeconds: 8 * 3600 })
    const { accountId, signedIn } = await world.signIn(clientele)
    world.now += 24 * 3600_000
    expect({
      expires: signedIn.refreshExpiresIn,
      refresh: await codeOf(clientele.auth.refresh(accountId, toRefresh(signedIn))),
    }).toEqual({ expires: 8 * 3600, refresh: 'refresh_token_invalid' })
  })

  test('a used refresh token that is sent again after its own expiry ends the session', async () => {
    const { clientele } = await world.start({ sessionTtlSeconds: 100, sessionMaxSeconds: 10_000 })
    const { accountId, signedIn: stolen } = await world.signIn(clientele)
    const told: ClienteleEvents['session.reuse_detected'][] = []
    clientele.events.on('session.reuse_detected', (event) => told.push(event))
    world.now += 60_000
    const thief = await clientele.auth.refresh(accountId, toRefresh(stolen))
    world.now += 41_000 // well past the reuse window, and past the first token's expiry
    await codeOf(clientele.auth.refresh(accountId, toRefresh(stolen)))
    expect({
      told: told.length,
      thief: await codeOf(clientele.auth.refresh(accountId, toRefresh(thief))),
    }).toEqual({ told: 1, thief: 'refresh_token_invalid' })
  })

  test('refreshExpiresIn of a repeated refresh is when the successor expires', async () => {
    const { clientele } = await world.start({ sessionTtlSeconds: 100 })
    const { accountId, signedIn } = await world.signIn(clientele)
    await clientele.auth.refresh(accountId, toRefresh(signedIn))
    world.now += 9000
    const again = await clientele.auth.refresh(accountId, toRefresh(signedIn))
    expect(again.refreshExpiresIn).toBe(91)
  })

  test('a sign-in beside a deactivation, new password or deletion leaves no live token', async () => {
    const [{ clientele: a }, { clientele: b }] = [await world.start(), await world.start()]
    const bad: string[] = []
    for (const end of ['deactivate', 'password', 'delete'] as const) {
      for (let round = 0; round < 6; round++) {
        const { accountId, user, credentials } = await world.addUser(a)
        const ending = {
          deactivate: () => b.users.deactivate(accountId, user.id),
          password: () => b.users.patch(accountId, user.id, { password: 'another' }),
          delete: () => b.users.delete(accountId, user.id),
        }[end]
        const results = await Promise.allSettled([
          ...Array.from({ length: 4 }, () => logIn(a, accountId, credentials)),
          ending(),
        ])
        for (const [index, result] of results.entries()) {
          if (index === 4) {
            if (result.status === 'rejected') bad.push(`${end} ${result.reason}`)
            continue
          }
          if (result.status === 'rejected') {
            if (result.reason.code !== 'credentials_invalid')
              bad.push(`${end} ${result.reason.code}`)
            continue
          }
          const signedIn = result.value as { token: string }
          if ((await codeOf(a.auth.validateToken(accountId, signedIn.token))) === undefined)
            bad.push(`${end}: token lives`)
        }
      }
    }
    expect(bad).toEqual([])
  })

  test('simultaneous refreshes and revokeAll in two processes: no fault, no surviving session', async () => {
    const [{ clientele: a }, { clientele: b }] = [await world.start(), await world.start()]
    const bad: string[] = []
    for (let round = 0; round < 10; round++) {
      const { accountId, user, credentials } = await world.addUser(a)
      const all = await Promise.all([1, 2, 3].map(() => logIn(a, accountId, credentials)))
      const results = await Promise.allSettled([
        ...all.map((each) => a.auth.refresh(accountId, toRefresh(each))),
        b.sessions.revokeAll(accountId, user.id),
        ...all.map((each) => b.auth.refresh(accountId, toRefresh(each))),
      ])
      for (const each of results)
        if (each.status === 'rejected' && each.reason.code !== 'refresh_token_invalid')
          bad.push(String(each.reason))
      if ((await a.sessions.list(accountId, user.id)).length > 0) bad.push('session lives')
    }
    expect(bad).toEqual([])
  })

  test('the event of an update names a changed password', async () => {
    const { clientele } = await world.start()
    const { accountId, user } = await world.addUser(clientele)
    const told: boolean[] = []
    clientele.events.on('user.updated', ({ changed }) => told.push(changed.includes('password')))
    await clientele.users.patch(accountId, user.id, { name: 'Ada Byron' })
    await clientele.users.patch(accountId, user.id, { password: 'another' })
    expect(told).toEqual([false, true])
  })
})
