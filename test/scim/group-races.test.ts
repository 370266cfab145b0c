import { HookRefusal } from '@clientele/core'
import { describe, expect, test } from 'vitest'
import { databases } from '../support/databases.ts'
import { openTwoWorlds, toMembers } from './two-worlds.ts'

describe.each(databases)('Groups that two processes change at once, on $name', ({ open }) => {
  const openWorlds = async () => openTwoWorlds(await open())

  test('leave no role to members who are added while the group is deleted', async () => {
    const { first, second, ask, add, send, addTo, rolesOf, before, begin } = await openWorlds()
    const ids = [(await add()).id, (await add()).id]
    const path = `/Groups/${(await ask('POST', '/Groups', { displayName: 'admin' })).body.id}`
    const { act, answered } = begin(() => send(second, 'DELETE', path))
    before(act)
    expect((await addTo(first, path, ids)).status).toBe(204)
    expect((await answered()).status).toBe(204)
    expect(await rolesOf(ids)).toEqual([[], []])
  })

  test('give the new role to members who are added while the group is renamed', async () => {
    const { first, second, ask, add, rename, addTo, rolesOf, before, begin } = await openWorlds()
    const ids = [(await add()).id, (await add()).id]
    const path = `/Groups/${(await ask('POST', '/Groups', { displayName: 'admin' })).body.id}`
    const { act, answered } = begin(() => rename(second, path, 'reader'))
    before(act)
    expect((await addTo(first, path, ids)).status).toBe(204)
    expect((await answered()).status).toBe(204)
    expect(await rolesOf(ids)).toEqual([['reader'], ['reader']])
  })

  test.each(['deleted', 'renamed'])(
    'keep the members of a new group of the name while those of the %s one are added',
    async (how) => {
      const worlds = await openWorlds()
      const { first, second, ask, add, send, rename, addTo, rolesOf, before, begin } = worlds
      const ids = [(await add()).id, (await add()).id]
      const path = `/Groups/${(await ask('POST', '/Groups', { displayName: 'admin' })).body.id}`
      const { act, answered } = begin(async () => {
        const end = how === 'deleted' ? send(second, 'DELETE', path) : rename(second, path, 'other')
        const group = { displayName: 'admin', members: toMembers(ids) }
        return [(await end).status, (await send(second, 'POST', '/Groups', group)).status]
      })
      before(act)
      expect((await addTo(first, path, ids)).status).toBe(204)
      expect(await answered()).toEqual([204, 201])
      const roles = how === 'deleted' ? ['admin'] : ['admin', 'other']
      expect((await rolesOf(ids)).map((each) => [...each].sort())).toEqual([roles, roles])
    },
  )

  test.each(['first', 'second'] as const)(
    'have the name of the later of two renames, the other of which is in the %s process',
    async (which) => {
      const worlds = await openWorlds()
      const { first, ask, rename, rolesOf, before, begin, startGroup } = worlds
      const { ids, path } = await startGroup()
      const { act, answered } = begin(() => rename(worlds[which], path, 'reader'))
      before(act)
      expect((await rename(first, path, 'editor')).status).toBe(204)
      expect((await answered()).status).toBe(204)
      expect((await ask('GET', path)).body.displayName).toBe('reader')
      expect(await rolesOf(ids)).toEqual([['reader'], ['reader'], ['reader']])
    },
  )

  test('have no members after a rename and a deletion, whichever comes first', async () => {
    const { first, second, ask, rename, send, rolesOf, before, begin, startGroup } =
      await openWorlds()
    for (const isRenamedFirst of [true, false]) {
      const { ids, path } = await startGroup()
      const { act, answered } = begin(() =>
        isRenamedFirst ? send(second, 'DELETE', path) : rename(second, path, 'editor'),
      )
      before(act)
      const answer = isRenamedFirst ? rename(first, path, 'editor') : send(first, 'DELETE', path)
      expect((await answer).status).toBe(204)
      expect((await answered()).status).toBe(isRenamedFirst ? 204 : 404)
      expect((await ask('GET', path)).status).toBe(404)
      expect(await rolesOf(ids)).toEqual([[], [], []])
    }
  })

  test('keep the roles of their own group if two groups get one name', async () => {
    const { first, second, ask, add, rename, rolesOf, before, begin } = await openWorlds()
    const ids = [(await add()).id, (await add()).id]
    const [path, other] = await Promise.all(
      ids.map(async (value, index) => {
        const group = { displayName: `group ${index}`, members: [{ value }] }
        return `/Groups/${(await ask('POST', '/Groups', group)).body.id}`
      }),
    )
    const { act, answered } = begin(() => rename(second, other ?? '', 'admin'))
    before(act)
    expect((await rename(first, path ?? '', 'admin')).status).toBe(204)
    expect((await answered()).status).toBe(409)
    expect(await rolesOf(ids)).toEqual([['admin'], ['group 1']])
  })

  test('are unchanged by a request whose If-Match the other one has outdated', async () => {
    const { first, second, accountId, ask, rename, rolesOf, before, begin, startGroup } =
      await openWorlds()
    const { ids, path } = await startGroup()
    const { apiKey } = await second.clientele.apiKeys.create(accountId, { scopes: ['scim'] })
    const headers = {
      authorization: `Bearer ${apiKey}`,
      'if-match': (await ask('GET', path)).headers.get('etag') ?? '',
    }
    const removal = { Operations: [{ op: 'remove', path: 'members' }] }
    for (const [method, json] of [['PATCH', removal], ['DELETE']] as const) {
      const { act, answered } = begin(() => second.send(method, `/scim/v2${path}`, json, headers))
      before(act)
      await rename(first, path, `reader ${method}`)
      const { status, body } = await answered()
      expect([status, body.detail]).toEqual([412, expect.stringContaining('If-Match')])
      expect(await rolesOf(ids)).toEqual(ids.map(() => [`reader ${method}`]))
    }
  })

  test('are changed by either process, also while the other one has changes all the time', async () => {
    const { first, second, ask, add, addTo } = await openWorlds()
    const { id } = await add()
    const path = `/Groups/${(await ask('POST', '/Groups', { displayName: 'admin' })).body.id}`
    let isOver = false
    const busy = Array.from({ length: 8 }, async () => {
      while (!isOver) expect((await addTo(first, path, [id])).status).toBe(204)
    })
    for (let count = 0; count < 3; count++)
      expect((await addTo(second, path, [id])).status).toBe(204)
    isOver = true
    await Promise.all(busy)
  })

  test('are created by a repeat, after a request that a hook has stopped in between', async () => {
    const { first, second, accountId, ask, add, send, rolesOf, before } = await openWorlds()
    const ids = [(await add()).id, (await add()).id]
    const group = { displayName: 'admin', members: toMembers(ids) }
    // The second member changes after the hook was asked, and is asked about once more.
    before(
      () => undefined,
      () => second.clientele.users.patch(accountId, ids[1], { metadata: { level: 1 } }),
      () => Promise.reject(new HookRefusal('No.')),
    )
    expect((await send(first, 'POST', '/Groups', group)).status).toBe(403)
    expect((await ask('GET', '/Groups')).body.totalResults).toBe(0)
    const { status, body } = await send(first, 'POST', '/Groups', group)
    expect([status, body.members.length]).toEqual([201, 2])
    expect(await rolesOf(ids)).toEqual([['admin'], ['admin']])
  })
})
