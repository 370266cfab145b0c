import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { eitherDatabase, type OpenDatabase } from '../support/databases.ts'
import { byFilter, ScimWorld } from './scim-world.ts'

const databases = eitherDatabase(import.meta.filename)

describe.each(databases)('a group of SCIM is a role, on $name', ({ open }) => {
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

  const rolesOf = async (accountId: string, ...users: { id: string }[]) =>
    Promise.all(
      users.map(async ({ id }) => (await world.clientele.users.find(accountId, id)).user.roles),
    )

  test('has the users who have its role already, and leaves other roles and metadata alone', async () => {
    const { ask, patch, add, accountId, events } = await world.provider()
    const own = { name: 'Grace', email: 'grace@example.com', password: 'password' }
    const { user } = await world.clientele.users.create(accountId, {
      ...own,
      roles: ['staff', 'admin'],
      metadata: { plan: 'pro' },
    })
    const ada = await add()
    const { body: group } = await ask('POST', '/Groups', {
      displayName: 'staff',
      externalId: 'g-1',
      members: [{ value: ada.id }],
    })
    const memberIds = group.members.map(({ value }: { value: string }) => value)
    expect(memberIds).toEqual([user.id, ada.id])
    expect((await ask('GET', `/Users/${user.id}`)).body.groups).toEqual([
      {
        value: group.id,
        display: 'staff',
        $ref: `/api/v1/scim/v2/Groups/${group.id}`,
        type: 'direct',
      },
    ])
    const inGroup = await ask('GET', byFilter('/Users', `groups.value eq "${group.id}"`))
    expect(inGroup.body.totalResults).toBe(2)
    const active = await ask(
      'GET',
      byFilter('/Users', `active eq true and groups eq "${group.id}" and userName sw "grace"`),
    )
    expect(active.body.totalResults).toBe(1)
    await patch(`/Groups/${group.id}`, { op: 'replace', path: 'displayName', value: 'Crew' })
    expect(await rolesOf(accountId, user, ada)).toEqual([['Crew', 'admin'], ['Crew']])
    await ask('PUT', `/Users/${user.id}`, { userName: 'grace', displayName: 'Grace Hopper' })
    expect((await world.clientele.users.find(accountId, user.id)).user).toMatchObject({
      email: 'grace@example.com',
      name: 'Grace Hopper',
      roles: ['Crew', 'admin'],
      metadata: { plan: 'pro' },
    })
    expect((await ask('DELETE', `/Groups/${group.id}`)).status).toBe(204)
    expect(await rolesOf(accountId, user, ada)).toEqual([['admin'], []])
    expect(await events()).toEqual([
      ['user.created', 'operator'],
      ['user.created', 'api_key'],
      ['user.updated', 'api_key', ['roles']],
      ['group.created', 'api_key'],
      ['group.updated', 'api_key'],
      ['user.updated', 'api_key', ['roles']],
      ['user.updated', 'api_key', ['roles']],
      ['user.updated', 'api_key', ['name', 'userName', 'familyName', 'password']],
      ['user.updated', 'api_key', ['roles']],
      ['user.updated', 'api_key', ['roles']],
      ['group.deleted', 'api_key'],
    ])
  })

  test('has a name of its own, whatever its case, among the roles that the account allows', async () => {
    const { ask, patch } = await world.provider({ allowedRoles: ['staff', 'Staff', 'crew'] })
    const answer = async (json: object) => {
      const { status, body } = await ask('POST', '/Groups', json)
      return [status, body.scimType, body.detail]
    }
    expect(await answer({ displayName: 'other' })).toEqual([
      400,
      'invalidValue',
      'displayName is not one of the roles of this account',
    ])
    const { body: group } = await ask('POST', '/Groups', { displayName: 'staff' })
    const taken = [409, 'uniqueness', 'This account has a group of this name.']
    expect(await answer({ displayName: 'Staff' })).toEqual(taken)
    const { body: crew } = await ask('POST', '/Groups', { displayName: 'crew' })
    const rename = (id: string, value: string) =>
      patch(`/Groups/${id}`, { op: 'replace', path: 'displayName', value })
    expect((await rename(crew.id, 'STAFF')).status).toBe(400)
    const { status, body } = await rename(crew.id, 'Staff')
    expect([status, body.scimType]).toEqual([409, 'uniqueness'])
    expect((await rename(group.id, 'Staff')).status).toBe(204)
    expect((await ask('GET', '/Groups')).body.Resources).toMatchObject([
      { displayName: 'Staff' },
      { displayName: 'crew' },
    ])
  })

  test('adds, removes and replaces members in one request, or changes nothing', async () => {
    const { ask, patch, add, accountId } = await world.provider()
    const users = [await add(), await add(), await add()]
    const [first, second, third] = users.map(({ id }) => ({ value: id }))
    const { body: group } = await ask('POST', '/Groups', {
      displayName: 'staff',
      members: [first, second],
    })
    const path = `/Groups/${group.id}`
    await patch(
      path,
      { op: 'replace', path: 'members', value: [second] },
      { op: 'add', path: 'members', value: [third] },
      { op: 'remove', path: `members[value eq "${second?.value}"]` },
    )
    expect(await rolesOf(accountId, ...users)).toEqual([[], [], ['staff']])
    const unknown = { value: '019dfae2-6a4d-7c3e-9b1f-2f4a5c6d7e8f' }
    const refused = await patch(
      path,
      { op: 'replace', path: 'displayName', value: 'crew' },
      { op: 'add', path: 'members', value: [first, unknown] },
    )
    expect(refused.status).toBe(400)
    expect(await rolesOf(accountId, ...users)).toEqual([[], [], ['staff']])
    await patch(path, { op: 'remove', path: 'members', value: [unknown] })
    await ask('PUT', path, { displayName: 'staff' })
    expect(await rolesOf(accountId, ...users)).toEqual([[], [], ['staff']])
    await ask('PUT', path, { displayName: 'staff', members: null })
    await ask('PUT', path, { displayName: 'staff', 'members.value': null })
    expect(await rolesOf(accountId, ...users)).toEqual([[], [], ['staff']])
    for (const [op, of] of [
      ['remove', 'members.display'],
      ['replace', 'members.type'],
      ['remove', `members[value eq "${third?.value}"].display`],
      ['replace', 'displayName.formatted'],
    ]) {
      const { body } = await patch(path, { op, path: of, value: op === 'remove' ? undefined : 'x' })
      expect(body).toMatchObject({ status: '400', scimType: 'invalidPath' })
    }
    expect(await rolesOf(accountId, ...users)).toEqual([[], [], ['staff']])
    for (const replaced of [
      { path: 'members' },
      { path: 'members', value: null },
      { path: 'members.value', value: null },
      { value: { members: null } },
    ]) {
      const { body } = await patch(path, { op: 'replace', ...replaced })
      expect(body).toMatchObject({ status: '400', scimType: 'invalidValue' })
    }
    expect(await rolesOf(accountId, ...users)).toEqual([[], [], ['staff']])
    await patch(path, { op: 'replace', path: 'members', value: [] })
    expect(await rolesOf(accountId, ...users)).toEqual([[], [], []])
    await patch(path, { op: 'replace', value: { members: [third] } })
    expect(await rolesOf(accountId, ...users)).toEqual([[], [], ['staff']])
    await ask('PUT', path, { displayName: 'staff', members: [] })
    expect(await rolesOf(accountId, ...users)).toEqual([[], [], []])
    const { Resources } = (await ask('GET', '/Groups?excludedAttributes=members')).body
    expect(Resources[0]).not.toHaveProperty('members')
    expect((await ask('GET', `${path}?attributes=members`)).body).toEqual({
      schemas: group.schemas,
      id: group.id,
      members: [],
    })
    expect(
      (
        await patch(`${path}?attributes=displayName`, {
          op: 'add',
          path: 'members',
          value: [first],
        })
      ).body,
    ).toMatchObject({ displayName: 'staff' })
  })

  test('is not written from a body of many different names', async () => {
    const { ask } = await world.provider()
    const named = (count: number) =>
      Object.fromEntries(Array.from({ length: count }, (_, index) => [`n${index}`, 0]))
    const { body: group } = await ask('POST', '/Groups', { displayName: 'one', x: named(2_400) })
    for (const [method, path] of [
      ['POST', '/Groups'],
      ['PUT', `/Groups/${group.id}`],
      ['PATCH', `/Groups/${group.id}`],
    ] as const) {
      const refused = await ask(method, path, { displayName: 'two', x: named(2_600) })
      expect(refused).toMatchObject({
        status: 400,
        body: { detail: expect.stringContaining('2500 different member names') },
      })
    }
  })
})
