import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, test } from 'vitest'
import { openRepository } from '../keys/open-clientele.ts'
import { databases } from '../support/databases.ts'
import { someEvent } from '../support/some-event.ts'
import { ScimWorld } from './scim-world.ts'
import { openTwoWorlds, toMembers } from './two-worlds.ts'

describe.each(databases)('A change of a group, on $name', ({ open }) => {
  /** A process is gone that had the turn, and had renamed the group `admin` to `reader`, but none of its members. */
  async function openAbandoned() {
    const database = await open()
    const worlds = await openTwoWorlds(database)
    const { accountId, startGroup } = worlds
    const { scim } = openRepository(database.url)
    const group = await startGroup()
    const stored = await scim.findGroup(accountId, group.path.replace('/Groups/', ''))
    if (stored === undefined) throw new Error('There is no group.')
    expect(await scim.leaseGroups(accountId, 'gone')).toBe('leased')
    const names = { role: 'reader', roleKey: 'reader', externalId: null, formerRole: 'admin' }
    const changes = { ...names, updatedAt: Date.now() }
    await scim.updateGroup(accountId, stored.id, changes, 1, someEvent(accountId))
    return { ...worlds, ...group, scim }
  }

  test('that a process has left is finished by the next one, ten seconds later, also after callers who have gone', async () => {
    const { second, send, ids, other, rolesOf } = await openAbandoned()
    const members = toMembers([other])
    const create = (signal?: AbortSignal) =>
      send(second, 'POST', '/Groups', { displayName: 'admin', members }, signal)
    const startedAt = performance.now()
    await expect(create(AbortSignal.timeout(5_000))).rejects.toThrow()
    expect((await create()).status).toBe(201)
    expect(performance.now() - startedAt).toBeLessThan(14_000)
    const roles = [['reader'], ['reader'], ['reader'], ['admin']]
    expect(await rolesOf([...ids, other])).toEqual(roles)
  }, 60_000)

  test('waits for a process that says it is there, 15 seconds at most', async () => {
    const { second, removeFrom, ids, path, rolesOf, scim, accountId } = await openAbandoned()
    const timer = setInterval(() => void scim.renewGroups(accountId, 'gone'), 1_000)
    const wait = async () => {
      const startedAt = performance.now()
      const { status, headers } = await removeFrom(second, path, ids[0])
      expect([status, headers.get('retry-after')]).toEqual([503, '1'])
      expect(performance.now() - startedAt).toBeLessThan(17_000)
    }
    try {
      const first = wait()
      await sleep(1_000)
      await Promise.all([first, wait()])
    } finally {
      clearInterval(timer)
    }
    expect(await rolesOf(ids)).toEqual([['admin'], ['admin'], ['admin']])
    await scim.releaseGroups(accountId, 'gone')
    expect((await removeFrom(second, path, ids[0])).status).toBe(204)
    expect(await rolesOf(ids)).toEqual([[], ['reader'], ['reader']])
  }, 60_000)

  test('writes nothing more when another process has taken its turn', async () => {
    const database = await open()
    const worlds = await openTwoWorlds(database)
    const { accountId, second, rename, rolesOf, renameAround } = worlds
    const { scim } = openRepository(database.url)
    const { ids, path, answer } = await renameAround(async () => {
      const lease = await scim.findGroupLease(accountId)
      expect(lease && (await scim.takeOverGroups(accountId, lease, 'another'))).toBe(true)
      // The first one notices when it renews its lease.
      await sleep(2_500)
    })
    expect(answer.status).toBe(503)
    expect(await rolesOf(ids)).toEqual([['reader'], ['reader'], ['admin']])
    await scim.releaseGroups(accountId, 'another')
    expect((await rename(second, path, 'reader')).status).toBe(204)
    expect(await rolesOf(ids)).toEqual([['reader'], ['reader'], ['reader']])
  }, 60_000)

  test('writes nothing of what it has read before another process has taken its turn', async () => {
    const database = await open()
    const opened = openRepository(database.url)
    const { scim } = opened
    const acts: (() => Promise<unknown>)[] = []
    const findStanding: typeof scim.findStanding = async (...input) => {
      const standing = await scim.findStanding(...input)
      await acts.shift()?.()
      return standing
    }
    const repository = { ...opened, scim: { ...scim, findStanding } }
    const worlds = await openTwoWorlds(database, { repository })
    const { accountId, first, addTo, rolesOf, startGroup } = worlds
    const { other, path } = await startGroup()
    const takeOver = async () => {
      const lease = await scim.findGroupLease(accountId)
      expect(lease && (await scim.takeOverGroups(accountId, lease, 'another'))).toBe(true)
      await sleep(2_500)
    }
    // It is read once to be checked, and once to be written.
    acts.push(async () => {}, takeOver)
    expect((await addTo(first, path, [other])).status).toBe(503)
    expect(await rolesOf([other])).toEqual([[]])
  }, 60_000)

  test('is not taken from a process whose lease was read slowly', async () => {
    const database = await open()
    const opened = openRepository(database.url)
    const { scim } = opened
    let looks = 0
    const findGroupLease: typeof scim.findGroupLease = async (...input) => {
      if (++looks === 1) await sleep(10_100)
      return scim.findGroupLease(...input)
    }
    const repository = { ...opened, scim: { ...scim, findGroupLease } }
    const world = await ScimWorld.open(database.url, { repository })
    const { accountId, ask } = await world.provider()
    expect(await scim.leaseGroups(accountId, 'alive')).toBe('leased')
    const timer = setInterval(() => void scim.renewGroups(accountId, 'alive'), 2_000)
    try {
      expect((await ask('POST', '/Groups', { displayName: 'admin' })).status).toBe(503)
      expect((await scim.findGroupLease(accountId))?.holder).toBe('alive')
    } finally {
      clearInterval(timer)
      await world.close()
      await database.close()
    }
  }, 60_000)
})
