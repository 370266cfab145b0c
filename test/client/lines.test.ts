import { createServer } from 'node:http'
import { createClient, dataOf, ProblemError } from '@clientele/client'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { anyDatabase, type OpenDatabase } from '../support/databases.ts'
import { type ClientWorld, newPerson, openWorld } from './client-world.ts'
import { listen } from './listen.ts'

async function collect<T>(lines: AsyncIterable<T>): Promise<T[]> {
  const all: T[] = []
  for await (const line of lines) all.push(line)
  return all
}

describe.each(anyDatabase)('lines of users, on $name', ({ open }) => {
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
  const person = () => ({ ...newPerson(), password: undefined })

  test('a list, a text, an async iterable and a stream are imported', async () => {
    const { client } = await world.createClient()
    async function* read() {
      yield person()
      yield person()
    }
    const text = `${JSON.stringify(person())}\n`
    const results = [
      await client.importUsers([person()]),
      await client.importUsers(text),
      await client.importUsers(read()),
      await client.importUsers(new Blob([`${JSON.stringify(person())}\n`]).stream()),
    ]
    expect(results.map((result) => dataOf(result).imported)).toEqual([1, 1, 2, 1])
    const again = dataOf(await client.importUsers(text, { on_error: 'skip', dry_run: true }))
    expect(again.errors).toMatchObject([{ line: 1, code: 'email_taken' }])
    // @ts-expect-error no lines
    await expect(client.importUsers(7)).rejects.toThrow(TypeError)
  })

  test('an export is read line by line', async () => {
    const { client } = await world.createClient()
    const people = Array.from({ length: 30 }, person)
    await client.importUsers(people)
    const users = await collect(dataOf(await client.exportUsers()))
    expect(users.map(({ email }) => email)).toEqual(people.map(({ email }) => email))
    expect(users[0]).toMatchObject({ is_active: true, email_verified: false })
    for await (const { email } of dataOf(await client.exportUsers())) {
      expect(email).toBe(people[0]?.email)
      break
    }
    const stop = new AbortController()
    const reading = dataOf(await client.exportUsers({ signal: stop.signal }))
    stop.abort(new Error('enough'))
    await expect(collect(reading)).rejects.toThrow('enough')
  })

  test('a refusal is a problem', async () => {
    const { client } = await world.createClient({ apiKey: 'cu_wrong' })
    expect((await client.exportUsers()).problem?.code).toBe('api_key_invalid')
    expect((await client.importUsers([person()])).problem?.code).toBe('api_key_invalid')
  })
})

test('an export that breaks off throws, and does not look complete', async () => {
  const host = createServer((_request, response) => {
    response.writeHead(200, { 'content-type': 'application/x-ndjson' })
    response.write('{"id":"1"}\n', () => response.destroy())
  })
  const { origin, close } = await listen(host)
  onTestFinished(close)
  const client = createClient({ baseUrl: origin, apiKey: 'cu_any' })
  const read: unknown[] = []
  const reading = async () => {
    for await (const user of dataOf(await client.exportUsers())) read.push(user)
  }
  const error = await reading().catch((thrown: unknown) => thrown)
  expect(read).toEqual([{ id: '1' }])
  expect(error).toBeInstanceOf(ProblemError)
  expect(Object(error).problem.code).toBe('no_answer')
})
