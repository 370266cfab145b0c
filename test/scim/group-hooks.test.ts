import { HookRefusal } from '@clientele/core'
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from 'vitest'
import { eitherDatabase, type OpenDatabase } from '../support/databases.ts'
import { type Provider, ScimWorld } from './scim-world.ts'

const databases = eitherDatabase(import.meta.filename)

type Write = (provider: Provider, groupId: string, ids: readonly string[]) => Promise<unknown>

const toMembers = (ids: readonly string[]) => ids.map((value) => ({ value }))

/** What a request writes of a group `staff`, of which the first of the users is no member, and the others are. */
const writes: [string, Write][] = [
  [
    'creates a group',
    ({ ask }, _, ids) =>
      ask('POST', '/Groups', { displayName: 'admin', members: toMembers([...ids].reverse()) }),
  ],
  [
    'gives other members and another external id',
    ({ ask }, id, ids) =>
      ask('PUT', `/Groups/${id}`, {
        displayName: 'staff',
        externalId: 'another',
        members: toMembers(ids.slice(0, 1)),
      }),
  ],
  [
    'adds and removes members',
    ({ patch }, id, ids) =>
      patch(
        `/Groups/${id}`,
        { op: 'add', path: 'members', value: toMembers(ids.slice(0, 1)) },
        { op: 'remove', path: `members[value eq "${ids.at(-1)}"]` },
      ),
  ],
  [
    'renames a group',
    ({ patch }, id) =>
      patch(`/Groups/${id}`, { op: 'replace', path: 'displayName', value: 'admin' }),
  ],
  ['deletes a group', ({ ask }, id) => ask('DELETE', `/Groups/${id}`)],
]

describe.each(databases)('The hook beforeUpdate and groups, on $name', ({ open }) => {
  let database: OpenDatabase
  let world: ScimWorld
  /** Throws what the hook answers about a user. */
  let answer: (name: string) => unknown = () => {}
  const asked: string[] = []
  beforeAll(async () => {
    database = await open()
    const beforeUpdate = async ({ name }: { name: string }) => {
      asked.push(name)
      await answer(name)
    }
    world = await ScimWorld.open(database.url, { hooks: { beforeUpdate } })
  })
  afterEach(() => {
    vi.restoreAllMocks()
  })
  afterAll(async () => {
    await world.close()
    await database.close()
  })

  async function start() {
    answer = () => {}
    const provider = await world.provider()
    const names = ['Ada', 'Bob', 'Cyd', 'Dan']
    const ids: string[] = []
    for (const displayName of names) ids.push((await provider.add({ displayName })).id)
    const members = toMembers(ids.slice(1))
    const { body } = await provider.ask('POST', '/Groups', { displayName: 'staff', members })
    asked.length = 0
    const read = async () => [
      (await provider.ask('GET', '/Groups')).body.Resources,
      (await provider.ask('GET', '/Users')).body.Resources,
      await provider.events(),
    ]
    return { provider, ids, groupId: body.id as string, read }
  }

  test.each(writes)(
    'a refusal, or a hook that fails, changes nothing where a request %s',
    async (_, write) => {
      const { provider, ids, groupId, read } = await start()
      const before = await read()
      for (const [error, status] of [
        [new HookRefusal('No.'), 403],
        [new Error('It fails.'), 503],
      ] as const) {
        answer = (name) => {
          if (name === 'Dan') throw error
        }
        expect(await write(provider, groupId, ids)).toMatchObject({ status })
        expect(await read()).toEqual(before)
      }
    },
  )

  test.each(writes)('each member is asked about once where a request %s', async (_, write) => {
    const { provider, ids, groupId } = await start()
    expect(await write(provider, groupId, ids)).toMatchObject({
      status: expect.toSatisfy((status) => status < 300),
    })
    expect(asked).toEqual([...new Set(asked)])
    expect(asked).toContain('Dan')
  })

  test.each(writes)(
    'nothing changes where the account is disabled while the hook is slow, and a request %s',
    async (_, write) => {
      const { provider, ids, groupId, read } = await start()
      const { accounts } = world.clientele
      const before = await read()
      const realNow = performance.now.bind(performance)
      let passed = 0
      vi.spyOn(performance, 'now').mockImplementation(() => realNow() + passed)
      answer = async (name) => {
        if (name !== 'Dan') return
        await accounts.disable(provider.accountId)
        passed += 11_000
      }
      expect(await write(provider, groupId, ids)).toMatchObject({ status: 401 })
      await accounts.enable(provider.accountId)
      const [groups, users] = await read()
      expect([groups, users]).toEqual(before.slice(0, 2))
    },
  )

  test('a member who changes after the answer is asked about once more', async () => {
    const { provider, ids } = await start()
    const [first = '', second = ''] = ids
    answer = async (name) => {
      if (name !== 'Bob' || asked.length > 2) return
      await world.clientele.users.patch(provider.accountId, first, { metadata: { level: 1 } })
    }
    const members = toMembers([first, second])
    await provider.ask('POST', '/Groups', { displayName: 'admin', members })
    expect(asked).toEqual(['Ada', 'Bob', 'Ada', 'Ada'])
  })
})
