import { describe, expect, test } from 'vitest'
import { openRepository } from '../keys/open-clientele.ts'
import { databases } from '../support/databases.ts'
import { someEvent } from '../support/some-event.ts'
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

  test('that a process has left is finished by the next one, ten seconds later', async () => {
    const { second, send, ids, other, rolesOf } = await openAbandoned()
    const members = toMembers([other])
    const { status } = await send(second, 'POST', '/Groups', { displayName: 'admin', members })
    expect(status).toBe(201)
    const roles = [['reader'], ['reader'], ['reader'], ['admin']]
    expect(await rolesOf([...ids, other])).toEqual(roles)
  }, 60_000)

  test('waits for a process that says it is there, 15 seconds at most', async () => {
    const { second, removeFrom, ids, path, rolesOf, scim, accountId } = await openAbandoned()
    const timer = setInterval(() => void scim.renewGroups(accountId, 'gone'), 1_000)
    try {
      const { status, headers } = await removeFrom(second, path, ids[0])
      expect([status, headers.get('retry-after')]).toEqual([503, '1'])
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
      await new Promise((resolve) => setTimeout(resolve, 2_500))
    })
    expect(answer.status).toBe(503)
    expect(await rolesOf(ids)).toEqual([['reader'], ['reader'], ['admin']])
    await scim.releaseGroups(accountId, 'another')
    expect((await rename(second, path, 'reader')).status).toBe(204)
    expect(await rolesOf(ids)).toEqual([['reader'], ['reader'], ['reader']])
  }, 60_000)
})
