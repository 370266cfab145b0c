import { HookRefusal } from '@clientele/core'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { toRecords } from '../import/import-world.ts'
import { openRepository } from '../keys/open-clientele.ts'
import { databases, type OpenDatabase } from '../support/databases.ts'
import { someEvent } from '../support/some-event.ts'
import { byFilter, query, ScimWorld } from './scim-world.ts'

const size = 2_005

/** Users with a role, as an import brings them. */
const members = Array.from({ length: size }, (_, index) => ({
  name: 'Member',
  email: `m${index}@example.com`,
  roles: ['everyone'],
}))

describe.each(databases)('a group of many users, on $name', ({ open }) => {
  let database: OpenDatabase
  let world: ScimWorld
  beforeAll(async () => {
    database = await open()
    world = await ScimWorld.open(database.url)
  })
  afterAll(async () => {
    await world.close()
    await database.close()
  })

  test('is listed by its users, and deleted in several requests', async () => {
    const { ask, patch, add, accountId } = await world.provider()
    await world.clientele.users.import(accountId, toRecords(members))
    const created = await ask('POST', '/Groups', { displayName: 'everyone' })
    expect(created.status).toBe(201)
    expect(created.body).not.toHaveProperty('members')
    const path = `/Groups/${created.body.id}`
    const page = await ask(
      'GET',
      query('/Users', {
        filter: `groups.value eq "${created.body.id}"`,
        startIndex: 1_996,
        count: 100,
      }),
    )
    expect([page.body.totalResults, page.body.itemsPerPage]).toEqual([size, 10])
    const wide = await ask('GET', byFilter('/Users', 'userName sw "m"'))
    expect([wide.status, wide.body.scimType]).toEqual([400, 'tooMany'])
    // Other requests are answered in between.
    const { id } = await add()
    let isDeleted = false
    const deleting = ask('DELETE', path).then((answer) => {
      isDeleted = true
      return answer
    })
    expect((await ask('GET', `/Users/${id}`)).status).toBe(200)
    expect(isDeleted).toBe(false)
    const { status, headers } = await deleting
    expect([status, headers.get('retry-after')]).toEqual([503, '1'])
    const rest = await ask('GET', path)
    expect(rest.body.members).toHaveLength(size - 2_000)
    const join = await patch(path, { op: 'add', path: 'members', value: [{ value: id }] })
    expect(join.status).toBe(204)
    expect((await ask('DELETE', path)).status).toBe(204)
    const { total } = await world.clientele.users.list(accountId, { role: 'everyone' })
    expect(total).toBe(0)
  })

  test('is renamed in several requests, before others change it', async () => {
    const { ask, patch, accountId } = await world.provider()
    const { users } = world.clientele
    await users.import(accountId, toRecords(members))
    const path = `/Groups/${(await ask('POST', '/Groups', { displayName: 'everyone' })).body.id}`
    const rename = () => patch(path, { op: 'replace', path: 'displayName', value: 'staff' })
    const { status, headers } = await rename()
    expect([status, headers.get('retry-after')]).toEqual([503, '1'])
    const { data } = await users.list(accountId, { role: 'everyone' })
    expect(data).toHaveLength(size - 2_000)
    expect((await ask('GET', path)).body.displayName).toBe('staff')
    const gone = { op: 'remove', path: `members[value eq "${data[0]?.id}"]` }
    expect((await patch(path, gone)).status).toBe(204)
    expect((await users.list(accountId, { role: 'everyone' })).total).toBe(0)
    expect((await users.list(accountId, { role: 'staff' })).total).toBe(size - 1)
    expect((await rename()).status).toBe(204)
  })

  test('can be changed after a rename that is refused for all of them', async () => {
    const beforeUpdate = () => Promise.reject(new HookRefusal('No.'))
    const refusing = await ScimWorld.open(database.url, { hooks: { beforeUpdate } })
    onTestFinished(() => refusing.close())
    const { ask, patch, accountId } = await refusing.provider()
    const { users } = world.clientele
    await users.import(accountId, toRecords(members))
    const { body } = await ask('POST', '/Groups', { displayName: 'everyone' })
    // As a process leaves it that has renamed the group when the hook allowed it
    const { scim } = openRepository(database.url)
    const names = { role: 'staff', roleKey: 'staff', externalId: null, formerRole: 'everyone' }
    const changes = { ...names, updatedAt: Date.now() }
    await scim.updateGroup(accountId, body.id, changes, 1, someEvent(accountId))
    const change = () =>
      patch(`/Groups/${body.id}`, { op: 'replace', path: 'externalId', value: 'e-1' })
    expect((await change()).status).toBe(503)
    expect((await change()).status).toBe(204)
    expect((await users.list(accountId, { role: 'everyone' })).total).toBe(size)
    expect((await ask('DELETE', `/Groups/${body.id}`)).status).toBe(204)
  })
})
