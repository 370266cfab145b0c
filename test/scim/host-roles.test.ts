import { describe, expect, onTestFinished, test } from 'vitest'
import { z } from 'zod'
import { openRepository } from '../keys/open-clientele.ts'
import { eitherDatabase } from '../support/databases.ts'
import { someEvent } from '../support/some-event.ts'
import { ScimWorld } from './scim-world.ts'

const databases = eitherDatabase(import.meta.filename)

describe.each(databases)('where the host knows some roles, on $name', ({ open }) => {
  async function start() {
    const database = await open()
    const world = await ScimWorld.open(database.url, { roles: z.enum(['admin', 'reader']) })
    // As the command line imports, or a release before did
    const anyRole = await ScimWorld.open(database.url)
    onTestFinished(async () => {
      await Promise.all([world.close(), anyRole.close()])
      await database.close()
    })
    const provider = await world.provider()
    const { accountId, ask, add } = provider
    const [a, b] = [(await add()).id, (await add()).id]
    const members = [{ value: a }, { value: b }]
    const { body } = await ask('POST', '/Groups', { displayName: 'admin', members })
    const rolesOf = async (id: string) =>
      (await world.clientele.users.find(accountId, id)).user.roles
    const setRoles = (id: string, roles: string[]) =>
      anyRole.clientele.users.patch(accountId, id, { roles })
    const { scim } = openRepository(database.url)
    return { ...provider, scim, path: `/Groups/${body.id}`, id: body.id, a, b, rolesOf, setRoles }
  }

  test('no group has another name, and a refused rename changes nothing', async () => {
    const { ask, patch, path, a, b, rolesOf } = await start()
    const refused = [400, 'displayName must be one of admin, reader']
    const rename = await patch(path, { op: 'replace', value: { displayName: 'Admins' } })
    const creation = await ask('POST', '/Groups', { displayName: 'Admins' })
    for (const { status, body } of [rename, creation])
      expect([status, body.detail]).toEqual(refused)
    expect((await ask('GET', path)).body.displayName).toBe('admin')
    const removal = { op: 'remove', path: `members[value eq "${a}"]` }
    expect((await patch(path, removal)).status).toBe(204)
    expect([await rolesOf(a), await rolesOf(b)]).toEqual([[], ['admin']])
  })

  test('members lose the role of a group also if they have one that the host has dropped', async () => {
    const { ask, patch, path, a, b, rolesOf, setRoles } = await start()
    for (const id of [a, b]) await setRoles(id, ['legacy', 'admin'])
    const rename = await patch(path, { op: 'replace', value: { displayName: 'reader' } })
    expect([rename.status, (await ask('GET', path)).body.displayName]).toEqual([400, 'admin'])
    const removal = { op: 'remove', path: `members[value eq "${a}"]` }
    expect((await patch(path, removal)).status).toBe(204)
    expect((await ask('DELETE', path)).status).toBe(204)
    expect([await rolesOf(a), await rolesOf(b)]).toEqual([['legacy'], ['legacy']])
  })

  test('a rename that began before the host dropped a role is finished for the others', async () => {
    const { accountId, ask, path, id, a, b, rolesOf, setRoles, scim } = await start()
    await setRoles(a, ['legacy', 'admin'])
    const names = { role: 'reader', roleKey: 'reader', externalId: null, formerRole: 'admin' }
    const changes = { ...names, updatedAt: Date.now() }
    await scim.updateGroup(accountId, id, changes, 1, someEvent(accountId))
    expect((await ask('PUT', path, { displayName: 'reader' })).status).toBe(200)
    expect([await rolesOf(a), await rolesOf(b)]).toEqual([['legacy', 'admin'], ['reader']])
  })
})
