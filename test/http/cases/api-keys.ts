import type { Scope } from '@clientele/core'
import { lacking, problem } from '../support/answers.ts'
import { absentId, ada, type Case, flow, newAda, row } from './case.ts'

export const apiKeyCases: readonly Case[] = [
  row('no key', { key: null }, problem('api_key_missing')),
  row(
    'no key: the body’s faults stay unsaid',
    { key: null, method: 'POST', body: '{', headers: ['content-type', 'application/json'] },
    problem('api_key_missing'),
  ),
  row(
    'no key: a user id in the body opens nothing',
    { key: null, method: 'POST', json: { ...newAda, userId: absentId } },
    problem('api_key_missing'),
  ),
  row(
    'no key, a wrong content type',
    { key: null, method: 'POST', body: 'x' },
    problem('api_key_missing'),
  ),
  ...['', 'Bearer', 'Bearer ', 'bearer  '].map((value) =>
    row(
      `no key in ${JSON.stringify(value)}`,
      { key: null, headers: ['authorization', value] },
      problem('api_key_missing'),
    ),
  ),
  ...[
    'Basic YTpi',
    'Bearer x',
    'Bearer cu_live_short',
    'Bearer null',
    'bearer\tx',
    `Bearer ${'x'.repeat(2000)}`,
  ].map((value) =>
    row(
      `a key like ${JSON.stringify(value.slice(0, 24))}`,
      { key: null, headers: ['authorization', value] },
      problem('api_key_invalid'),
    ),
  ),
  flow('a key with a typo, cut off, with more, of another case', async (world) => {
    const { key } = world
    const typo = key.slice(0, -1) + (key.endsWith('a') ? 'b' : 'a')
    for (const wrong of [typo, key.slice(0, -1), `${key}a`, key.toUpperCase(), `${key} x`]) {
      await world.check({ key: wrong }, problem('api_key_invalid'))
    }
  }),
  flow('the scheme in any case, one or more spaces', async (world) => {
    for (const value of [`bearer ${world.key}`, `BEARER   ${world.key}`]) {
      await world.check(
        { key: null, path: `/client/user/${absentId}`, headers: ['authorization', value] },
        problem('user_not_found'),
      )
    }
  }),
  flow(
    'two Authorization headers, whichever comes first and however they are written',
    async (world) => {
      const bad = 'Bearer x'
      const good = `Bearer ${world.key}`
      for (const [first, second] of [
        [good, bad],
        [bad, good],
        [good, good],
      ] as const) {
        await world.check(
          { key: null, headers: ['Authorization', first, 'AUTHORIZATION', second] },
          problem('header_repeated'),
        )
      }
    },
  ),
  flow('a revoked and an expired key', async (world) => {
    const { account, clientele } = world
    const revoked = await clientele.apiKeys.create(account.id)
    await clientele.apiKeys.revoke(account.id, revoked.id)
    await world.check({ key: revoked.apiKey }, problem('api_key_invalid'))
    const expiresAt = new Date(world.clock.now + 1000)
    const expiring = await clientele.apiKeys.create(account.id, { expiresAt })
    const path = `/client/user/${absentId}`
    await world.check({ path, key: expiring.apiKey }, problem('user_not_found'))
    world.clock.now += 1000
    await world.check({ path, key: expiring.apiKey }, problem('api_key_invalid'))
  }),
  flow('a key of a disabled account', async (world) => {
    const { account, clientele } = world
    const path = `/client/user/${absentId}`
    await clientele.accounts.disable(account.id)
    await world.check({ path }, problem('api_key_invalid'))
    await clientele.accounts.enable(account.id)
    await world.check({ path }, problem('user_not_found'))
    await clientele.accounts.delete(account.id)
    await world.check({ path }, problem('api_key_invalid'))
  }),
  flow('scopes', async (world) => {
    const { id } = await world.createUser()
    const user = `/client/user/${id}`
    const needed: [Scope, object][] = [
      ['users:read', {}],
      ['users:read', { path: user }],
      ['users:read', { path: user, method: 'HEAD' }],
      ['users:write', { method: 'POST', json: newAda }],
      ['users:write', { method: 'PUT', path: user, json: ada }],
      ['users:write', { method: 'PATCH', path: user, json: {} }],
      ['users:write', { method: 'DELETE', path: user }],
      ['users:write', { method: 'POST', path: `${user}/activate` }],
      ['users:write', { method: 'POST', path: `${user}/deactivate` }],
      [
        'tokens:validate',
        { method: 'POST', path: '/client/user/auth/validation-token', json: { token: 'Bearer x' } },
      ],
      ['tokens:issue', { method: 'POST', path: '/client/user/auth/login', json: newAda }],
    ]
    const all = ['users:read', 'users:write', 'tokens:validate', 'tokens:issue'] as const
    for (const [scope, call] of needed) {
      const { apiKey: key } = await world.clientele.apiKeys.create(world.account.id, {
        scopes: all.filter((other) => other !== scope),
      })
      const refused = lacking(scope)
      const isHead = 'method' in call && call.method === 'HEAD'
      await world.check({ ...call, key }, isHead ? { ...refused, body: '' } : refused)
    }
  }),
]
