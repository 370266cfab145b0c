import { expect } from 'vitest'
import { created, invalid, noContent, oneUser, problem } from '../support/answers.ts'
import { absentId, ada, type Case, flow, newAda, row } from './case.ts'
import type { Issue } from './create-case.ts'

const unknown = (name: string, meant?: string): Issue => [
  `/${name}`,
  'unrecognized',
  `is not known here${meant === undefined ? '' : ` (did you mean ${meant}?)`}`,
]
const auth = '/client/user/auth'

/** Every operation with a body, and a body that it takes. */
const bodies: [method: string, path: string, json: object][] = [
  ['POST', '/client/user', newAda],
  ['PUT', `/client/user/${absentId}`, ada],
  ['PATCH', `/client/user/${absentId}`, { name: 'Ada' }],
  ['POST', `${auth}/login`, { email: ada.email, password: 'secret1' }],
  ['POST', `${auth}/login/two-factor`, { challenge: 'x', method: 'totp', code: '1' }],
  ['POST', `${auth}/login/two-factor/email`, { challenge: 'x' }],
  ['POST', `${auth}/refresh`, { refresh_token: 'x' }],
  ['POST', `${auth}/logout`, { refresh_token: 'x' }],
  ['POST', `${auth}/password/forgot`, { email: ada.email }],
  ['POST', `${auth}/password/reset`, { token: 'x', password: 'secret1' }],
  ['POST', '/client/user/invite', ada],
  ['POST', `/client/user/${absentId}/invite`, { locale: 'de' }],
  ['POST', `${auth}/invitation/accept`, { token: 'x', password: 'secret1' }],
  ['POST', `${auth}/email/verification`, { email: ada.email }],
  ['POST', `${auth}/email/verification/confirm`, { token: 'x' }],
  ['POST', `${auth}/validation-token`, { token: 'Bearer x' }],
  ['POST', `/client/user/${absentId}/two-factor/totp/confirm`, { code: '1' }],
]

/** Every operation on what a path names, with a body that it takes. */
const named: [method: string, path: string, json?: object][] = [
  ['GET', ''],
  ['PUT', '', ada],
  ['PATCH', '', { name: 'Eve' }],
  ['DELETE', ''],
  ['POST', '/activate'],
  ['POST', '/deactivate'],
  ['POST', '/invite', {}],
  ['GET', '/session'],
  ['DELETE', '/session'],
  ['GET', '/two-factor'],
  ['POST', '/two-factor/totp'],
  ['POST', '/two-factor/totp/confirm', { code: '1' }],
  ['POST', '/two-factor/recovery-codes'],
  ['DELETE', '/two-factor'],
]
const withoutBody = named
  .filter(([, , json]) => json === undefined)
  .map(([method, path]) => [method, `/client/user/${absentId}${path}`, undefined] as const)
const userPath = /^\/client\/user(?:\/[^/]+)?$/
const foreignIds = [
  '1',
  'x',
  'a%2Fb',
  '%20',
  'undefined',
  absentId.slice(1),
  `${absentId}0`,
  encodeURIComponent('😀'),
]

/** What is not known is refused by name; what is read-only is ignored; what a path does not name is absent. */
export const strictInputCases: readonly Case[] = [
  ...bodies.map(([method, path, json]) =>
    row(
      `unknown members: ${method} ${path}`,
      { method, path, json: { ...json, rolse: ['admin'], 'a/b~': 1 } },
      // Users alone have roles.
      invalid(unknown('rolse', userPath.test(path) ? 'roles' : undefined), [
        '/a~1b~0',
        'unrecognized',
        'is not known here',
      ]),
    ),
  ),
  row(
    'unknown members beside broken rules, ours by other names, and what only we know',
    {
      method: 'POST',
      json: { ...newAda, name: 'A', isActive: false, password_hash: 'x', account_id: absentId },
    },
    invalid(
      ['/name', 'too_short', 'must have at least 2 characters'],
      unknown('isActive', 'is_active'),
      unknown('password_hash'),
      unknown('account_id'),
    ),
  ),
  flow('the first hundred of many unknown members are named', async (world) => {
    const json = Object.fromEntries(Array.from({ length: 4000 }, (_, index) => [`x${index}`, 1]))
    const reply = await world.send({ method: 'POST', json: { ...newAda, ...json } })
    expect([reply.status, JSON.parse(reply.body).errors.length]).toEqual([422, 100])
  }),
  row(
    'more values than any input needs',
    { method: 'POST', json: { ...newAda, roles: new Array<string>(5000).fill('admin') } },
    invalid(['', 'too_many', 'must not hold more than 5000 values']),
  ),
  row(
    'unknown parameters of a list',
    { path: '/client/user?page=0&role[]=admin&isActive=true&isActive=1&%zz=1&a%2fb=&=x' },
    invalid(
      unknown('role[]', 'role'),
      unknown('isActive', 'is_active'),
      unknown('%zz'),
      unknown('a~1b'),
      unknown(''),
      ['/page', 'too_small', 'must be at least 1'],
    ),
  ),
  row(
    'empty pairs are no parameters',
    { path: '/client/user?&&email=&' },
    {
      ...invalid(['/email', 'empty', 'must not be empty']),
    },
  ),
  ...[...withoutBody, ...bodies].map(([method, path, json]) =>
    row(
      `unknown parameters: ${method} ${path}`,
      { method, path: `${path}?dry_run=1`, ...(json && { json }) },
      invalid(unknown('dry_run')),
    ),
  ),
  flow('a document accepts query parameters that caches add', async (world) => {
    const keySet = `/client/account/${world.account.id}/.well-known/jwks.json`
    for (const path of [`${keySet}?v=1`, '/client/user/openapi.json?v=1']) {
      expect((await world.send({ path, key: null })).status).toBe(200)
    }
  }),

  // --- ids
  flow('an id of any form that belongs to no user', async (world) => {
    const user = await world.createUser()
    for (const id of foreignIds) {
      for (const [method, path, json] of named) {
        await world.check(
          { method, path: `/client/user/${id}${path}`, ...(json && { json }) },
          problem('user_not_found'),
        )
      }
      for (const path of [`${user.id}/session/${id}`, `${id}/session/${absentId}`]) {
        await world.check(
          { method: 'DELETE', path: `/client/user/${path}` },
          problem('session_not_found'),
        )
      }
    }
    await world.check({ path: `/client/user/${user.id}` }, oneUser(user))
  }),
  row(
    'an id that names no user does not hide a broken rule',
    { method: 'PUT', path: '/client/user/x', json: { ...ada, name: 'A' } },
    invalid(['/name', 'too_short', 'must have at least 2 characters']),
  ),

  // --- what is read-only
  flow('a user may be read, changed and sent back whole by every change', async (world) => {
    const user = await world.createUser(undefined, { roles: ['admin'], metadata: { a: 1 } })
    const path = `/client/user/${user.id}`
    const changed = { ...user, name: 'Ada King' }
    await world.check({ method: 'PUT', path, json: changed }, oneUser(changed, 2))
    const again = { ...user, name: 'Ada Byron', id: absentId, created_at: null, updated_at: [1] }
    await world.check(
      { method: 'PATCH', path, json: again },
      oneUser({ ...user, name: 'Ada Byron' }, 3),
    )
    await world.check({ method: 'DELETE', path }, noContent)
    await world.check(
      { method: 'POST', json: { ...user, password: 'secret1' } },
      created({ ...user, id: '<id>' }),
    )
  }),
]
