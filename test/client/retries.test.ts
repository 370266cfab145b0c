import { dataOf } from '@clientele/client'
import Sqlite from 'better-sqlite3'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { TcpProxy } from '../faults/tcp-proxy.ts'
import { databases, type OpenDatabase } from '../support/databases.ts'
import { type ClientWorld, newPerson, openWorld, password } from './client-world.ts'
import { type Fault, problemOf } from './faulty-door.ts'

interface Stopper {
  /** Where the database is, for those who are to feel it */
  url: string
  /** Blocks all writes until the returned function is called */
  stop(): Promise<() => Promise<unknown>>
  close(): Promise<void>
}

/** PostgreSQL is down for a while; a SQLite file is locked by another process. */
async function createStopper(name: 'sqlite' | 'postgres', url: string): Promise<Stopper> {
  if (name === 'sqlite') {
    const stop = async () => {
      const holder = new Sqlite(url.slice('sqlite:'.length))
      holder.exec('begin immediate')
      return async () => holder.close()
    }
    return { url, stop, close: async () => {} }
  }
  const target = new URL(url)
  const proxy = new TcpProxy({ host: target.hostname, port: Number(target.port) })
  target.port = String(await proxy.accept())
  const stop = async () => {
    await proxy.refuse()
    return () => proxy.accept()
  }
  return { url: target.href, stop, close: () => proxy.refuse() }
}

describe.each(databases)('a client of a server on $name', ({ name, open }) => {
  let database: OpenDatabase
  let stopper: Stopper
  let world: ClientWorld
  beforeAll(async () => {
    database = await open()
    stopper = await createStopper(name, database.url)
    world = await openWorld(stopper.url, { lockSeconds: 0.3 })
  })
  afterEach(() => {
    world.door.faults.length = 0
    world.door.asked.length = 0
    world.door.answered.length = 0
  })
  afterAll(async () => {
    await world.close()
    await stopper.close()
    await database.close()
  })
  const listed = async (accountId: string) => (await world.clientele.users.list(accountId)).total

  test('a create succeeds as soon as the database answers again', async () => {
    const { client, accountId } = await world.createClient({ retry: { count: 20 } })
    const release = await stopper.stop()
    const creating = client.createUser(newPerson())
    await expect.poll(() => world.door.answered, { timeout: 10_000 }).toContain(503)
    await release()
    expect((await creating).response?.status).toBe(201)
    expect(await listed(accountId)).toBe(1)
    expect(new Set(world.door.asked).size).toBe(1) // each with the same key
  })

  test('a create whose connection breaks creates one user', async () => {
    const { client, accountId } = await world.createClient()
    for (const fault of ['lose the answer', 'cut'] as const) {
      world.door.faults.push(fault)
      world.door.asked.length = 0
      const created = await client.createUser(newPerson())
      expect(created.response?.status).toBe(201)
      expect(created.response?.headers.get('idempotent-replayed')).toBe(
        fault === 'cut' ? null : 'true',
      )
      expect(world.door.asked).toHaveLength(2)
      expect(new Set(world.door.asked).size).toBe(1)
    }
    expect(await listed(accountId)).toBe(2)
  })

  test('a create whose response comes too late creates one user', async () => {
    const { client, accountId } = await world.createClient({ timeoutSeconds: 1 })
    world.door.faults.push('silence', 'lose the answer')
    expect((await client.createUser(newPerson())).response?.status).toBe(201)
    expect(world.door.asked).toHaveLength(3)
    expect(await listed(accountId)).toBe(1)
  })

  test('two creates get different idempotency keys, and a key of the caller is used', async () => {
    const { client } = await world.createClient()
    const person = newPerson()
    await client.createUser(person)
    expect((await client.createUser(person)).problem?.code).toBe('email_taken')
    expect(new Set(world.door.asked).size).toBe(2)
    const other = newPerson()
    const options = { 'Idempotency-Key': 'my-own' }
    const first = dataOf(await client.createUser(other, options))
    expect(dataOf(await client.createUser(other, options))).toEqual(first)
    const reused = await client.createUser({ ...other, name: 'Grace' }, options)
    expect(reused.problem?.code).toBe('idempotency_key_reused')
  })

  test('too many sign-ins: a long Retry-After ends the call at once', async () => {
    const { client } = await world.createClient({ retry: { maxDelaySeconds: 0 } })
    const person = newPerson()
    await client.createUser(person)
    const wrong = { email: person.email, password: 'wrong' }
    let last = await client.logIn(wrong)
    for (let tries = 0; last.problem?.code === 'credentials_invalid' && tries < 50; tries++) {
      world.door.asked.length = 0
      last = await client.logIn(wrong)
    }
    expect(last.problem?.code).toBe('rate_limited')
    expect(Number(last.response?.headers.get('retry-after'))).toBeGreaterThan(0)
    expect(world.door.asked).toHaveLength(1)
  })
})

describe('retried requests', () => {
  let database: OpenDatabase
  let world: ClientWorld
  let id: string
  let email: string
  let client: Awaited<ReturnType<ClientWorld['createClient']>>['client']
  beforeAll(async () => {
    const [sqlite] = databases
    if (sqlite === undefined) throw new Error('No database')
    database = await sqlite.open()
    world = await openWorld(database.url)
    ;({ client } = await world.createClient({ retry: { count: 2 }, timeoutSeconds: 1 }))
    ;({ id, email } = dataOf(await client.createUser(newPerson())))
  })
  afterAll(async () => {
    await world.close()
    await database.close()
  })
  /** How often a call was sent when the first answers were these, and what it came to. */
  async function count(
    faults: Fault[],
    call: () => Promise<{ problem?: { code: string; status: number } | undefined }>,
  ): Promise<[times: number, code: string | undefined]> {
    world.door.faults.splice(0, Number.POSITIVE_INFINITY, ...faults)
    world.door.asked.length = 0
    const { problem } = await call()
    world.door.faults.length = 0
    return [world.door.asked.length, problem?.code]
  }
  const page: Fault = { status: 502, headers: { 'content-type': 'text/html' }, body: '<html>' }
  const unavailable = problemOf(503, 'storage_unavailable', '0')

  const reads = {
    GET: () => client.findUser(id),
    'a validation': () => client.validateTokens({ tokens: ['Bearer x.y.z'] }),
    'an introspection': () => client.introspectToken({ token: 'x.y.z' }),
    PUT: () => client.replaceUser(id, { name: 'Ada', email }),
  }
  test.each(Object.entries(reads))(
    '%s is retried even if the first attempt may have been done',
    async (_, call) => {
      expect(await count(['lose the answer', 'cut'], call)).toEqual([3, undefined])
      expect(await count(['silence'], call)).toEqual([2, undefined])
      expect(await count([unavailable, page], call)).toEqual([3, undefined])
    },
  )

  const writes = {
    'a sign-in': () => client.logIn({ email, password }),
    PATCH: () => client.patchUser(id, { name: 'Ada' }),
    'PUT with a condition': () =>
      client.replaceUser(id, { name: 'Ada', email }, { 'If-Match': '*' }),
    'POST without a key': () => client.forgotPassword({ email }),
  }
  test.each(Object.entries(writes))(
    '%s is retried only if the first attempt was not done',
    async (_, call) => {
      expect(await count(['lose the answer'], call)).toEqual([1, 'no_answer'])
      expect(await count(['silence'], call)).toEqual([1, 'timed_out'])
      expect(await count([unavailable], call)).toEqual([1, 'storage_unavailable'])
      expect(await count([page], call)).toEqual([1, 'unexpected_answer'])
      const limited = problemOf(429, 'rate_limited', '0')
      const overloaded = problemOf(503, 'overloaded', '0')
      expect(await count([limited, overloaded], call)).toEqual([3, undefined])
      expect(await count([{ status: 429 }], call)).toEqual([2, undefined])
    },
  )

  test('no other error causes a retry, and the maximum is kept', async () => {
    const call = () => client.findUser(id)
    expect(await count([problemOf(500, 'internal_error')], call)).toEqual([1, 'internal_error'])
    expect(await count([problemOf(404, 'user_not_found')], call)).toEqual([1, 'user_not_found'])
    const all = Array.from({ length: 9 }, () => unavailable)
    expect(await count(all, call)).toEqual([3, 'storage_unavailable'])
    const once = (await world.createClient({ retry: { count: 0 } })).client
    expect(await count(all, () => once.findUser(id))).toEqual([1, 'storage_unavailable'])
  })

  test('Retry-After is obeyed, as seconds and as a date; too long a pause ends the call', async () => {
    const call = () => client.findUser(id)
    const startedAt = Date.now()
    expect(await count([problemOf(503, 'storage_unavailable', '1')], call)).toEqual([2, undefined])
    expect(Date.now() - startedAt).toBeGreaterThan(990)
    const soon = new Date(Date.now() + 1_000).toUTCString()
    expect(await count([problemOf(429, 'rate_limited', soon)], call)).toEqual([2, undefined])
    const late = new Date(Date.now() + 3_600_000).toUTCString()
    for (const retryAfter of ['11', late]) {
      const answer = problemOf(503, 'storage_unavailable', retryAfter)
      expect(await count([answer], call)).toEqual([1, 'storage_unavailable'])
    }
  })

  test("a response that is not Clientele's is reported as such, with its status", async () => {
    const json = { 'content-type': 'application/json' }
    const answers: Exclude<Fault, string>[] = [
      { status: 200, headers: { 'content-type': 'text/html' }, body: '<html>' },
      { status: 200 },
      { status: 200, headers: json, body: '{"id":' },
      { status: 404, headers: json, body: '{"message":"no such page"}' },
      { status: 301, headers: { location: 'http://127.0.0.1:1/elsewhere' } },
    ]
    const codes = []
    for (const answer of answers) {
      world.door.faults.push(answer)
      const { problem } = await client.findUser(id)
      codes.push([problem?.code, problem?.status])
    }
    expect(codes).toEqual(answers.map(({ status }) => ['unexpected_answer', status]))
  })

  test('a signal ends a call: while it is sent, between two tries, and before', async () => {
    const reason = new Error('enough')
    for (const fault of ['silence', problemOf(503, 'storage_unavailable', '9')] as const) {
      const controller = new AbortController()
      world.door.faults.push(fault)
      world.door.asked.length = 0
      const call = client.findUser(id, { signal: controller.signal })
      const ended = expect(call).rejects.toBe(reason)
      await expect.poll(() => world.door.asked.length).toBe(1)
      controller.abort(reason)
      await ended
    }
    world.door.asked.length = 0
    const call = client.findUser(id, { signal: AbortSignal.abort(reason) })
    await expect(call).rejects.toBe(reason)
    expect(world.door.asked).toEqual([])
  })
})

test('a server that does not listen is reported without secrets', async () => {
  const { createClient, ProblemError } = await import('@clientele/client')
  const apiKey = 'cu_live_secret'
  const client = createClient({ baseUrl: 'http://127.0.0.1:9', apiKey, retry: { count: 1 } })
  const { problem, response } = await client.listUsers()
  expect(problem).toMatchObject({ code: 'no_answer', status: 0, title: 'no answer' })
  expect(problem?.cause).toBeInstanceOf(Error)
  expect(response).toBeUndefined()
  const thrown = await client
    .iterateUsers()
    .next()
    .catch((error: unknown) => error)
  expect(thrown).toBeInstanceOf(ProblemError)
  expect(String(thrown)).toBe('ProblemError: no_answer: No answer came: see cause.')
  expect(JSON.stringify([problem, thrown])).not.toContain(apiKey)
})
