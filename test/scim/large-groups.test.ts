import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { toRecords } from '../import/import-world.ts'
import { databases, type OpenDatabase } from '../support/databases.ts'
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
})
