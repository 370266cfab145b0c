import { expect } from 'vitest'
import { logIn } from '../../support/log-in.ts'
import { invalid, later, noContent, oneUser, problem, time } from '../support/answers.ts'
import { requestId } from '../support/send.ts'
import { absentId, ada, type Case, flow, newAda, row } from './case.ts'

/** PUT and PATCH, and the conditions that a request can come with. */
export const userChangeCases: readonly Case[] = [
  flow('replace: missing members become empty, except the password', async (world) => {
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
  flow('replace: the new password is valid, the old one is not', async (world) => {
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
  flow('patch: the given members change', async (world) => {
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
  flow('many simultaneous patches are all applied, without If-Match', async (world) => {
    const user = await world.createUser('ada@example.com', { metadata: { a: 0, b: 0 } })
    const path = `/client/user/${user.id}`
    const patches = Array.from({ length: 30 }, (_, index) => {
      if (index === 0) return { password: 'another password' }
      if (index === 1) return { metadata: { kept: true } }
      return index % 2 === 0 ? { name: `Ada ${index}` } : { metadata: { a: index } }
    })
    const replies = await Promise.all(
      patches.map((json) => world.send({ method: 'PATCH', path, json })),
    )
    expect(replies.map(({ status }) => status)).toEqual(patches.map(() => 200))
    const { body, headers } = await world.send({ path })
    expect(headers.etag).toBe('"31"')
    expect(JSON.parse(body)).toMatchObject({
      name: expect.stringMatching(/^Ada \d+$/),
      metadata: { a: expect.any(Number), b: 0, kept: true },
    })
  }),
  flow('If-Match and If-None-Match', async (world) => {
    const user = await world.createUser()
    const path = `/client/user/${user.id}`
    const failed = problem('precondition_failed')
    const notModified = {
      status: 304,
      headers: { 'cache-control': 'no-store', etag: '"1"', ...requestId },
      body: '',
    }
    for (const tag of ['"1"', 'W/"1"', ' * ', '"7", "1"', '"7",W/"1"', ', "1" ,, "a,b"']) {
      await world.check({ path, headers: ['if-none-match', tag] }, notModified)
    }
    for (const tag of ['"2"', 'W/"2"', '"W/1"', '"01"', '"x"']) {
      await world.check({ path, headers: ['if-none-match', tag] }, oneUser(user))
    }
    const changes = [
      { method: 'PUT', path, json: ada },
      { method: 'PATCH', path, json: { name: 'Eve' } },
      { method: 'DELETE', path },
    ]
    for (const change of changes) {
      for (const tag of ['"2"', '"0"', 'W/"2"', '"2", "3"', '"1x"', '"2", W/"3"']) {
        await world.check({ ...change, headers: ['if-match', tag] }, failed)
      }
    }
    await world.check({ path }, oneUser(user))
    await world.check(
      { method: 'PUT', path, json: { ...ada, roles: ['b'] }, headers: ['if-match', '"1"'] },
      oneUser({ ...user, roles: ['b'] }, 2),
    )
    await world.check(
      { method: 'PATCH', path, json: { roles: ['a'] }, headers: ['if-match', '"9", "2"'] },
      oneUser({ ...user, roles: ['a'] }, 3),
    )
    await world.check(
      { method: 'PATCH', path, json: { roles: [] }, headers: ['if-match', '*'] },
      oneUser(user, 4),
    )
    await world.check({ method: 'DELETE', path, headers: ['if-match', '"1"'] }, failed)
    await world.check(
      { method: 'DELETE', path, headers: ['if-match', '"2"', 'if-match', 'W/"3"'] },
      failed,
    )
    await world.check({ method: 'DELETE', path, headers: ['if-match', 'W/"4"'] }, noContent)
    await world.check(
      { method: 'PUT', path, json: ada, headers: ['if-match', '"4"'] },
      problem('user_not_found'),
    )
  }),
  flow('If-Match and If-None-Match that are not in their grammar', async (world) => {
    const user = await world.createUser()
    const path = `/client/user/${user.id}`
    const invalid = (name: string) =>
      problem('header_invalid', {
        detail: `Send ${name} as quoted ETags, separated by commas, or as * alone.`,
      })
    const faults = [
      '1',
      '"1',
      'x',
      '',
      ',',
      '""',
      'W/""',
      'w/"1"',
      '"1" "2"',
      '*, "1"',
      '"1", *',
      '"a b"',
    ]
    for (const fault of faults) {
      await world.check({ path, headers: ['if-none-match', fault] }, invalid('If-None-Match'))
      await world.check(
        { method: 'DELETE', path, headers: ['if-match', fault] },
        invalid('If-Match'),
      )
    }
    const twice = ['if-match', '*', 'if-match', '"1"']
    await world.check(
      { method: 'PATCH', path, json: { name: 'Eve' }, headers: twice },
      invalid('If-Match'),
    )
    await world.check(
      { method: 'PUT', path, json: ada, headers: ['if-match', '1'] },
      invalid('If-Match'),
    )
    await world.check({ path }, oneUser(user))
    // A malformed header is reported before the user is looked up.
    const absent = { path: `/client/user/${absentId}`, headers: ['if-none-match', '1'] }
    await world.check(absent, invalid('If-None-Match'))
  }),
]
