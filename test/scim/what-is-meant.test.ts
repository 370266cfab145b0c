import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { eitherDatabase, type OpenDatabase } from '../support/databases.ts'
import { byFilter, ScimWorld } from './scim-world.ts'

const databases = eitherDatabase(import.meta.filename)

describe.each(databases)('a request of SCIM, on $name', ({ open }) => {
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

  test('finds a user in either spelling of the domain, whichever of them was given', async () => {
    const { ask, accountId } = await world.provider()
    const password = 'secret password'
    const registered = { name: 'Ada', email: 'ada@münchen.de', password }
    const { user } = await world.clientele.users.create(accountId, registered)
    const { status, body } = await ask('POST', '/Users', {
      userName: 'Grace@XN--mnchen-3ya.de',
      displayName: 'Grace',
    })
    expect([status, body.emails[0].value]).toEqual([201, 'grace@münchen.de'])
    const found = async (filter: string): Promise<string[]> => {
      const answer = await ask('GET', byFilter('/Users', filter))
      return answer.body.Resources.map(({ id }: { id: string }) => id)
    }
    for (const domain of ['münchen.de', 'xn--mnchen-3ya.de', 'XN--MNCHEN-3YA.de'])
      for (const attribute of ['userName', 'emails', 'emails.value']) {
        expect(await found(`${attribute} eq "ada@${domain}"`)).toEqual([user.id])
        expect(await found(`${attribute} eq "grace@${domain}"`)).toEqual([body.id])
        expect(await found(`${attribute} ne "grace@${domain}"`)).toEqual([user.id])
      }
  })

  test('finds by the beginning of an address that has a sigma at the end of a word', async () => {
    const { ask, accountId } = await world.provider()
    const password = 'secret password'
    for (const email of ['aσας@example.com', 'ςa@example.com'])
      await world.clientele.users.create(accountId, { name: 'Ada', email, password })
    const count = async (filter: string) =>
      (await ask('GET', byFilter('/Users', filter))).body.totalResults
    for (const attribute of ['userName', 'emails', 'emails.value']) {
      expect(await count(`${attribute} sw "aσας"`)).toBe(1)
      expect(await count(`${attribute} sw "AΣΑΣ@ex"`)).toBe(1)
      expect(await count(`${attribute} sw "Σ"`)).toBe(1)
      expect(await count(`${attribute} sw "σασ"`)).toBe(0)
    }
  })

  test('leaves out blanks around the name of a group, in a filter and where it is written', async () => {
    const { ask } = await world.provider()
    const { body } = await ask('POST', '/Groups', { displayName: ' Readers ' })
    expect(body.displayName).toBe('Readers')
    for (const name of ['Readers', ' readers', 'READERS '])
      for (const filter of [`displayName eq "${name}"`, `not (displayName ne "${name}")`]) {
        const found = await ask('GET', byFilter('/Groups', filter))
        expect(found.body.totalResults, filter).toBe(1)
      }
  })

  test('finds the one who has a user name, not another whose address is its other spelling', async () => {
    const { ask, accountId } = await world.provider()
    const userName = 'v@xn--bcher-kva.example'
    const emails = [{ value: 'v2@example.com' }]
    const { body } = await ask('POST', '/Users', { userName, displayName: 'Ada', emails })
    const stranger = { name: 'Eve', email: 'v@bücher.example', password: 'secret password' }
    await world.clientele.users.create(accountId, stranger)
    for (const name of [userName, 'v@bücher.example']) {
      const found = await ask('GET', byFilter('/Users', `userName eq "${name}"`))
      expect(found.body.Resources.map(({ id }: { id: string }) => id)).toEqual([body.id])
      const again = { userName: name, displayName: 'Eve', emails: [{ value: 'v3@example.com' }] }
      expect((await ask('POST', '/Users', again)).status).toBe(409)
    }
    // The names and beginnings of texts are compared as they are stored.
    const called = {
      name: 'v@xn--bcher-kva.example',
      email: 'v4@example.com',
      password: 'password',
    }
    const { user } = await world.clientele.users.create(accountId, called)
    for (const [filter, id] of [
      ['userName sw "v@xn--bch"', body.id],
      [`userName sw "${userName}"`, body.id],
      [`displayName eq "${called.name}"`, user.id],
      [`displayName sw "${called.name}"`, user.id],
    ]) {
      const { Resources } = (await ask('GET', byFilter('/Users', `${filter}`))).body
      expect(Resources.map((each: { id: string }) => each.id)).toEqual([id])
    }
  })

  test('finds by other attributes whom it does not find by a user name that another has', async () => {
    const { ask, add, accountId } = await world.provider()
    const userName = 'x@corp.example'
    const named = await add({ userName, emails: [{ value: 'bob@example.com', primary: true }] })
    const registered = { name: 'Ada Own', email: userName, password: 'secret password' }
    const { user } = await world.clientele.users.create(accountId, registered)
    const both = [named.id, user.id].sort()
    const filters: [string, string[]][] = [
      [`userName eq "${userName}"`, [named.id]],
      [`not (not (userName eq "${userName}"))`, [named.id]],
      [`displayName sw "Ada" and userName ne "${userName}"`, [user.id]],
      [`emails eq "${userName}"`, [user.id]],
      [`emails eq "${userName}" or userName eq "${userName}"`, both],
      [`displayName sw "Ada" or userName eq "${userName}"`, both],
      [`id eq "${user.id}" or id eq "${named.id}"`, both],
      [`userName sw "${userName}"`, both],
    ]
    for (const [filter, ids] of filters) {
      const { body } = await ask('GET', byFilter('/Users', filter))
      const found = body.Resources.map(({ id }: { id: string }) => id).sort()
      expect([filter, found]).toEqual([filter, ids])
    }
  })

  test('finds a user by texts with blanks around them, which are stored without', async () => {
    const { ask } = await world.provider()
    const given = { userName: ' Pad.User ', displayName: 'Ada King ' }
    const emails = [{ value: ' pad@example.com ' }]
    const { status, body } = await ask('POST', '/Users', { ...given, emails })
    expect([status, body.userName]).toEqual([201, 'Pad.User'])
    const filters = [
      'userName eq " Pad.User "',
      'displayName eq "Ada King "',
      'emails.value eq " pad@example.com "',
      'not (userName ne " pad.user ")',
    ]
    for (const filter of filters)
      expect((await ask('GET', byFilter('/Users', filter))).body.totalResults).toBe(1)
  })

  test('sorts by id, also where users were created elsewhere, earlier', async () => {
    const { ask, accountId, add } = await world.provider()
    await add()
    const long = { name: 'Long ago', email: 'old@example.com', createdAt: '2001-01-01T00:00:00Z' }
    await world.clientele.users.import(accountId, [{ line: 1, value: long }])
    const ids = async (path: string): Promise<string[]> => {
      const { body } = await ask('GET', path)
      return body.Resources.map(({ id }: { id: string }) => id)
    }
    const sorted = (await ids('/Users')).sort()
    expect(await ids('/Users?sortBy=id')).toEqual(sorted)
    expect(await ids('/Users?sortBy=id&sortOrder=descending')).toEqual([...sorted].reverse())
    expect(await ids('/Users?sortBy=meta.created')).toEqual([...sorted].reverse())
  })

  test('that replaces a user without addresses changes the one that came from a user name in the other spelling', async () => {
    const { ask } = await world.provider()
    const { body } = await ask('POST', '/Users', {
      userName: 'ada@xn--mnchen-3ya.de',
      displayName: 'Ada',
    })
    const userName = 'ada.lovelace@xn--mnchen-3ya.de'
    const { body: changed } = await ask('PUT', `/Users/${body.id}`, { userName })
    expect([changed.userName, changed.emails[0].value]).toEqual([
      userName,
      'ada.lovelace@münchen.de',
    ])
  })

  test('whose path selects no address, and names no type, changes nothing', async () => {
    const { ask, patch, add } = await world.provider()
    const ada = await add()
    for (const filter of ['value eq "x@example.com"', 'not (type eq "work")', 'type ne "work"'])
      for (const part of ['', '.value', '.primary', '.type']) {
        const path = `emails[${filter}]${part}`
        const value = part === '.primary' ? true : 'new@example.com'
        const answer = await patch(`/Users/${ada.id}`, { op: 'replace', path, value })
        expect([answer.status, answer.body.scimType]).toEqual([400, 'noTarget'])
      }
    expect((await ask('GET', `/Users/${ada.id}`)).body).toEqual(ada)
    const selected = `emails[value eq "${ada.userName}"].value`
    const changed = { op: 'replace', path: selected, value: 'new@example.com' }
    expect((await patch(`/Users/${ada.id}`, changed)).body.emails[0].value).toBe('new@example.com')
  })

  test('that gives a member one role too many says that it is the number of groups, and changes nothing', async () => {
    const { ask, patch, add, accountId } = await world.provider()
    const [ada, bob] = [await add(), await add()]
    const roles = Array.from({ length: 50 }, (_, index) => `role ${index}`)
    const full = { name: 'Full', email: 'full@example.com', password: 'secret password', roles }
    const { user } = await world.clientele.users.create(accountId, full)
    const members = [{ value: ada.id }, { value: user.id }]
    const refused = [400, 'invalidValue', 'groups of a member must have at most 50 items']
    const { status, body } = await ask('POST', '/Groups', { displayName: 'staff', members })
    expect([status, body.scimType, body.detail]).toEqual(refused)
    expect((await ask('GET', '/Groups')).body.totalResults).toBe(0)
    const made = { displayName: 'crew', members: [{ value: bob.id }] }
    const path = `/Groups/${(await ask('POST', '/Groups', made)).body.id}`
    const renamed = await patch(
      path,
      { op: 'replace', path: 'displayName', value: 'staff' },
      { op: 'remove', path: `members[value eq "${bob.id}"]` },
      { op: 'add', path: 'members', value: members },
    )
    expect([renamed.status, renamed.body.scimType, renamed.body.detail]).toEqual(refused)
    expect((await ask('GET', path)).body).toMatchObject({
      displayName: 'crew',
      members: [{ value: bob.id }],
    })
    const { user: untouched } = await world.clientele.users.find(accountId, ada.id)
    expect(untouched.roles).toEqual([])
  })

  test('that names a member whose user name another user has is refused, and changes nothing', async () => {
    const { ask, add, accountId } = await world.provider()
    const ada = await add()
    const emails = [{ value: 'alias@example.com' }]
    await add({ userName: 'late@example.com', emails })
    const late = { name: 'Late', email: 'late@example.com', password: 'secret password' }
    const { user } = await world.clientele.users.create(accountId, late)
    const members = [{ value: ada.id }, { value: user.id }]
    const { status, body } = await ask('POST', '/Groups', { displayName: 'staff', members })
    expect([status, body.scimType]).toEqual([409, 'uniqueness'])
    expect((await ask('GET', '/Groups')).body.totalResults).toBe(0)
    expect((await world.clientele.users.find(accountId, ada.id)).user.roles).toEqual([])
  })

  test('whose given and family name have one character together names the user as a POST does, and deactivates', async () => {
    const { ask, patch, add } = await world.provider()
    const full = { givenName: 'Ada', familyName: '李' }
    const short = { name: { familyName: '李' } }
    const created = await ask('POST', '/Users', { userName: 'li@example.com', ...short })
    expect(created.body.displayName).toBe('li')
    const named = await patch(`/Users/${created.body.id}`, { op: 'add', value: { name: full } })
    expect(named.body.displayName).toBe('Ada 李')
    const removal = { op: 'remove', path: 'name.givenName' }
    const deactivation = { op: 'replace', path: 'active', value: false }
    const ways = [
      (path: string) => patch(path, removal, deactivation),
      (path: string, userName: string) =>
        ask('PUT', path, { userName, ...short, emails: [{ value: userName }], active: false }),
    ]
    for (const [index, change] of ways.entries()) {
      const userName = `ada${index}@example.com`
      const { id } = await add({ userName, displayName: undefined, name: full })
      const path = `/Users/${id}`
      const { status, body } = await change(path, userName)
      expect([status, body.displayName, body.active]).toEqual([200, `ada${index}`, false])
      // It goes on to follow its parts.
      const again = await patch(path, { op: 'add', path: 'name.givenName', value: 'Ada' })
      expect(again.body.displayName).toBe('Ada 李')
    }
  })
})
