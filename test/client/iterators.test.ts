import { dataOf, ProblemError } from '@clientele/client'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { anyDatabase, type OpenDatabase } from '../support/databases.ts'
import { type ClientWorld, newPerson, openWorld } from './client-world.ts'

async function collect<T>(items: AsyncIterable<T>): Promise<T[]> {
  const list: T[] = []
  for await (const item of items) list.push(item)
  return list
}

describe.each(anyDatabase)('a client of a server on $name', ({ open }) => {
  let database: OpenDatabase
  let world: ClientWorld
  beforeAll(async () => {
    database = await open()
    world = await openWorld(database.url)
  })
  afterAll(async () => {
    await world.close()
    await database.close()
  })

  async function createWithUsers(count: number) {
    const { client, accountId } = await world.createClient()
    for (let index = 0; index < count; index++) {
      const roles = [index % 2 === 0 ? 'even' : 'odd']
      await world.clientele.users.create(accountId, { ...newPerson(`User ${index}`), roles })
    }
    return { client, accountId }
  }

  test('the iterator yields every user, page by page, with the given filters', async () => {
    const { client } = await createWithUsers(13)
    world.door.asked.length = 0
    const all = await collect(client.iterateUsers({ limit: 5 }))
    expect(all.map(({ name }) => name)).toEqual(all.map((_, index) => `User ${index}`))
    expect(all).toHaveLength(13)
    expect(world.door.asked).toHaveLength(3)
    expect(world.door.asked[0]).toBe('GET /api/v1/client/user?limit=5')
    for (const asked of world.door.asked.slice(1)) expect(asked).toMatch(/limit=5&cursor=/)

    const options = { role: 'odd', sort: '-created_at', limit: 4 } as const
    const odd = await collect(client.iterateUsers(options))
    expect(odd.map(({ name }) => name)).toEqual([11, 9, 7, 5, 3, 1].map((n) => `User ${n}`))

    world.door.asked.length = 0
    expect(await collect(client.iterateUsers())).toHaveLength(13)
    expect(world.door.asked).toEqual(['GET /api/v1/client/user?limit=100'])
    const fromSecond = await collect(client.iterateUsers({ page: 2, limit: 5 }))
    expect(fromSecond.map(({ name }) => name)).toEqual(all.slice(5).map(({ name }) => name))
  })

  test('users added during the iteration are included, and no user comes twice', async () => {
    const { client, accountId } = await createWithUsers(4)
    const names: string[] = []
    for await (const { id, name } of client.iterateUsers({ limit: 2 })) {
      names.push(name)
      if (names.length === 1) await world.clientele.users.delete(accountId, id)
      if (names.length === 2) await world.clientele.users.create(accountId, newPerson('Late'))
    }
    expect(names).toEqual(['User 0', 'User 1', 'User 2', 'User 3', 'Late'])
  })

  test('an error of a page is thrown after the users of earlier pages', async () => {
    const { client } = await createWithUsers(3)
    const names: string[] = []
    const read = async () => {
      for await (const { name } of client.iterateUsers({ limit: 2 })) {
        names.push(name)
        world.door.faults[0] = { status: 403 }
      }
    }
    await expect(read()).rejects.toMatchObject({
      name: 'ProblemError',
      problem: { code: 'unexpected_answer', status: 403 },
    })
    expect(names).toEqual(['User 0', 'User 1'])
    const wrong = client.iterateUsers({ cursor: 'x' }).next()
    await expect(wrong).rejects.toBeInstanceOf(ProblemError)
  })

  test('following the feed yields stored events, then new ones', async () => {
    const { client, accountId } = await createWithUsers(3)
    const events: string[] = []
    let cursor: string | undefined
    let isWaiting = false
    for await (const { data, next_cursor } of client.followEvents({ type: 'user.*', limit: 2 })) {
      for (const { subject } of data) events.push(subject.id ?? '')
      cursor = next_cursor
      if (events.length === 3 && !isWaiting) {
        isWaiting = true
        setTimeout(() => world.clientele.users.create(accountId, newPerson()), 100)
      }
      if (events.length === 4) break
    }
    const users = dataOf(await client.listUsers())
    expect(events).toEqual(users.data.map(({ id }) => id))

    // From where it stopped, nothing is missed and nothing comes again.
    const { id } = dataOf(await client.createUser(newPerson()))
    for await (const { data } of client.followEvents({ after: cursor, type: 'user.created' })) {
      expect(data.map(({ subject }) => subject.id)).toEqual([id])
      break
    }
  })

  test('a signal ends the follower, which polls without a tight loop', async () => {
    const { client } = await world.createClient()
    const controller = new AbortController()
    const reason = new Error('enough')
    world.door.asked.length = 0
    const options = { type: 'user.*', wait: 0, signal: controller.signal }
    const ended = expect(collect(client.followEvents(options))).rejects.toBe(reason)
    await expect.poll(() => world.door.asked.length, { timeout: 10_000 }).toBe(2)
    const [first, second] = world.door.asked
    expect(second).not.toBe(first) // it goes on where it was
    await expect.poll(() => world.door.asked.length, { timeout: 10_000 }).toBe(3)
    controller.abort(reason)
    await ended
    const wrong = collect(client.followEvents({ after: 'x' }))
    await expect(wrong).rejects.toMatchObject({ problem: { code: 'validation_failed' } })
  })
})
