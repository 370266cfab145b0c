import { describe, expect, test } from 'vitest'
import { databases } from '../support/databases.ts'
import { openTwoWorlds } from './two-worlds.ts'

describe.each(databases)('Groups that two requests change at once, on $name', ({ open }) => {
  const openWorlds = async () => openTwoWorlds(await open())

  test('leave no role to members who are added while the group is deleted', async () => {
    const { first, second, ask, add, send, addTo, rolesOf, before } = await openWorlds()
    const ids = [(await add()).id, (await add()).id]
    const path = `/Groups/${(await ask('POST', '/Groups', { displayName: 'admin' })).body.id}`
    before(() => send(second, 'DELETE', path))
    await addTo(first, path, ids)
    expect(await rolesOf(ids)).toEqual([[], []])
  })

  test('give the new role to members who are added while the group is renamed', async () => {
    const { first, second, ask, add, rename, addTo, rolesOf, before } = await openWorlds()
    const ids = [(await add()).id, (await add()).id]
    const path = `/Groups/${(await ask('POST', '/Groups', { displayName: 'admin' })).body.id}`
    before(() => rename(second, path, 'reader'))
    await addTo(first, path, ids)
    expect(await rolesOf(ids)).toEqual([['reader'], ['reader']])
  })

  test('have one role after two renames, also in two processes', async () => {
    const { first, second, ask, add, rename, rolesOf, before } = await openWorlds()
    const ids = [(await add()).id, (await add()).id, (await add()).id]
    const members = ids.map((value) => ({ value }))
    const { body } = await ask('POST', '/Groups', { displayName: 'admin', members })
    const path = `/Groups/${body.id}`
    before(() => rename(second, path, 'reader'))
    expect((await rename(first, path, 'editor')).status).toBe(204)
    expect((await ask('GET', path)).body.displayName).toBe('editor')
    expect(await rolesOf(ids)).toEqual([['editor'], ['editor'], ['editor']])
  })

  test('leave no role to members of a group that is deleted while it is renamed', async () => {
    const { first, second, ask, add, rename, send, rolesOf, before } = await openWorlds()
    const ids = [(await add()).id, (await add()).id]
    const members = ids.map((value) => ({ value }))
    for (const [act, meanwhile] of [
      [
        (path: string) => rename(first, path, 'editor'),
        (path: string) => send(second, 'DELETE', path),
      ],
      [
        (path: string) => send(first, 'DELETE', path),
        (path: string) => rename(second, path, 'editor'),
      ],
    ] as const) {
      const { body } = await ask('POST', '/Groups', { displayName: 'admin', members })
      const path = `/Groups/${body.id}`
      before(() => meanwhile(path))
      await act(path)
      expect((await ask('GET', path)).status).toBe(404)
      expect(await rolesOf(ids)).toEqual([[], []])
    }
  })

  test('keep the roles of their own group if two groups get one name at once', async () => {
    const { first, second, ask, add, rename, rolesOf, before } = await openWorlds()
    const ids = [(await add()).id, (await add()).id]
    const [path, other] = await Promise.all(
      ids.map(async (value, index) => {
        const group = { displayName: `group ${index}`, members: [{ value }] }
        return `/Groups/${(await ask('POST', '/Groups', group)).body.id}`
      }),
    )
    before(() => rename(second, other ?? '', 'admin'))
    expect((await rename(first, path ?? '', 'admin')).status).toBe(409)
    expect(await rolesOf(ids)).toEqual([['group 0'], ['admin']])
  })

  test('have one role after two renames', async () => {
    const { first, ask, add, rename, rolesOf, before } = await openWorlds()
    const ids = [(await add()).id, (await add()).id, (await add()).id]
    const members = ids.map((value) => ({ value }))
    const { body } = await ask('POST', '/Groups', { displayName: 'admin', members })
    const path = `/Groups/${body.id}`
    let other: Promise<unknown> | undefined
    before(async () => {
      other = rename(first, path, 'reader')
      // It would have written its roles by then.
      await new Promise((resolve) => setTimeout(resolve, 300))
    })
    await rename(first, path, 'editor')
    await other
    const { displayName } = (await ask('GET', path)).body
    expect(await rolesOf(ids)).toEqual(ids.map(() => [displayName]))
  })
})
