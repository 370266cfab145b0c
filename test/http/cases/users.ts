import { expect } from 'vitest'
import { created, invalid, later, noContent, oneUser, problem } from '../support/answers.ts'
import { absentId, ada, type Case, flow, newAda, row } from './case.ts'

export const userCases: readonly Case[] = [
  row('create', { method: 'POST', json: newAda }, created(ada)),
  row(
    'create with roles and metadata, ignoring what is read-only',
    {
      method: 'POST',
      json: {
        ...newAda,
        roles: ['admin', 'billing', 'admin'],
        metadata: { plan: 'pro', n: 1.5, deep: { list: [null, true, { a: [] }] } },
        id: absentId,
        created_at: '1999-01-01T00:00:00.000Z',
        updated_at: 7,
      },
    },
    created({
      ...ada,
      roles: ['admin', 'billing'],
      metadata: { plan: 'pro', n: 1.5, deep: { list: [null, true, { a: [] }] } },
    }),
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
      await world.check({ method: 'POST', json: newAda, key }, created(ada))
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
      problem('user_not_found'),
    )
  }),
  row('find: no such user', { path: `/client/user/${absentId}` }, problem('user_not_found')),
  row('find: NUL in the path', { path: `/client/user/${absentId}%00` }, problem('user_not_found')),
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
  flow('delete', async (world) => {
    const { id } = await world.createUser()
    const path = `/client/user/${id}`
    await world.check({ method: 'DELETE', path }, noContent)
    await world.check({ method: 'DELETE', path }, problem('user_not_found'))
    await world.check({ path }, problem('user_not_found'))
    // The e-mail is free again, under another id.
    const made = await world.check({ method: 'POST', json: newAda }, created(ada))
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
    const { apiKey: key } = await world.clientele.apiKeys.create(account.id)
    await world.check(
      { method: 'POST', key, json: { ...newAda, roles: ['b', 'c', 'a', 'd'] } },
      invalid(
        ['/roles/1', 'value', 'is not one of the roles of this account'],
        ['/roles/3', 'value', 'is not one of the roles of this account'],
      ),
    )
    await world.check(
      { method: 'POST', key, json: { ...newAda, roles: ['b'] } },
      created({ ...ada, roles: ['b'] }),
    )
  }),
]
