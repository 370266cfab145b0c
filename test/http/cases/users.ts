import { expect } from 'vitest'
import { logIn } from '../../support/log-in.ts'
import {
  invalid,
  noContent,
  oneUser,
  plain,
  problem,
  renderUser,
  time,
} from '../support/answers.ts'
import { absentId, ada, type Case, flow, newAda, row } from './case.ts'

const location = { location: '<prefix>/client/user/<id>' }
const later = '2026-05-05T23:41:46.619Z'

export const userCases: readonly Case[] = [
  row(
    'create',
    { method: 'POST', json: newAda },
    oneUser({ ...ada }, 1, { status: 201, headers: location }),
  ),
  row(
    'create with roles and metadata, ignoring what is read-only or unknown',
    {
      method: 'POST',
      json: {
        ...newAda,
        roles: ['admin', 'billing', 'admin'],
        metadata: { plan: 'pro', n: 1.5, deep: { list: [null, true, { a: [] }] } },
        id: absentId,
        is_active: false,
        created_at: '1999-01-01T00:00:00.000Z',
        updated_at: 7,
        password_hash: 'x',
        account_id: absentId,
        userId: absentId,
        extra: { nested: [1] },
      },
    },
    oneUser(
      {
        ...ada,
        roles: ['admin', 'billing'],
        metadata: { plan: 'pro', n: 1.5, deep: { list: [null, true, { a: [] }] } },
      },
      1,
      { status: 201, headers: location },
    ),
  ),
  flow(
    'create: the e-mail is taken in any spelling, and free in another account',
    async (world) => {
      await world.createUser('ada@example.com')
      const taken = problem('email_taken')
      for (const email of ['ada@example.com', '  ADA@Example.COM\t', 'Ada@EXAMPLE.com']) {
        await world.check({ method: 'POST', json: { ...newAda, email } }, taken)
      }
      const { key } = await world.otherTenant()
      await world.check(
        { method: 'POST', json: newAda, key },
        oneUser({ ...ada }, 1, { status: 201, headers: location }),
      )
    },
  ),
  flow('find', async (world) => {
    const user = await world.createUser()
    await world.check({ path: `/client/user/${user.id}` }, oneUser({ ...ada, id: user.id }))
    // Ids are compared in lower case, and a path is decoded once.
    await world.check(
      { path: `/client/user/${user.id.toUpperCase()}` },
      oneUser({ ...ada, id: user.id }),
    )
    await world.check(
      { path: `/client/user/${user.id.replaceAll('-', '%2D')}` },
      oneUser({ ...ada, id: user.id }),
    )
    await world.check(
      { path: `/client/user/${user.id.replaceAll('-', '%252D')}` },
      invalid(['/id', 'format', 'must be a UUID']),
    )
  }),
  row('find: no such user', { path: `/client/user/${absentId}` }, problem('user_not_found')),
  row(
    'find: an id that is none',
    { path: '/client/user/1' },
    invalid(['/id', 'format', 'must be a UUID']),
  ),
  row(
    'find: NUL in the path',
    { path: `/client/user/${absentId}%00` },
    invalid(['/id', 'text_not_allowed', 'must not contain NUL or a lone surrogate']),
  ),
  row(
    'find: an id with a slash in it',
    { path: '/client/user/a%2Fb' },
    invalid(['/id', 'format', 'must be a UUID']),
  ),
  flow('HEAD answers as GET does, without a body', async (world) => {
    const user = await world.createUser()
    const { headers } = oneUser({ ...ada, id: user.id })
    await world.check(
      { method: 'HEAD', path: `/client/user/${user.id}` },
      { status: 200, headers, body: '' },
    )
    const list = await world.send({})
    await world.check({ method: 'HEAD' }, { status: 200, headers: list.headers, body: '' })
    const { status, headers: problemHeaders } = problem('user_not_found')
    const missing = await world.send({ method: 'HEAD', path: `/client/user/${absentId}` })
    expect(missing).toEqual({ status, headers: problemHeaders, body: '' })
  }),
  flow('another account’s user does not exist', async (world) => {
    const user = await world.createUser()
    const { key } = await world.otherTenant()
    const path = `/client/user/${user.id}`
    const missing = problem('user_not_found')
    await world.check({ path, key }, missing)
    await world.check({ path, key, method: 'PUT', json: newAda }, missing)
    await world.check({ path, key, method: 'PATCH', json: { name: 'Eve' } }, missing)
    await world.check({ path, key, method: 'DELETE' }, missing)
    await world.check({ path: `${path}/activate`, key, method: 'POST' }, missing)
    await world.check({ path: `${path}/deactivate`, key, method: 'POST' }, missing)
    await world.check({ path }, oneUser({ ...ada, id: user.id }))
  }),
  flow('replace: what is missing becomes empty, but for the password', async (world) => {
    const user = await world.createUser(undefined, { roles: ['admin'], metadata: { a: 1 } })
    world.clock.now += 1000
    await world.check(
      {
        method: 'PUT',
        path: `/client/user/${user.id}`,
        json: { name: ' Ada King ', email: 'KING@example.com', id: 'ignored' },
      },
      oneUser(
        {
          name: 'Ada King',
          email: 'king@example.com',
          id: user.id,
          updated_at: later,
          created_at: time,
        },
        2,
      ),
    )
    expect(
      (
        await logIn(world.clientele, world.account.id, {
          email: 'king@example.com',
          password: newAda.password,
        })
      ).user.id,
    ).toBe(user.id)
  }),
  flow('replace: a user may be read, changed and sent back whole', async (world) => {
    const user = await world.createUser(undefined, { roles: ['admin'], metadata: { a: 1 } })
    await world.check(
      { method: 'PUT', path: `/client/user/${user.id}`, json: { ...user, name: 'Ada King' } },
      oneUser({ ...user, name: 'Ada King' }, 2),
    )
  }),
  flow('replace: a new password counts, the old one does not', async (world) => {
    const user = await world.createUser()
    await world.check(
      { method: 'PUT', path: `/client/user/${user.id}`, json: { ...ada, password: 'another' } },
      oneUser({ ...user }, 2),
    )
    await expect(world.logIn()).rejects.toMatchObject({ code: 'credentials_invalid' })
  }),
  flow('replace: another user’s e-mail', async (world) => {
    const user = await world.createUser()
    await world.createUser('bob@example.com')
    await world.check(
      {
        method: 'PUT',
        path: `/client/user/${user.id}`,
        json: { ...ada, email: 'BOB@example.com' },
      },
      problem('email_taken'),
    )
    await world.check({ path: `/client/user/${user.id}` }, oneUser({ ...user }))
  }),
  row(
    'replace: no such user',
    { method: 'PUT', path: `/client/user/${absentId}`, json: ada },
    problem('user_not_found'),
  ),
  flow('patch: what is named changes', async (world) => {
    const user = await world.createUser(undefined, {
      roles: ['admin'],
      metadata: { a: 1, b: { c: 1, d: 2 } },
    })
    const path = `/client/user/${user.id}`
    await world.check(
      { method: 'PATCH', path, json: { name: 'Ada King' } },
      oneUser({ ...user, name: 'Ada King' }, 2),
    )
    await world.check(
      {
        method: 'PATCH',
        path,
        headers: ['content-type', 'application/merge-patch+json'],
        body: '{"metadata":{"a":null,"b":{"c":null,"e":[null]}},"roles":null}',
      },
      oneUser({ ...user, name: 'Ada King', roles: [], metadata: { b: { d: 2, e: [null] } } }, 3),
    )
    await world.check(
      { method: 'PATCH', path, json: { metadata: null } },
      oneUser({ ...user, name: 'Ada King', roles: [], metadata: {} }, 4),
    )
    await world.check(
      { method: 'PATCH', path, json: { name: null } },
      invalid(['/name', 'type', 'must be a string']),
    )
  }),
  row(
    'patch: no such user',
    { method: 'PATCH', path: `/client/user/${absentId}`, json: { name: 'Eve' } },
    problem('user_not_found'),
  ),
  flow('delete', async (world) => {
    const { id } = await world.createUser()
    const path = `/client/user/${id}`
    await world.check({ method: 'DELETE', path }, noContent)
    await world.check({ method: 'DELETE', path }, problem('user_not_found'))
    await world.check({ path }, problem('user_not_found'))
    // The e-mail is free again, under another id.
    const made = await world.check(
      { method: 'POST', json: newAda },
      oneUser({ ...ada }, 1, { status: 201, headers: location }),
    )
    expect(JSON.parse(made.body).id).not.toBe(id)
  }),
  flow('activate and deactivate', async (world) => {
    const user = await world.createUser()
    const path = `/client/user/${user.id}`
    world.clock.now += 1000
    const off = { ...user, is_active: false, updated_at: later }
    await world.check({ method: 'POST', path: `${path}/deactivate` }, oneUser(off, 2))
    await world.check({ path }, oneUser(off, 2))
    await world.check(
      { method: 'POST', path: `${path}/activate` },
      oneUser({ ...user, updated_at: later }, 3),
    )
  }),
  row(
    'activate: no such user',
    { method: 'POST', path: `/client/user/${absentId}/activate` },
    problem('user_not_found'),
  ),
  flow('the account’s roles', async (world) => {
    const account = await world.clientele.accounts.create({
      name: 'Strict',
      allowedRoles: ['a', 'b'],
    })
    const { api_key: key } = await world.clientele.apiKeys.create(account.id)
    await world.check(
      { method: 'POST', key, json: { ...newAda, roles: ['b', 'c', 'a', 'd'] } },
      invalid(
        ['/roles/1', 'value', 'is not one of the roles of this account'],
        ['/roles/3', 'value', 'is not one of the roles of this account'],
      ),
    )
    await world.check(
      { method: 'POST', key, json: { ...newAda, roles: ['b'] } },
      oneUser({ ...ada, roles: ['b'] }, 1, { status: 201, headers: location }),
    )
  }),
  flow('If-Match and If-None-Match', async (world) => {
    const user = await world.createUser()
    const path = `/client/user/${user.id}`
    const failed = problem('precondition_failed')
    const notModified = {
      status: 304,
      headers: { 'cache-control': 'no-store', etag: '"1"' },
      body: '',
    }
    for (const tag of ['"1"', 'W/"1"', '*', '"7", "1"', '"7",W/"1"']) {
      await world.check({ path, headers: ['if-none-match', tag] }, notModified)
    }
    for (const tag of ['"2"', '1', '"1', '']) {
      await world.check({ path, headers: ['if-none-match', tag] }, oneUser(user))
    }
    const changes = [
      { method: 'PUT', path, json: ada },
      { method: 'PATCH', path, json: { name: 'Eve' } },
      { method: 'DELETE', path },
    ]
    for (const change of changes) {
      // A weak tag never matches here (RFC 9110, 13.1.1); what is no tag does not either.
      for (const tag of ['"2"', '"0"', 'W/"1"', '"2", "3"', 'x', '"1x"', '']) {
        await world.check({ ...change, headers: ['if-match', tag] }, failed)
      }
    }
    await world.check({ path }, oneUser(user))
    await world.check(
      { method: 'PUT', path, json: ada, headers: ['if-match', '"1"'] },
      oneUser(user, 2),
    )
    await world.check(
      { method: 'PATCH', path, json: {}, headers: ['if-match', '"9", "2"'] },
      oneUser(user, 3),
    )
    await world.check(
      { method: 'PATCH', path, json: {}, headers: ['if-match', '*'] },
      oneUser(user, 4),
    )
    await world.check({ method: 'DELETE', path, headers: ['if-match', '"1"'] }, failed)
    await world.check({ method: 'DELETE', path, headers: ['if-match', '"4"'] }, noContent)
    await world.check(
      { method: 'PUT', path, json: ada, headers: ['if-match', '"4"'] },
      problem('user_not_found'),
    )
  }),
  flow('the list is empty at first', async (world) => {
    await world.check(
      {},
      plain('{"data":[],"page":1,"limit":10,"total":0}', {
        link: '<<prefix>/client/user?limit=10&page=1>; rel="first", <<prefix>/client/user?limit=10&page=1>; rel="last"',
      }),
    )
    const user = await world.createUser()
    await world.check(
      {},
      plain(`{"data":[${renderUser(user)}],"page":1,"limit":10,"total":1}`, {
        link: '<<prefix>/client/user?limit=10&page=1>; rel="first", <<prefix>/client/user?limit=10&page=1>; rel="last"',
      }),
    )
  }),
]
