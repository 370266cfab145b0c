import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { eitherDatabase, type OpenDatabase } from '../support/databases.ts'
import { toSignedIn } from '../support/to-signed-in.ts'
import { byFilter, errorSchema, listSchema, query, ScimWorld, userSchema } from './scim-world.ts'

const databases = eitherDatabase(import.meta.filename)

// The requests of Okta's SCIM client, as its reference and its test suite for Runscope have them.

const newUser = {
  schemas: [userSchema],
  userName: 'test.user@okta.local',
  name: { givenName: 'Test', familyName: 'User' },
  emails: [{ primary: true, value: 'test.user@okta.local', type: 'work' }],
  displayName: 'Test User',
  locale: 'en-US',
  externalId: '00ujl29u0le5T6Aj10h7',
  groups: [],
  password: '1mz050nq',
  active: true,
}
const byName = (name: string) =>
  query('/Users', { filter: `userName eq "${name}"`, startIndex: 1, count: 100 })

describe.each(databases)('Okta, on $name', ({ open }) => {
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

  test('creates a user whom it has not found, and finds the user again', async () => {
    const { ask } = await world.provider()
    const absent = await ask('GET', byName(newUser.userName))
    expect([absent.status, absent.body]).toEqual([
      200,
      { schemas: [listSchema], totalResults: 0, startIndex: 1, itemsPerPage: 0, Resources: [] },
    ])
    const { status, headers, body } = await ask('POST', '/Users', newUser)
    expect(status).toBe(201)
    expect(headers.get('content-type')).toBe('application/scim+json')
    expect(headers.get('location')).toBe(`/api/v1/scim/v2/Users/${body.id}`)
    expect(headers.get('etag')).toBe('W/"1"')
    expect(body).toEqual({
      schemas: [userSchema],
      id: expect.stringMatching(/^[\da-f-]{36}$/),
      externalId: newUser.externalId,
      userName: newUser.userName,
      name: { formatted: 'Test User', givenName: 'Test', familyName: 'User' },
      displayName: 'Test User',
      emails: [{ value: newUser.userName, type: 'work', primary: true }],
      active: true,
      groups: [],
      meta: {
        resourceType: 'User',
        created: expect.stringMatching(/^\d{4}-.*Z$/),
        lastModified: body.meta.created,
        location: `/api/v1/scim/v2/Users/${body.id}`,
        version: 'W/"1"',
      },
    })
    const found = await ask('GET', byName('TEST.user@OKTA.local'))
    expect(found.body.Resources).toEqual([body])
    const again = await ask('POST', '/Users', newUser)
    expect([again.status, again.body]).toEqual([
      409,
      {
        schemas: [errorSchema],
        status: '409',
        scimType: 'uniqueness',
        detail: 'Another user of this account has this e-mail address.',
      },
    ])
    const other = { ...newUser, emails: [{ value: 'other@okta.local', primary: true }] }
    const taken = await ask('POST', '/Users', other)
    expect([taken.status, taken.body.scimType, taken.body.detail]).toEqual([
      409,
      'uniqueness',
      'Another user of this account has this user name.',
    ])
  })

  test('replaces a user, deactivates by PATCH or PUT, and activates again', async () => {
    const { ask, patch, accountId, events } = await world.provider()
    const { body: created } = await ask('POST', '/Users', newUser)
    const path = `/Users/${created.id}`
    const { auth } = world.clientele
    const credentials = { email: newUser.userName, password: newUser.password }
    const { token } = toSignedIn(await auth.logIn(accountId, credentials))
    const { externalId: _, password: __, ...sent } = newUser
    const { body: replaced } = await ask('PUT', path, {
      ...sent,
      id: created.id,
      name: { givenName: 'Another', middleName: 'Excited', familyName: 'User' },
      displayName: 'Another User',
      meta: { resourceType: 'User' },
    })
    expect(replaced).toMatchObject({
      externalId: newUser.externalId,
      name: { formatted: 'Another User', givenName: 'Another', familyName: 'User' },
      meta: { version: 'W/"2"' },
    })
    await auth.validateToken(accountId, token)
    const off = await patch(path, { op: 'replace', value: { active: false } })
    expect([off.status, off.body.active]).toEqual([200, false])
    await expect(auth.validateToken(accountId, token)).rejects.toMatchObject({
      code: 'token_user_inactive',
    })
    await expect(auth.logIn(accountId, credentials)).rejects.toMatchObject({
      code: 'credentials_invalid',
    })
    expect((await ask('PUT', path, { ...sent, active: true })).body.active).toBe(true)
    await expect(auth.validateToken(accountId, token)).rejects.toMatchObject({
      code: 'token_revoked',
    })
    await patch(path, { op: 'replace', value: { password: 'another one' } })
    await auth.logIn(accountId, { ...credentials, password: 'another one' })
    expect((await events()).filter(([type]) => !/logged|failed/.test(String(type)))).toEqual([
      ['user.created', 'api_key'],
      ['user.updated', 'api_key', ['name', 'givenName']],
      ['user.deactivated', 'api_key'],
      ['user.updated', 'api_key', ['name', 'givenName', 'isActive']],
      ['user.updated', 'api_key', ['password']],
    ])
  })

  test("passes Okta's own suite", async () => {
    const { ask, add } = await world.provider()
    await world.clientele.users.create((await world.provider()).accountId, {
      name: 'Elsewhere',
      email: 'elsewhere@example.com',
      password: 'password',
    })
    await add({ displayName: 'Ada' })
    const first = (await ask('GET', '/Users?count=1&startIndex=1')).body
    expect(first).toMatchObject({ schemas: [listSchema], itemsPerPage: 1, startIndex: 1 })
    const [user] = first.Resources
    expect(first.totalResults).toBe(1)
    expect(user).toMatchObject({
      name: { givenName: 'Ada' },
      emails: [{ value: expect.stringContaining('@') }],
      active: true,
    })
    expect((await ask('GET', `/Users/${user.id}`)).body).toEqual(user)
    for (const id of ['010101001010101011001010101011', '00919288221112222']) {
      const { status, body } = await ask('GET', `/Users/${id}`)
      expect([status, body.status, body.schemas]).toEqual([404, '404', [errorSchema]])
      expect(body.detail).toBe('No such user.')
    }
    const random = {
      schemas: [userSchema],
      userName: 'RandomName',
      name: { givenName: 'Runscope', familyName: 'Tester' },
      emails: [{ primary: true, value: 'random@example.com', type: 'work' }],
      displayName: 'Runscope Tester',
      active: true,
    }
    const created = await ask('POST', '/Users', random, { 'content-type': 'application/json' })
    expect([created.status, created.body.userName]).toEqual([201, 'RandomName'])
    expect((await ask('POST', '/Users', random)).status).toBe(409)
    const caps = await ask('GET', byFilter('/Users', 'userName eq "RANDOMNAME"'))
    expect(caps.body.totalResults).toBe(1)
    expect((await ask('GET', '/Groups')).body).toMatchObject({ totalResults: 0, Resources: [] })
    const refused = await ask('GET', '/Users', undefined, { authorization: 'non-token' })
    expect([refused.status, refused.body.status, refused.body.schemas]).toEqual([
      401,
      '401',
      [errorSchema],
    ])
    expect(refused.headers.get('www-authenticate')).toBe('Bearer')
  })

  test('pushes a group and its members', async () => {
    const { ask, patch, add, accountId } = await world.provider()
    const [ada, bob] = [await add(), await add()]
    const created = await ask('POST', '/Groups', {
      schemas: ['urn:ietf:params:scim:schemas:core:2.0:Group'],
      displayName: 'Test SCIMv2',
      members: [],
    })
    expect([created.status, created.body.members]).toEqual([201, []])
    const path = `/Groups/${created.body.id}`
    const added = await patch(path, {
      op: 'add',
      path: 'members',
      value: [{ value: ada.id, display: 'test.user@okta.local' }],
    })
    expect([added.status, added.body]).toEqual([204, undefined])
    await patch(
      path,
      { op: 'remove', path: `members[value eq "${ada.id}"]` },
      { op: 'add', path: 'members', value: [{ value: bob.id, display: 'x' }] },
    )
    expect((await ask('GET', path)).body.members).toEqual([
      {
        value: bob.id,
        display: 'Ada Lovelace',
        $ref: `/api/v1/scim/v2/Users/${bob.id}`,
        type: 'User',
      },
    ])
    const renamed = { id: created.body.id, displayName: 'Renamed' }
    await patch(path, { op: 'replace', value: renamed })
    const { user } = await world.clientele.users.find(accountId, bob.id)
    expect(user.roles).toEqual(['Renamed'])
    const replaced = await ask('PUT', path, { ...renamed, members: [{ value: ada.id }] })
    expect([replaced.status, replaced.body.members.length]).toEqual([200, 1])
    expect((await ask('DELETE', path)).status).toBe(204)
    expect((await world.clientele.users.find(accountId, ada.id)).user.roles).toEqual([])
    expect((await ask('GET', path)).status).toBe(404)
  })
})
