import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { eitherDatabase, type OpenDatabase } from '../support/databases.ts'
import { byFilter, groupSchema, query, ScimWorld, userSchema } from './scim-world.ts'

const databases = eitherDatabase(import.meta.filename)

// The requests of Entra ID, as its documentation and its reference code have them.

const enterprise = 'urn:ietf:params:scim:schemas:extension:enterprise:2.0:User'
const newUser = {
  schemas: [userSchema, enterprise],
  externalId: '0a21f0f2-8d2a-4f8e-bf98-7363c4aed4ef',
  userName: 'Test_User_ab6490ee@contoso.com',
  active: true,
  emails: [{ primary: true, type: 'work', value: 'Test_User_fd0ea19b@contoso.com' }],
  meta: { resourceType: 'User' },
  name: { formatted: 'givenName familyName', familyName: 'familyName', givenName: 'givenName' },
  roles: [],
  [enterprise]: { department: 'Sales', manager: { value: '1' } },
}

describe.each(databases)('Entra ID, on $name', ({ open }) => {
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

  test('creates a user, and finds the user by each attribute that it matches by', async () => {
    const { ask, accountId } = await world.provider()
    const created = await ask('POST', '/Users', newUser)
    expect(created.status).toBe(201)
    expect(created.body).toMatchObject({
      userName: newUser.userName,
      emails: [{ value: 'test_user_fd0ea19b@contoso.com', type: 'work', primary: true }],
      displayName: 'givenName familyName',
    })
    for (const filter of [
      `userName eq "${newUser.userName}"`,
      `externalId eq "${newUser.externalId}"`,
      `emails[type eq "work"].value eq "${newUser.emails[0]?.value}"`,
      `emails[type eq "work" and primary eq true].value eq "test_user_fd0ea19b@contoso.com"`,
      `${userSchema}:userName Eq "${newUser.userName}" and active eq True`,
      `id eq "${created.body.id}" and active eq "True"`,
    ]) {
      const { status, body } = await ask('GET', byFilter('/Users', filter))
      expect([filter, status, body.totalResults]).toEqual([filter, 200, 1])
    }
    const random = byFilter('/Users', 'userName eq "non-existing-7c4"')
    expect((await ask('GET', `${random}&aadOptscim062020`)).body.Resources).toEqual([])
    expect(await world.clientele.scim.findNames(accountId, created.body.id)).toEqual({
      userName: newUser.userName,
      externalId: newUser.externalId,
      givenName: 'givenName',
      familyName: 'familyName',
    })
  })

  test('changes a user by paths, whatever is kept of them', async () => {
    const { ask, patch, events } = await world.provider()
    const { body: created } = await ask('POST', '/Users', newUser)
    const path = `/Users/${created.id}`
    const changed = await patch(
      path,
      { op: 'Replace', path: 'emails[type eq "work"].value', value: 'updated@contoso.com' },
      { op: 'Replace', path: 'name.familyName', value: 'updatedFamilyName' },
      { op: 'Add', path: 'phoneNumbers[type eq "mobile"].value', value: '+1 555' },
      { op: 'Add', path: `${enterprise}:department`, value: 'Marketing' },
      { op: 'Replace', path: 'title', value: 'tester' },
    )
    expect([changed.status, changed.body]).toMatchObject([
      200,
      {
        emails: [{ value: 'updated@contoso.com', type: 'work', primary: true }],
        name: { formatted: 'givenName updatedFamilyName', familyName: 'updatedFamilyName' },
        meta: { version: 'W/"2"' },
      },
    ])
    const named = await patch(path, {
      op: 'Replace',
      path: 'userName',
      value: '5b50642d@contoso.com',
    })
    expect(named.body).toMatchObject({
      userName: '5b50642d@contoso.com',
      emails: [{ value: 'updated@contoso.com' }],
    })
    const dotted = await patch(path, {
      op: 'replace',
      value: {
        'name.givenName': 'Grace',
        displayName: 'Grace Hopper',
        [`${userSchema}:externalId`]: 'e-2',
        'emails[type eq "work"].value': 'grace@contoso.com',
        [`${enterprise}:department`]: 'Navy',
      },
    })
    expect(dotted.body).toMatchObject({
      externalId: 'e-2',
      displayName: 'Grace Hopper',
      name: { formatted: 'Grace Hopper', givenName: 'Grace' },
      emails: [{ value: 'grace@contoso.com' }],
    })
    const off = await patch(path, { op: 'Replace', path: 'active', value: 'False' })
    expect([off.status, off.body.active]).toEqual([200, false])
    expect((await patch(path, { op: 'Add', path: 'active', value: 'true' })).body.active).toBe(true)
    const home = await patch(path, {
      op: 'Add',
      path: 'emails[type eq "home"].value',
      value: 'home@contoso.com',
    })
    expect(home.body.emails).toMatchObject([{ value: 'grace@contoso.com' }])
    expect(home.headers.get('etag')).toBe('W/"6"')
    const removed = await patch(path, { op: 'Remove', path: 'externalId' })
    expect(removed.body).not.toHaveProperty('externalId')
    expect(await events()).toEqual([
      ['user.created', 'api_key'],
      ['user.updated', 'api_key', ['email', 'name', 'familyName']],
      ['user.updated', 'api_key', ['userName']],
      ['user.updated', 'api_key', ['email', 'name', 'externalId', 'givenName']],
      ['user.deactivated', 'api_key'],
      ['user.activated', 'api_key'],
      ['user.updated', 'api_key', ['externalId']],
    ])
    expect((await ask('DELETE', path)).status).toBe(204)
    expect((await ask('GET', path)).status).toBe(404)
  })

  test('provisions a group: created empty, filled, emptied in both forms, renamed', async () => {
    const { ask, patch, add, accountId } = await world.provider()
    const created = await ask('POST', '/Groups', {
      schemas: [
        groupSchema,
        'http://schemas.microsoft.com/2006/11/ResourceManagement/ADSCIM/2.0/Group',
      ],
      externalId: '8aa1a0c0-c4c3-4bc0-b4a5-2ef676900159',
      displayName: 'displayName',
      meta: { resourceType: 'Group' },
    })
    expect(created.status).toBe(201)
    const { id } = created.body
    const path = `/Groups/${id}`
    const found = await ask(
      'GET',
      query('/Groups', { excludedAttributes: 'members', filter: 'displayName eq "DISPLAYNAME"' }),
    )
    expect(found.body).toMatchObject({ totalResults: 1, Resources: [{ id }] })
    expect(found.body.Resources[0]).not.toHaveProperty('members')
    const [ada, bob] = [await add(), await add()]
    const members = (...ids: string[]) => ids.map((value) => ({ $ref: null, value }))
    const value = members(ada.id, bob.id)
    expect((await patch(path, { op: 'Add', path: 'members', value })).status).toBe(204)
    const isMember = async (userId: string) => {
      const filter = `id eq "${id}" and members eq "${userId}"`
      return (await ask('GET', byFilter('/Groups', filter))).body.totalResults === 1
    }
    expect([await isMember(ada.id), await isMember(bob.id)]).toEqual([true, true])
    await patch(path, { op: 'Remove', path: 'members', value: members(ada.id) })
    expect([await isMember(ada.id), await isMember(bob.id)]).toEqual([false, true])
    await patch(path, { op: 'Remove', path: `members[value eq "${bob.id}"]` })
    expect(await isMember(bob.id)).toBe(false)
    await patch(path, { op: 'Add', value: { members: members(ada.id) } })
    await patch(path, { op: 'Replace', path: 'displayName', value: '1879db59-3bdf' })
    expect((await world.clientele.users.find(accountId, ada.id)).user.roles).toEqual([
      '1879db59-3bdf',
    ])
    const read = await ask('GET', query(path, { excludedAttributes: 'members' }))
    expect(read.body).toMatchObject({ displayName: '1879db59-3bdf', meta: { version: 'W/"2"' } })
    await patch(path, { op: 'Remove', path: 'members' })
    expect((await ask('GET', path)).body.members).toEqual([])
    expect((await ask('GET', `/Users/${ada.id}`)).body.groups).toEqual([])
    expect((await ask('DELETE', path)).status).toBe(204)
  })

  test('leaves no user name behind that a person typed as an address, once they are erased', async () => {
    const { ask, patch, add, accountId } = await world.provider()
    const { clientele } = world
    const names = ['upn@contoso.example', 'upn.new@contoso.example']
    const { id } = await add({
      userName: names[0],
      emails: [{ value: 'ada@contoso.example', primary: true }],
    })
    const renamed = await patch(`/Users/${id}`, {
      op: 'replace',
      path: 'userName',
      value: names[1],
    })
    expect(renamed.status).toBe(200)
    for (const email of names) {
      await expect(clientele.auth.logIn(accountId, { email, password: 'wrong' })).rejects.toThrow()
      await clientele.auth.forgotPassword(accountId, { email })
    }
    const left = async () => {
      const { data } = await clientele.events.read(accountId, { limit: 1000 })
      return names.filter((name) => JSON.stringify(data).includes(name))
    }
    await expect.poll(left).toEqual(names)
    const { formerEmails } = await clientele.users.exportData(accountId, id)
    expect(formerEmails.toSorted()).toEqual(names.toSorted())
    await clientele.users.erase(accountId, id)
    expect(await left()).toEqual([])
    expect((await ask('GET', `/Users/${id}`)).status).toBe(404)
  })
})
