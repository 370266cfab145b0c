import { HookRefusal } from '@clientele/core'
import { describe, expect, test } from 'vitest'
import { eitherDatabase } from '../support/databases.ts'
import { openTwoWorlds, toMembers } from './two-worlds.ts'

const databases = eitherDatabase(import.meta.filename)

describe.each(databases)('A group that is being renamed, on $name', ({ open }) => {
  test('loses the members that another process takes away', async () => {
    const { second, removeFrom, rolesOf, renameBeside } = await openTwoWorlds(await open())
    const { ids, answer, beside } = await renameBeside(async ({ ids, path }) => {
      // One has the new role, and one the former.
      expect(await rolesOf(ids)).toEqual([['reader'], ['reader'], ['admin']])
      return [
        (await removeFrom(second, path, ids[0])).status,
        (await removeFrom(second, path, ids[2])).status,
      ]
    })
    expect([answer.status, beside]).toEqual([204, [204, 204]])
    expect(await rolesOf(ids)).toEqual([[], ['reader'], []])
  })

  test('has the members of a list that another process sends', async () => {
    const { second, send, rolesOf, renameBeside } = await openTwoWorlds(await open())
    for (const [displayName, role] of [
      ['reader', 'reader'],
      ['admin', 'admin'],
    ] as const) {
      const { ids, other, path, beside } = await renameBeside(({ ids, other, path }) =>
        send(second, 'PUT', path, { displayName, members: toMembers([ids[1], other]) }),
      )
      expect(beside?.status).toBe(200)
      expect(await rolesOf([...ids, other])).toEqual([[], [role], [], [role]])
      expect((await send(second, 'DELETE', path)).status).toBe(204)
    }
  })

  test('obeys a removal and an addition that began before the rename', async () => {
    const worlds = await openTwoWorlds(await open())
    const { first, second, rename, rolesOf, before, begin, send, startGroup } = worlds
    for (const method of ['PATCH', 'PUT']) {
      const { ids, other, path } = await startGroup()
      const [a, b, c] = ids
      // Both users are asked about first: the rename comes before either is written.
      const { act, answered } = begin(() => rename(second, path, 'reader'))
      before(act)
      const { status } =
        method === 'PUT'
          ? await send(first, 'PUT', path, {
              externalId: null,
              displayName: 'admin',
              members: toMembers([b, c, other]),
            })
          : await send(first, 'PATCH', path, {
              Operations: [
                { op: 'add', path: 'members', value: toMembers([other]) },
                { op: 'remove', path: `members[value eq "${a}"]` },
              ],
            })
      expect([status < 300, (await answered()).status]).toEqual([true, 204])
      expect(await rolesOf([a, b, c, other])).toEqual([[], ['reader'], ['reader'], ['reader']])
      await send(second, 'DELETE', path)
    }
  })

  test.each<[string, string[], (worlds: Worlds, group: Group) => Promise<number[]>]>([
    [
      'a removal and a repeat of the rename',
      ['', 'reader', 'reader', ''],
      async ({ second, removeFrom, rename }, { ids, path }) => [
        (await removeFrom(second, path, ids[0])).status,
        (await rename(second, path, 'reader')).status,
      ],
    ],
    [
      'another rename',
      ['editor', 'editor', 'editor', ''],
      async ({ second, rename }, { path }) => [(await rename(second, path, 'editor')).status],
    ],
    [
      'the rename back',
      ['admin', 'admin', 'admin', ''],
      async ({ second, rename }, { path }) => [(await rename(second, path, 'admin')).status],
    ],
    [
      'another external id',
      ['reader', 'reader', 'reader', ''],
      async ({ second, send }, { path }) => [
        (
          await send(second, 'PATCH', path, {
            Operations: [{ op: 'replace', value: { externalId: 'another' } }],
          })
        ).status,
      ],
    ],
    [
      'its deletion',
      ['', '', '', ''],
      async ({ second, send }, { path }) => [(await send(second, 'DELETE', path)).status],
    ],
    [
      'a group of the former name',
      ['reader', 'reader', 'reader', 'admin'],
      async ({ second, send }, { other }) => {
        const group = { displayName: 'admin', members: toMembers([other]) }
        return [(await send(second, 'POST', '/Groups', group)).status]
      },
    ],
    [
      'another group that gets the former name',
      ['reader', 'reader', 'reader', 'admin'],
      async ({ second, send, rename }, { other }) => {
        const group = { displayName: 'third', members: toMembers([other]) }
        const { status, body } = await send(second, 'POST', '/Groups', group)
        return [status, (await rename(second, `/Groups/${body.id}`, 'admin')).status]
      },
    ],
  ])('is renamed before %s', async (_, roles, act) => {
    const worlds = await openTwoWorlds(await open())
    const { rolesOf, renameBeside } = worlds
    const expected = roles.map((role) => (role === '' ? [] : [role]))
    const { ids, other, beside = [] } = await renameBeside((group) => act(worlds, group))
    for (const status of beside) expect(status).toBeLessThan(300)
    expect(await rolesOf([...ids, other])).toEqual(expected)
  })

  test('has its new name at once, and all its members', async () => {
    const { ask, renameAround } = await openTwoWorlds(await open())
    const { ids } = await renameAround(async ({ ids, path }) => {
      const { body } = await ask('GET', path)
      expect(body.displayName).toBe('reader')
      const listed = body.members.map(({ value }: { value: string }) => value)
      expect(listed.toSorted()).toEqual(ids.toSorted())
    })
    expect(ids).toHaveLength(3)
  })

  test('leaves the former role to a user whom the hook refuses after it was asked', async () => {
    const worlds = await openTwoWorlds(await open())
    const { first, rename, rolesOf, renameAround } = worlds
    const refuse = () => Promise.reject(new HookRefusal('No.'))
    const { ids, path, answer } = await renameAround(refuse)
    expect([answer.status, answer.body.detail]).toEqual([403, 'No.'])
    expect(await rolesOf(ids)).toEqual([['reader'], ['reader'], ['admin']])
    expect((await rename(first, path, 'editor')).status).toBe(204)
    expect(await rolesOf(ids)).toEqual([['editor'], ['editor'], ['admin']])
  })

  test('keeps its name if a member whom the request names cannot be taken over', async () => {
    const { first, accountId, add, ask, send, rolesOf } = await openTwoWorlds(await open())
    const taken = { userName: 'ada@example.com', emails: [{ value: 'other@example.com' }] }
    await add(taken)
    const { users } = first.clientele
    const { user } = await users.create(accountId, {
      name: 'Ada',
      email: 'ada@example.com',
      roles: ['admin'],
      password: 'a password',
    })
    const other = await add()
    const path = `/Groups/${(await ask('POST', '/Groups', { displayName: 'admin' })).body.id}`
    const group = { displayName: 'reader', members: toMembers([user.id, other.id]) }
    for (let count = 0; count < 2; count++) {
      const { status, body } = await send(first, 'PUT', path, group)
      expect([status, body.scimType]).toEqual([409, 'uniqueness'])
      expect((await ask('GET', path)).body.displayName).toBe('admin')
      expect(await rolesOf([user.id, other.id])).toEqual([['admin'], []])
    }
    await users.patch(accountId, user.id, { email: 'free@example.com' })
    expect((await send(first, 'PUT', path, group)).status).toBe(200)
    expect(await rolesOf([user.id, other.id])).toEqual([['reader'], ['reader']])
  })
})

type Worlds = Awaited<ReturnType<typeof openTwoWorlds>>
type Group = Awaited<ReturnType<Worlds['startGroup']>>
