import { expect } from 'vitest'
import { logIn } from '../../support/log-in.ts'
import { created, invalid, later, oneUser, problem } from '../support/answers.ts'
import type { World } from '../support/world.ts'
import { absentId, ada, type Case, flow, newAda, row } from './case.ts'

async function validate(world: World, token: string): Promise<string> {
  const path = '/client/user/auth/validation-token'
  const { body } = await world.send({ method: 'POST', path, json: { token: `Bearer ${token}` } })
  return JSON.parse(body).code ?? 'valid'
}

/** `is_active` as a member that callers write, and changes that change nothing. */
export const activeUserCases: readonly Case[] = [
  row(
    'create: a user who cannot sign in',
    { method: 'POST', json: { ...newAda, is_active: false } },
    {
      ...created({ ...ada, is_active: false }),
    },
  ),
  row(
    'create: is_active of another type',
    { method: 'POST', json: { ...newAda, is_active: 'false' } },
    invalid(['/is_active', 'type', 'must be a boolean']),
  ),
  flow('replace and patch: is_active of another type', async (world) => {
    const { id } = await world.createUser()
    const path = `/client/user/${id}`
    for (const is_active of [null, 0, 'true', {}]) {
      for (const [method, json] of [
        ['PUT', ada],
        ['PATCH', {}],
      ] as const) {
        await world.check(
          { method, path, json: { ...json, is_active } },
          invalid(['/is_active', 'type', 'must be a boolean']),
        )
      }
    }
  }),
  ...(['PUT', 'PATCH'] as const).flatMap((method) => {
    const profile = method === 'PUT' ? ada : {}
    return [
      flow(`${method} of is_active does what activate and deactivate do`, async (world) => {
        const user = await world.createUser()
        const token = await world.logIn()
        const path = `/client/user/${user.id}`
        world.clock.now += 1000
        const off = { ...user, is_active: false, updated_at: later }
        await world.check({ method, path, json: { ...profile, is_active: false } }, oneUser(off, 2))
        expect(await validate(world, token)).toBe('token_user_inactive')
        await expect(world.logIn()).rejects.toMatchObject({ code: 'credentials_invalid' })
        const sessions = await world.send({ path: `${path}/session` })
        expect(sessions.body).toBe('{"data":[]}')
        const on = { ...off, is_active: true }
        await world.check({ method, path, json: { ...profile, is_active: true } }, oneUser(on, 3))
        // What was ended stays ended.
        expect(await validate(world, token)).toBe('token_revoked')
        expect(await validate(world, await world.logIn())).toBe('valid')
      }),
      flow(`${method} without is_active does not change it`, async (world) => {
        const user = await world.createUser(undefined, { isActive: false })
        const path = `/client/user/${user.id}`
        const renamed = { ...user, name: 'Ada King' }
        await world.check(
          { method, path, json: { ...profile, name: 'Ada King' } },
          oneUser(renamed, 2),
        )
        const { body } = await world.send({ path: '/client/user?is_active=false' })
        expect(JSON.parse(body)).toMatchObject({ data: [renamed], total: 1 })
      }),
      flow(`${method} of is_active with other members, the password too`, async (world) => {
        const user = await world.createUser()
        const signIn = (password: string) =>
          logIn(world.clientele, world.account.id, { email: ada.email, password })
        const { refreshToken } = await signIn(newAda.password)
        const path = `/client/user/${user.id}`
        const json = { ...profile, name: 'Ada King', password: 'another', is_active: false }
        const changed = { ...user, name: 'Ada King', is_active: false }
        await world.check({ method, path, json }, oneUser(changed, 2))
        await world.check(
          {
            method: 'POST',
            path: '/client/user/auth/refresh',
            json: { refresh_token: refreshToken },
          },
          problem('refresh_token_invalid'),
        )
        await world.check(
          { method: 'POST', path: `${path}/activate` },
          oneUser({ ...changed, is_active: true }, 3),
        )
        expect((await signIn('another')).user.id).toBe(user.id)
      }),
    ]
  }),

  // --- a change that changes nothing
  flow('a patch without effect changes no version', async (world) => {
    const user = await world.createUser(undefined, {
      roles: ['a', 'b'],
      metadata: { x: 1, y: { z: [0, { p: 1, q: 2 }] } },
    })
    const path = `/client/user/${user.id}`
    world.clock.now += 1000
    for (const json of [
      {},
      user,
      { is_active: true },
      { name: ' Ada Lovelace ', email: 'ADA@Example.com' },
      { roles: ['a', 'b', 'a'] },
      { metadata: {} },
      { metadata: { y: { z: [0, { q: 2, p: 1 }] }, x: 1, gone: null } },
      { metadata: { y: { w: null, z: [-0, { p: 1, q: 2 }] } } },
      { id: absentId, updated_at: 'x' },
    ]) {
      await world.check({ method: 'PATCH', path, json }, oneUser(user, 1))
    }
    await world.check(
      { method: 'PATCH', path, json: {}, headers: ['if-match', '"1"'] },
      oneUser(user),
    )
    await world.check(
      { method: 'PATCH', path, json: {}, headers: ['if-match', '"2"'] },
      problem('precondition_failed'),
    )
    const known = await world.send({ path, headers: ['if-none-match', '"1"'] })
    expect([known.status, known.headers.etag]).toEqual([304, '"1"'])
    await world.check(
      { method: 'PATCH', path, json: { roles: ['b', 'a'] } },
      oneUser({ ...user, roles: ['b', 'a'], updated_at: later }, 2),
    )
    // A password is not compared: it ends sessions, whether it is a new one or not.
    await world.check(
      { method: 'PATCH', path, json: { password: newAda.password } },
      oneUser({ ...user, roles: ['b', 'a'], updated_at: later }, 3),
    )
    // A broken rule is one, whatever it would change.
    await world.check(
      { method: 'PATCH', path, json: { name: 'A' } },
      invalid(['/name', 'too_short', 'must have at least 2 characters']),
    )
  }),
  row(
    'a patch without effect of nobody',
    { method: 'PATCH', path: `/client/user/${absentId}`, json: {} },
    problem('user_not_found'),
  ),
]
