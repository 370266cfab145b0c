import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { eitherDatabase, type OpenDatabase } from '../support/databases.ts'
import {
  byFilter,
  errorSchema,
  groupSchema,
  type Provider,
  query,
  ScimWorld,
  userSchema,
} from './scim-world.ts'

const databases = eitherDatabase(import.meta.filename)

describe.each(databases)('the protocol of SCIM, on $name', ({ open }) => {
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

  const refusal = async (
    { ask }: Provider,
    method: string,
    path: string,
    json?: unknown,
    headers?: object,
  ) => {
    const { status, body, headers: fields } = await ask(method, path, json, headers)
    expect([body.schemas, body.status]).toEqual([[errorSchema], String(status)])
    expect(fields.get('content-type')).toBe('application/scim+json')
    return [status, ...(body.scimType === undefined ? [] : [body.scimType]), body.detail]
  }

  test('describes itself, and says what it does not offer', async () => {
    const provider = await world.provider()
    const { ask } = provider
    const { body: config } = await ask('GET', '/ServiceProviderConfig')
    expect(config).toMatchObject({
      schemas: ['urn:ietf:params:scim:schemas:core:2.0:ServiceProviderConfig'],
      patch: { supported: true },
      bulk: { supported: false },
      filter: { supported: true, maxResults: 100 },
      sort: { supported: true },
      etag: { supported: true },
      authenticationSchemes: [{ type: 'oauthbearertoken' }],
    })
    const { body: types } = await ask('GET', '/ResourceTypes')
    expect(types.Resources.map(({ endpoint }: { endpoint: string }) => endpoint)).toEqual([
      '/Users',
      '/Groups',
    ])
    for (const resource of types.Resources) {
      expect((await ask('GET', `/ResourceTypes/${resource.id}`)).body).toEqual(resource)
      const { body: schema } = await ask('GET', `/Schemas/${resource.schema}`)
      expect([schema.id, schema.attributes.length > 2]).toEqual([resource.schema, true])
    }
    expect((await ask('GET', '/Schemas')).body.totalResults).toBe(2)
    expect(await refusal(provider, 'POST', '/Bulk', {})).toEqual([
      501,
      'Bulk operations are not offered: send one request for each.',
    ])
    expect((await refusal(provider, 'GET', '/Me'))[0]).toBe(501)
    expect(await refusal(provider, 'GET', '/Nothing')).toEqual([404, 'No such route.'])
    expect((await refusal(provider, 'DELETE', '/Users'))[0]).toBe(405)
    expect((await refusal(provider, 'GET', '/Schemas/x'))[0]).toBe(404)
  })

  test('takes only keys with the scope, and no key has it unless it is named', async () => {
    const provider = await world.provider()
    const { apiKeys } = world.clientele
    const { apiKey } = await apiKeys.create(provider.accountId)
    const [key] = await apiKeys.list(provider.accountId)
    expect([key?.scopes.includes('scim'), key?.scopes]).toEqual([true, ['scim']])
    const headers = { authorization: `Bearer ${apiKey}` }
    expect(await refusal(provider, 'GET', '/Users', undefined, headers)).toEqual([
      403,
      'The API key lacks the scope scim, which this operation needs.',
    ])
    const none = { authorization: '' }
    expect((await refusal(provider, 'GET', '/Users', undefined, none))[0]).toBe(401)
  })

  test('refuses what is not valid, and changes nothing', async () => {
    const provider = await world.provider()
    const user = await provider.add()
    const path = `/Users/${user.id}`
    const operations = (...Operations: unknown[]) => ({ Operations })
    const { body: crew } = await provider.ask('POST', '/Groups', { displayName: 'crew' })
    const group = `/Groups/${crew.id}`
    const cases: [string, string, unknown, unknown[]][] = [
      ['POST', '/Users', '{', [400, 'invalidSyntax', 'The body is not valid JSON in UTF-8.']],
      [
        'POST',
        '/Users',
        {},
        [
          400,
          'invalidValue',
          'userName is missing, too long, or has characters that are not allowed.',
        ],
      ],
      [
        'POST',
        '/Users',
        { userName: 'ada' },
        [400, 'invalidValue', 'emails: an address is needed, unless userName is one.'],
      ],
      [
        'POST',
        '/Users',
        { userName: 'a@example.com', active: 'perhaps' },
        [400, 'invalidValue', 'active must be true or false.'],
      ],
      [
        'POST',
        '/Users',
        { userName: 'a@example.com', displayName: 'x'.repeat(51) },
        [400, 'invalidValue', 'displayName must have at most 50 characters'],
      ],
      [
        'POST',
        '/Users',
        { userName: 'a@example.com', emails: [{ value: 'nobody' }] },
        [400, 'invalidValue', 'emails must be an e-mail address'],
      ],
      ['PATCH', path, {}, [400, 'invalidValue', expect.stringContaining('Operations must be')]],
      [
        'PATCH',
        path,
        JSON.parse('{"__proto__":{}}'),
        [400, 'invalidValue', '__proto__ is not an allowed member name'],
      ],
      [
        'PATCH',
        path,
        operations({ op: 'move', path: 'active' }),
        [400, 'invalidValue', 'op must be add, replace or remove.'],
      ],
      ...[{ path: 'active', value: null }, { path: 'active' }, { value: { active: null } }].map(
        (set): [string, string, object, [number, string, unknown]] => [
          'PATCH',
          path,
          operations({ op: 'replace', ...set }),
          [400, 'invalidValue', 'active must be true or false.'],
        ],
      ),
      ...[
        { path: `${userSchema}.active`, value: false },
        { path: `${userSchema}/active`, value: false },
        { value: { [`${userSchema}.active`]: false } },
        ...['User.active', '$.active', 'user.userName', 'User active'].map((at) => ({
          path: at,
          value: false,
        })),
        { value: { 'User.active': false } },
        { value: { 'User/active': false } },
      ].map((set): [string, string, object, [number, string, unknown]] => [
        'PATCH',
        path,
        operations({ op: 'replace', ...set }),
        [400, 'invalidPath', 'A path of the PATCH is not valid.'],
      ]),
      [
        'PATCH',
        path,
        operations({ op: 'remove' }),
        [400, 'invalidPath', 'An operation remove needs a path.'],
      ],
      [
        'PATCH',
        path,
        operations(
          { op: 'replace', path: 'displayName', value: 'Somebody' },
          { op: 'replace', path: 'emails[', value: 1 },
        ),
        [400, 'invalidPath', 'A path of the PATCH is not valid.'],
      ],
      [
        'PATCH',
        group,
        operations({ op: 'replace', path: 'Group.members', value: [] }),
        [400, 'invalidPath', 'A path of the PATCH is not valid.'],
      ],
      [
        'PATCH',
        path,
        operations({ op: 'replace', path: 'userName', value: { a: 1 } }),
        [400, 'invalidValue', 'userName must be a text.'],
      ],
      [
        'POST',
        '/Groups',
        { displayName: '' },
        [400, 'invalidValue', expect.stringContaining('displayName must have 1 to 100')],
      ],
      [
        'POST',
        '/Groups',
        { displayName: 'a', members: [{ value: 'x' }] },
        [400, 'invalidValue', 'members: each value must be the id of a user.'],
      ],
      [
        'POST',
        '/Groups',
        { displayName: 'a', members: [{ value: '019dfae2-6a4d-7c3e-9b1f-2f4a5c6d7e8f' }] },
        [400, 'invalidValue', 'members: one of the values is the id of no user.'],
      ],
    ]
    for (const [method, at, json, answer] of cases)
      expect(await refusal(provider, method, at, json)).toEqual(answer)
    const type = { 'content-type': 'text/plain' }
    expect((await refusal(provider, 'POST', '/Users', {}, type))[0]).toBe(415)
    const large = { userName: 'x'.repeat(70_000) }
    expect((await refusal(provider, 'POST', '/Users', large))[0]).toBe(413)
    expect((await provider.ask('GET', path)).body).toEqual(user)
    expect((await provider.ask('GET', '/Groups')).body.totalResults).toBe(1)
  })

  test('bounds filters, and refuses what it does not know', async () => {
    const provider = await world.provider()
    const filters = [
      'userName',
      'userName eq',
      'userName eq "a',
      'userName eq "a" and',
      'userName gt "a"',
      'title eq "a"',
      '(userName eq "a"',
      'userName eq "a") or (userName eq "b"',
      'emails[type eq "work"',
      'userName eq "a\\u0000"',
      'userName eq "a" \n and active eq true',
      `${'('.repeat(20)}userName eq "a"${')'.repeat(20)}`,
      Array.from({ length: 60 }, () => 'userName eq "a"').join(' or '),
      `userName eq "${'a'.repeat(2_000)}"`,
      `userName eq "${'\\\\'.repeat(900)}`,
    ]
    for (const filter of filters) {
      const [status, type] = await refusal(provider, 'GET', byFilter('/Users', filter))
      expect([filter.slice(0, 40), status, type]).toEqual([
        filter.slice(0, 40),
        400,
        'invalidFilter',
      ])
    }
    const { id } = await provider.add()
    const { body } = await provider.ask('POST', '/Groups', {
      displayName: 'staff',
      members: [{ value: id }],
    })
    // Whose members or groups are not known would look like nobody's.
    for (const [path, name, known] of [
      ['/Users', 'groups', body.id],
      ['/Groups', 'members', id],
    ])
      for (const attribute of [name, `${name}.value`]) {
        for (const rest of ['pr', 'eq null', 'ne null', 'eq 1', `sw "${known.slice(0, 8)}"`]) {
          const refused = await refusal(provider, 'GET', byFilter(path, `${attribute} ${rest}`))
          expect([attribute, rest, ...refused.slice(0, 2)]).toEqual([
            attribute,
            rest,
            400,
            'invalidFilter',
          ])
        }
        for (const [operator, count] of [
          ['eq', 1],
          ['ne', 0],
        ]) {
          const filter = `${attribute} ${operator} "${known}"`
          const found = await provider.ask('GET', byFilter(path, filter))
          expect([filter, found.body.totalResults]).toEqual([filter, count])
        }
      }
    for (const parameters of [
      { startIndex: 'x' },
      { count: '1.5' },
      { sortBy: 'title' },
      { sortBy: 'groups' },
    ])
      expect((await refusal(provider, 'GET', query('/Users', parameters)))[1]).toBe('invalidValue')
  })

  test('filters, sorts and pages users', async () => {
    const { ask, add, accountId } = await world.provider()
    const names = ['Zoe Adams', 'Émile Zola', 'ada lovelace', 'Bob Young', 'Carl Xu']
    const users: { id: string; userName: string }[] = []
    for (const [index, displayName] of names.entries())
      users.push(
        await add({
          displayName,
          userName: `${displayName.slice(0, 1)}${index}`,
          externalId: `ID-${index}`,
          emails: [{ value: `u${index}@example.com`, primary: true }],
          active: index !== 1,
        }),
      )
    const { user } = await world.clientele.users.create(accountId, {
      name: 'Dora Own',
      email: 'dora@example.com',
      password: 'password',
    })
    const list = async (parameters: Record<string, string | number>) => {
      const { status, body } = await ask('GET', query('/Users', parameters))
      if (status !== 200) return body
      const { Resources } = body as { Resources: { displayName: string }[] }
      return [body.totalResults, ...Resources.map(({ displayName }) => displayName.slice(0, 1))]
    }
    const [z, e, a, b, c, d] = ['Z', 'É', 'a', 'B', 'C', 'D']
    const filters: [string, unknown[]][] = [
      ['userName eq "z0"', [1, z]],
      ['username EQ "Z0" or externalId eq "ID-4"', [2, z, c]],
      ['externalId eq "id-0"', [0]],
      ['externalId sw "ID-"', [5, z, e, a, b, c]],
      ['userName eq "DORA@example.com"', [1, d]],
      ['emails eq "u3@EXAMPLE.com"', [1, b]],
      ['emails.value sw "u"', [5, z, e, a, b, c]],
      ['emails co "u4@"', [1, c]],
      ['emails[type eq "work" and value co "u2"]', [1, a]],
      ['displayName sw "ém"', [1, e]],
      ['displayName co "LOVE"', [1, a]],
      ['name.familyName eq "Zola"', [1, e]],
      ['active eq false', [1, e]],
      ['active eq true and displayName co "o"', [4, z, a, b, d]],
      ['externalId pr', [5, z, e, a, b, c]],
      ['not (externalId pr)', [1, d]],
      ['externalId eq null', [1, d]],
      ['userName ne "z0" and (displayName ew "Xu" or displayName sw "Bob")', [2, b, c]],
      [`id eq "${user.id}"`, [1, d]],
      [`id sw "${user.id.slice(0, 35)}"`, [1, d]],
      ['userName eq 5', [0]],
      ['userName sw ""', [6, z, e, a, b, c, d]],
    ]
    for (const [filter, found] of filters)
      expect([filter, await list({ filter })]).toEqual([filter, found])
    expect(await list({ startIndex: 2, count: 3 })).toEqual([6, e, a, b])
    expect(await list({ startIndex: 0, count: 0 })).toEqual([6])
    expect(await list({ startIndex: 6, count: 3 })).toEqual([6, d])
    expect(await list({ startIndex: 60 })).toEqual([6])
    expect(await list({ count: -3 })).toEqual([6])
    expect(await list({ sortBy: 'displayName', count: 2 })).toEqual([6, a, b])
    expect(await list({ sortBy: 'userName', sortOrder: 'descending' })).toEqual([
      6,
      ...[e, z, d, c, b, a],
    ])
    expect(await list({ sortBy: 'emails', startIndex: 2, count: 2 })).toEqual([6, z, e])
    expect(await list({ filter: 'externalId pr', sortBy: 'name.familyName', count: 2 })).toEqual([
      5,
      z,
      a,
    ])
  })

  test('has an ETag for each version, and obeys If-Match and If-None-Match', async () => {
    const { ask, add, accountId } = await world.provider()
    const user = await add()
    const path = `/Users/${user.id}`
    const change = { Operations: [{ op: 'replace', path: 'externalId', value: 'e-1' }] }
    const match = (tag: string) => ({ 'if-match': tag })
    const changed = await ask('PATCH', path, change, match('W/"1"'))
    expect([changed.status, changed.headers.get('etag')]).toEqual([200, 'W/"2"'])
    for (const [method, json] of [['PATCH', change], ['PUT', user], ['DELETE']] as const) {
      const { status, body } = await ask(method, path, json, match('W/"1"'))
      expect([status, body.status]).toEqual([412, '412'])
    }
    const same = await ask('GET', path, undefined, { 'if-none-match': 'W/"2"' })
    expect([same.status, same.body]).toEqual([304, undefined])
    // The same version as everywhere
    expect((await world.clientele.users.find(accountId, user.id)).version).toBe(2)
    expect((await ask('PATCH', path, change)).headers.get('etag')).toBe('W/"2"')
    const { body: group } = await ask('POST', '/Groups', { displayName: 'staff' })
    const rename = { Operations: [{ op: 'replace', path: 'displayName', value: 'crew' }] }
    const at = `/Groups/${group.id}`
    expect((await ask('PATCH', at, rename, match('W/"1"'))).status).toBe(204)
    expect((await ask('PATCH', at, rename, match('W/"1"'))).status).toBe(412)
    expect((await ask('DELETE', at, undefined, match('W/"1"'))).status).toBe(412)
    expect((await ask('GET', at)).body.displayName).toBe('crew')
    expect((await ask('DELETE', at, undefined, match('W/"2"'))).status).toBe(204)
  })

  test('leaves out attributes that are not asked for', async () => {
    const { ask, add } = await world.provider()
    const { id } = await add()
    const read = async (parameters: Record<string, string>) =>
      (await ask('GET', query(`/Users/${id}`, parameters))).body
    expect(await read({ attributes: 'userName,NAME.givenName' })).toEqual({
      schemas: expect.anything(),
      id,
      userName: expect.anything(),
      name: { givenName: 'Ada' },
    })
    const left = await read({ excludedAttributes: 'id,emails,name.formatted,meta' })
    expect(Object.keys(left).toSorted()).toEqual(
      ['active', 'displayName', 'groups', 'id', 'name', 'schemas', 'userName'].toSorted(),
    )
    expect(left.name).toEqual({ givenName: 'Ada', familyName: 'Lovelace' })
  })

  test('the user name gives the address where none is sent, and follows it in a PUT', async () => {
    const { ask, patch } = await world.provider()
    const at = (name: string) => ({ userName: `${name}@example.com`, displayName: 'Ada' })
    const { body: user } = await ask('POST', '/Users', at('Ada'))
    const emailOf = ({ body }: { body: { emails: { value: string }[] } }) => body.emails[0]?.value
    expect(emailOf({ body: user })).toBe('ada@example.com')
    const path = `/Users/${user.id}`
    expect(emailOf(await ask('PUT', path, at('King')))).toBe('king@example.com')
    const renamed = await patch(path, { op: 'replace', path: 'userName', value: 'x@example.com' })
    expect([renamed.body.userName, emailOf(renamed)]).toEqual(['x@example.com', 'king@example.com'])
    expect(emailOf(await ask('PUT', path, at('other')))).toBe('king@example.com')
    const family = await patch(path, { op: 'add', path: 'name.familyName', value: 'King' })
    expect(family.body).toMatchObject({
      displayName: 'Ada King',
      name: { givenName: 'Ada', familyName: 'King' },
    })
  })

  test('one of two writers of a user name wins', async () => {
    const { ask, add } = await world.provider()
    const [first, second] = [await add(), await add()]
    const name = { Operations: [{ op: 'replace', path: 'userName', value: 'the-same' }] }
    const answers = await Promise.all(
      [first, second].map(({ id }) => ask('PATCH', `/Users/${id}`, name)),
    )
    expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 409])
    const created = await Promise.all(
      ['x@example.com', 'y@example.com'].map((value) =>
        ask('POST', '/Users', { userName: 'New', emails: [{ value }] }),
      ),
    )
    expect(created.map(({ status }) => status).toSorted()).toEqual([201, 409])
    expect((await ask('GET', '/Users')).body.totalResults).toBe(3)
  })

  test('leaves out what no attribute is called, and makes one address the primary one', async () => {
    const { add, patch } = await world.provider()
    const odd = {
      _id: 1,
      'employee number': 2,
      '1st': 3,
      'a.b.c': 4,
      'x.y': 5,
      'company.name': 6,
      'Full Name': 7,
    }
    const { id, userName } = await add({
      ...odd,
      emails: [{ type: 'work', value: 'bob@corp.example', primary: true }],
    })
    const path = `/Users/${id}`
    const emailAfter = async (...operations: object[]) => {
      const { status, body } = await patch(path, ...operations)
      expect(status).toBe(200)
      return body.emails[0].value
    }
    const home = 'emails[type eq "home"]'
    expect(
      await emailAfter(
        { op: 'add', path: `${home}.value`, value: 'bob@home.example' },
        { op: 'replace', path: `${home}.primary`, value: 'True' },
      ),
    ).toBe('bob@home.example')
    const whole = { type: 'other', value: userName, primary: true }
    expect(await emailAfter({ op: 'replace', path: 'emails[type eq "other"]', value: whole })).toBe(
      userName,
    )
    expect(await emailAfter({ op: 'add', value: { _id: 1 } })).toBe(userName)
  })

  test('takes attributes below the name of their schema: access that is taken away does not stay', async () => {
    const { ask, patch, add } = await world.provider()
    const { id } = await add()
    const members = [{ value: id }]
    const { body: group } = await ask('POST', '/Groups', { displayName: 'staff', members })
    const switchTo = async (...operations: object[]) =>
      (await patch(`/Users/${id}`, ...operations)).body.active
    expect(await switchTo({ op: 'replace', value: { [userSchema]: { active: false } } })).toBe(
      false,
    )
    const inPath = { op: 'replace', path: userSchema.toUpperCase(), value: { active: true } }
    expect(await switchTo(inPath)).toBe(true)
    await patch(`/Groups/${group.id}`, { op: 'replace', path: groupSchema, value: { members: [] } })
    const { body } = await ask('GET', `/Users/${id}`)
    expect([body.active, body.groups]).toEqual([true, []])
    const unnamed = { op: 'remove', path: userSchema }
    expect((await patch(`/Users/${id}`, unnamed)).body.scimType).toBe('invalidPath')
  })

  test('shows nothing of another account', async () => {
    const [mine, theirs] = [await world.provider(), await world.provider()]
    const user = await theirs.add({ externalId: 'theirs' })
    const { body: group } = await theirs.ask('POST', '/Groups', {
      displayName: 'staff',
      members: [{ value: user.id }],
    })
    const change = { Operations: [{ op: 'replace', path: 'externalId', value: 'mine' }] }
    for (const path of [`/Users/${user.id}`, `/Groups/${group.id}`]) {
      for (const [method, json] of [
        ['GET'],
        ['PUT', { userName: 'm@example.com', displayName: 'mine' }],
        ['PATCH', change],
        ['DELETE'],
      ] as const)
        expect([method, (await mine.ask(method, path, json)).status]).toEqual([method, 404])
      expect((await theirs.ask('GET', path)).status).toBe(200)
    }
    for (const filter of ['externalId eq "theirs"', `groups.value eq "${group.id}"`])
      expect((await mine.ask('GET', byFilter('/Users', filter))).body.totalResults).toBe(0)
    const filter = `members.value eq "${user.id}"`
    expect((await mine.ask('GET', byFilter('/Groups', filter))).body.totalResults).toBe(0)
    const named = await mine.ask('POST', '/Groups', { displayName: 'staff' })
    const at = `/Groups/${named.body.id}`
    const join = { Operations: [{ op: 'add', path: 'members', value: [{ value: user.id }] }] }
    expect((await mine.ask('PATCH', at, join)).status).toBe(400)
  })
})
