import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { eitherDatabase } from '../support/databases.ts'
import { bcryptOfPassword, ImportWorld, user } from './import-world.ts'

const databases = eitherDatabase(import.meta.filename)

// Each command is a process, and a busy machine starts them slowly.
vi.setConfig({ testTimeout: 60_000 })

describe.each(databases)('the events of an import on $name', (target) => {
  let world: ImportWorld
  beforeAll(async () => {
    world = await ImportWorld.open(target)
  })
  afterAll(() => world.close())
  const eventsOf = async (accountId: string) =>
    (await world.clientele.events.read(accountId, { limit: 1_000 })).data

  test('are one per batch, or one per user if the caller wants that', async () => {
    const lines = Array.from({ length: 30 }, (_, number) => user(number, { roles: ['a'] }))
    const batched = await world.newAccount()
    await world.import(batched, lines)
    expect(await eventsOf(batched)).toMatchObject([{ type: 'users.imported', data: { count: 30 } }])
    const each = await world.newAccount()
    const heard: string[] = []
    const stop = world.clientele.events.on('user.created', (event) => heard.push(event.user.email))
    await world.import(each, lines, { events: true })
    stop()
    const events = await eventsOf(each)
    const emails = lines.map(({ email }) => email)
    expect(events.map(({ type }) => type)).toEqual(lines.map(() => 'user.created'))
    expect(events.map(({ data }) => data.user?.email)).toEqual(emails)
    expect(heard).toEqual(emails)
    const { data } = await world.clientele.users.list(each, { limit: 100 })
    expect(events.map((event) => event.data.user)).toEqual(data)
    expect(new Set(events.map(({ requestId }) => requestId)).size).toBe(1)
  })

  test('name the changes of existing users; a record without changes has no event', async () => {
    const accountId = await world.newAccount()
    await world.import(accountId, [user(1), user(2), user(3), user(4)])
    const { nextCursor } = await world.clientele.events.read(accountId)
    const changes = [
      user(1, { name: 'Another', metadata: { a: 1 } }),
      user(2),
      user(3, { is_active: false }),
      user(4, { password_hash: bcryptOfPassword }),
      user(5),
    ]
    const result = await world.import(accountId, changes, { events: true, onConflict: 'update' })
    expect(result).toMatchObject({ imported: 1, updated: 4 })
    const { data } = await world.clientele.events.read(accountId, { after: nextCursor })
    expect(data).toMatchObject([
      {
        type: 'user.updated',
        data: { user: { name: 'Another' }, changed: expect.arrayContaining(['name', 'metadata']) },
      },
      { type: 'user.deactivated', data: { user: { isActive: false } } },
      { type: 'user.updated', data: { changed: ['password'] } },
      { type: 'user.created', data: { user: { name: 'User 5' } } },
    ])
    expect(data[0]?.data.changed).toHaveLength(2)
  })

  test('say of each existing user what changed, also where new ones are counted', async () => {
    const accountId = await world.newAccount()
    await world.import(accountId, [user(1), user(2), user(3)])
    const { nextCursor } = await world.clientele.events.read(accountId)
    const changes = [user(1, { roles: ['admin'] }), user(2), user(4)]
    await world.import(accountId, changes, { onConflict: 'update' })
    const { data } = await world.clientele.events.read(accountId, { after: nextCursor })
    expect(data).toMatchObject([
      { type: 'users.imported' },
      { type: 'user.updated', data: { user: { roles: ['admin'] }, changed: ['roles'] } },
    ])
  })

  test('say that an address was verified or not, and each of two changes of one user that end different things', async () => {
    const accountId = await world.newAccount()
    await world.import(accountId, [user(1), user(2)])
    const { nextCursor } = await world.clientele.events.read(accountId)
    const changes = [
      user(1, { email_verified: true }),
      user(2, { is_active: false }),
      user(2, { is_active: true }),
    ]
    expect(await world.import(accountId, changes, { onConflict: 'update' })).toMatchObject({
      updated: 3,
    })
    const { data } = await world.clientele.events.read(accountId, { after: nextCursor })
    const told = data.map(({ type, data: { changed } }) => [type, changed])
    expect(told.filter(([type]) => type !== 'users.imported')).toEqual([
      ['user.updated', ['emailVerified']],
      ['user.deactivated', undefined],
      ['user.activated', undefined],
    ])
    const { data: revoked } = await world.clientele.revocations.read(accountId)
    expect(revoked[0]).toMatchObject({ type: 'user', ownTokensNotBefore: expect.any(Date) })
  })

  test('do not include users that are not imported', async () => {
    const accountId = await world.newAccount()
    const lines = [user(1), user(1), { name: 'x' }]
    await world.import(accountId, lines, { events: true, onError: 'skip' })
    expect((await eventsOf(accountId)).map(({ type }) => type)).toEqual(['user.created'])
  })

  test('the option of the command line is --events', async () => {
    const accountId = await world.newAccount()
    const file = await world.write([user(1), user(2)])
    expect(await world.importJson(accountId, file, '--events')).toMatchObject({ imported: 2 })
    expect((await eventsOf(accountId)).map(({ type }) => type)).toEqual([
      'user.created',
      'user.created',
    ])
  })
})
