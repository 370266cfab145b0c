import { AsyncLocalStorage } from 'node:async_hooks'
import type { Clientele, ClienteleOptions, CreateObserver } from '@clientele/core'
import { Pool } from 'pg'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { LogRecorder, openClientele, openRepository } from '../keys/open-clientele.ts'
import { ask } from '../support/ask.ts'
import { databases, type OpenDatabase } from '../support/databases.ts'
import { answerWith, eventually, receive } from '../webhooks/webhook-world.ts'
import { ObservationRecorder } from './recorder.ts'

const ada = { name: 'Ada Lovelace', email: 'ada@example.com', password: 'analytical engine' }

describe.each(databases)('observers on $name', ({ name, open }) => {
  let database: OpenDatabase

  beforeAll(async () => {
    database = await open()
  })
  afterAll(() => database.close())

  async function start(options: Partial<ClienteleOptions> = {}) {
    const heard = new ObservationRecorder()
    const clientele = await openClientele(database.url, { observers: [heard.create], ...options })
    onTestFinished(() => clientele.close())
    const account = await clientele.accounts.create({ name: 'Acme' })
    const key = await clientele.apiKeys.create(account.id, { name: 'test' })
    for (const list of [heard.calls, heard.queries, heard.hashes]) list.length = 0
    return { clientele, heard, accountId: account.id, apiKey: key.apiKey }
  }

  test('hear every request with its operation, template, status and account', async () => {
    const { clientele, heard, accountId, apiKey } = await start()
    const created = await ask(clientele, apiKey, 'POST', '/client/user', ada)
    await ask(clientele, apiKey, 'HEAD', `/client/user/${created.body.id}?a=1`)
    await ask(clientele, apiKey, 'DELETE', '/client/user')
    await ask(clientele, apiKey, 'BREW', '/client/user/nobody/at/all')
    await ask(clientele, 'cu_live_wrong', 'GET', '/client/user')
    expect(heard.requests.map(({ startedAt, durationMs, ...event }) => event)).toEqual([
      {
        requestId: created.headers['x-request-id'],
        operation: 'createUser',
        route: '/client/user',
        method: 'POST',
        status: 201,
        code: undefined,
        accountId,
      },
      expect.objectContaining({
        operation: 'findUser',
        route: '/client/user/{id}',
        method: 'HEAD',
        status: 422,
        code: 'validation_failed',
        accountId,
      }),
      expect.objectContaining({
        operation: undefined,
        route: '/client/user',
        status: 405,
        code: 'method_not_allowed',
      }),
      expect.objectContaining({
        operation: undefined,
        route: undefined,
        method: '_OTHER',
        status: 404,
        code: 'route_not_found',
      }),
      expect.objectContaining({ code: 'api_key_invalid', accountId: undefined }),
    ])
    for (const { startedAt, durationMs } of heard.requests) {
      expect(durationMs).toBeGreaterThan(0)
      expect(startedAt + durationMs).toBeLessThanOrEqual(performance.now())
    }
  })

  test('hear database queries and password hashes; a request is not a call in process', async () => {
    const { clientele, heard, apiKey } = await start()
    await ask(clientele, apiKey, 'POST', '/client/user', ada)
    expect(heard.queries.map(({ name: query }) => query)).toContain('users.create')
    expect(heard.queries.filter(({ error }) => error !== undefined)).toEqual([])
    expect(heard.hashes).toHaveLength(1)
    expect(heard.hashes[0]?.durationMs).toBeGreaterThan(0)
    expect(heard.hashes[0]?.waitedMs).toBeGreaterThanOrEqual(0)
    // HTTP is no call in process.
    expect(heard.calls).toEqual([])
  })

  test('hear calls in process, with the code of the error', async () => {
    const { clientele, heard, accountId, apiKey } = await start()
    const { user } = await clientele.users.create(accountId, ada)
    await clientele.users.create({ accountId }, ada).catch(() => {})
    await clientele.apiKeys.authenticate(apiKey)
    await clientele.guard({ headers: {}, rawHeaders: [] }, { accountId })
    for await (const _event of clientele.events.tail(accountId)) break
    clientele.events.on('user.created', () => {})()
    expect(heard.calls.map(({ name: call, code, accountId: id }) => [call, code, id])).toEqual([
      ['users.create', undefined, accountId],
      ['users.create', 'email_taken', accountId],
      // What is passed first is a secret, and not repeated.
      ['apiKeys.authenticate', undefined, undefined],
      ['guard', 'token_missing', accountId],
    ])
    expect(heard.toText()).not.toContain(apiKey)
    expect(heard.toText()).not.toContain(user.id)
  })

  test('hear calls in a transaction of the host', async () => {
    const { clientele, heard, accountId } = await start(name === 'sqlite' ? await onHandle() : {})
    const handle = name === 'sqlite' ? shared : await connect()
    await begin(handle)
    await clientele.within(handle).users.create(accountId, { ...ada, email: 'in@example.com' })
    expect(heard.calls.map((call) => call.name)).toEqual(['within.users.create'])
    expect(heard.queries.map((query) => query.name)).toContain('users.create')
    await commit(handle)
  })

  test('hear that the database does not answer', async () => {
    const { clientele, heard, apiKey } = await start()
    const repository = openRepository(database.url)
    const closed = await openClientele(database.url, { repository, observers: [heard.create] })
    await repository.storage.close()
    const { status } = await ask(closed, apiKey, 'GET', '/client/user')
    expect(status).toBe(503)
    expect(heard.queries.at(-1)).toMatchObject({ error: 'storage_unavailable' })
    expect(heard.requests.at(-1)).toMatchObject({ status: 503, code: 'storage_unavailable' })
    const gauges = await heard.about?.readGauges()
    expect(gauges).toMatchObject({ webhookLagSeconds: undefined, mails: { running: 0 } })
    expect(clientele).toBeDefined()
  })

  test('hear deliveries, and the waiting time of those that are due', async () => {
    let now = Date.now()
    const receiver = await receive(answerWith(500))
    const { clientele, heard, accountId } = await start({
      clock: () => now,
      webhooks: { allowPrivateAddresses: true },
    })
    const readLag = async () => (await heard.about?.readGauges())?.webhookLagSeconds
    const types = ['user.created']
    const webhook = await clientele.webhooks.create(accountId, { url: receiver.url, types })
    await clientele.users.create(accountId, { ...ada, email: 'first@example.com' })
    now += 60_000
    // Its event has no place in the feed yet.
    expect(await readLag()).toBe(60)
    await clientele.events.read(accountId)
    expect(await readLag()).toBe(60)
    await clientele.accounts.disable(accountId)
    expect(await readLag()).toBe(0)
    await clientele.accounts.enable(accountId)

    const hearing = new ObservationRecorder()
    const sender = await openClientele(database.url, {
      clock: () => now,
      observers: [hearing.create],
      webhooks: { deliver: true, allowPrivateAddresses: true },
    })
    await eventually(() => hearing.deliveries).toEqual([
      {
        accountId,
        webhookId: webhook.id,
        status: 500,
        reason: null,
        attempt: 1,
        durationMs: expect.any(Number),
        lagMs: expect.any(Number),
      },
    ])
    await sender.close()
    const [delivery = { lagMs: 0, durationMs: 0 }] = hearing.deliveries
    expect(delivery.lagMs + delivery.durationMs).toBeGreaterThanOrEqual(60_000)
    // What waits for its next attempt is not late before that.
    expect(await readLag()).toBe(0)
    now += 60_000
    expect(await readLag()).toBeGreaterThan(50)
    await clientele.webhooks.delete(accountId, webhook.id)
    expect(await readLag()).toBe(0)
  })

  test('receive the age of an event that a reader waited for', async () => {
    const { clientele, heard, accountId } = await start()
    const { nextCursor } = await clientele.events.read(accountId)
    const waiting = clientele.events.read(accountId, { after: nextCursor, wait: 20 })
    await clientele.users.create(accountId, { ...ada, email: 'awaited@example.com' })
    expect((await waiting).data).toHaveLength(1)
    expect(heard.feed).toEqual([{ accountId, lagMs: expect.any(Number) }])
    expect(heard.feed[0]?.lagMs).toBeGreaterThanOrEqual(0)
  })

  test('see queues and connections', async () => {
    const sent = Promise.withResolvers<void>()
    const { clientele, heard, accountId } = await start({
      passwords: { hashing: { memoryKiB: 65_536, passes: 8, concurrency: 1 } },
      sendMail: () => sent.promise,
    })
    const hashing = ['b', 'c', 'd'].map((each) =>
      clientele.users.create(accountId, { ...ada, email: `${each}@example.com` }),
    )
    await eventually(async () => (await heard.about?.readGauges())?.hashing).toEqual({
      running: 1,
      waiting: 2,
    })
    await Promise.all(hashing)
    await clientele.auth.forgotPassword(accountId, { email: 'b@example.com' })
    await eventually(async () => (await heard.about?.readGauges())?.mails).toEqual({
      running: 1,
      waiting: 0,
    })
    sent.resolve()
    const readPool = async () => (await heard.about?.readGauges())?.pool
    if (name === 'sqlite') expect(await readPool()).toBeUndefined()
    else {
      const isIdle = { inUse: 0, waiting: 0, idle: expect.any(Number) }
      await eventually(readPool).toEqual(isIdle)
    }
    expect(heard.about?.databaseSystem).toBe(name === 'sqlite' ? 'sqlite' : 'postgresql')
  })

  test('are called when the Clientele is closed, and also when it cannot start', async () => {
    const { clientele, heard, accountId } = await start()
    // What is under the secret.
    await clientele.signingKeys.rotate(accountId)
    expect(heard.isClosed).toBe(false)
    await clientele.close()
    expect(heard.isClosed).toBe(true)
    const another = new ObservationRecorder()
    const secrets = ['another secret of the tests, 32 chars']
    await expect(
      openClientele(database.url, { secrets, observers: [another.create] }),
    ).rejects.toMatchObject({ code: 'secret_wrong' })
    expect(another.isClosed).toBe(true)
  })

  describe('that fail', () => {
    const failing: CreateObserver = () => {
      const fail = (): never => {
        throw new Error('the observer broke')
      }
      return { request: fail, call: fail, query: fail, hash: fail, feed: fail, close: fail }
    }

    test('change nothing, are logged, and do not stop other observers', async () => {
      const logger = new LogRecorder()
      const heard = new ObservationRecorder()
      const observers = [failing, heard.create]
      const { clientele, accountId, apiKey } = await start({ logger, observers })
      const { user } = await clientele.users.create(accountId, {
        ...ada,
        email: 'calm@example.com',
      })
      const { status } = await ask(clientele, apiKey, 'GET', `/client/user/${user.id}`)
      expect(status).toBe(200)
      expect(heard.requests).toHaveLength(1)
      expect(logger.lines.map(({ message }) => message)).toContain('An observer failed.')
    })

    test('may return a promise that rejects', async () => {
      const logger = new LogRecorder()
      const rejecting: CreateObserver = () => ({
        call: async () => {
          throw new Error('the observer broke later')
        },
      })
      const { clientele, accountId } = await start({ logger, observers: [rejecting] })
      await clientele.users.list(accountId)
      await expect
        .poll(() => logger.lines.map(({ message }) => message))
        .toContain('An observer failed.')
    })

    test.each([
      ['before the work', async () => Promise.reject(new Error('broke'))],
      [
        'after the work',
        async (_about: unknown, work: () => Promise<unknown>) => {
          await work()
          throw new Error('broke')
        },
      ],
      ['by never beginning it', async () => {}],
      [
        'by doing it twice',
        async (_about: unknown, work: () => Promise<unknown>) => {
          await Promise.all([work(), work()])
        },
      ],
    ])('around a request or a call, %s, run it once', async (_way, around) => {
      const heard = new ObservationRecorder()
      const broken: CreateObserver = () => ({ aroundRequest: around, aroundCall: around })
      const { clientele, accountId, apiKey } = await start({
        observers: [broken, heard.create],
        logger: new LogRecorder(),
      })
      const email = `${crypto.randomUUID()}@example.com`
      const { status } = await ask(clientele, apiKey, 'POST', '/client/user', { ...ada, email })
      expect(status).toBe(201)
      await clientele.users.create(accountId, { ...ada, email: `b${email}` })
      expect(heard.requests).toHaveLength(1)
      expect(heard.queries.filter((query) => query.name === 'users.create')).toHaveLength(2)
    })
  })

  test('around requests and calls give database queries a context', async () => {
    const context = new AsyncLocalStorage<string[]>()
    const inContext: unknown[] = []
    const nested =
      (word: string): CreateObserver =>
      () => ({
        aroundRequest: ({ method }, work) =>
          context.run([...(context.getStore() ?? []), `${word} ${method}`], work),
        aroundCall: (call, work) =>
          context.run([...(context.getStore() ?? []), `${word} ${call}`], work),
      })
    const listening: CreateObserver = () => ({
      query: () => void inContext.push(context.getStore()),
    })
    const { clientele, accountId, apiKey } = await start({
      observers: [nested('outer'), nested('inner'), listening],
    })
    inContext.length = 0
    await ask(clientele, apiKey, 'GET', '/client/user')
    expect(new Set(inContext.map(String))).toEqual(new Set(['outer GET,inner GET']))
    inContext.length = 0
    await clientele.users.list(accountId)
    expect(new Set(inContext.map(String))).toEqual(new Set(['outer users.list,inner users.list']))
  })

  test('are refused when they are no functions', async () => {
    const observers = [{ request: () => {} }] as never
    await expect(openClientele(database.url, { observers })).rejects.toMatchObject({
      code: 'configuration_invalid',
      message: expect.stringContaining('options.observers.0 must be a function'),
    })
  })

  test.each([
    ['an observer with a misspelt member', { requests: () => {} }, 'requests is not known here'],
    ['none', null, 'must return an observer'],
    ['a promise of one', Promise.resolve({}), 'not a promise'],
  ])('are refused when they make %s', async (_what, made, message) => {
    const observers = [() => made] as never
    await expect(openClientele(database.url, { observers })).rejects.toMatchObject({
      code: 'configuration_invalid',
      message: expect.stringContaining(message),
    })
  })

  // A transaction of the host's, on each of the databases.
  type Handle = { query?(text: string): Promise<unknown>; exec?(text: string): unknown }
  let shared: Handle & object

  async function onHandle(): Promise<Partial<ClienteleOptions>> {
    const { default: Database } = await import('better-sqlite3')
    shared = new Database(database.url.slice('sqlite:'.length))
    return {}
  }

  async function connect(): Promise<Handle> {
    const pool = new Pool({ connectionString: database.url })
    const client = await pool.connect()
    onTestFinished(async () => {
      client.release()
      await pool.end()
    })
    return client
  }

  const begin = (handle: Handle) => handle.query?.('begin') ?? handle.exec?.('begin immediate')
  const commit = (handle: Handle) => handle.query?.('commit') ?? handle.exec?.('commit')
})

/** Every operation's path is known in advance: the labels of a metric are bounded. */
test('templates are those of the OpenAPI document', async () => {
  const heard = new ObservationRecorder()
  const clientele: Clientele = await openClientele('sqlite::memory:', {
    observers: [heard.create],
  })
  const { paths } = await clientele.openApi()
  for (const { method, path } of clientele.operations)
    await ask(clientele, 'cu_live_none', method, path.replaceAll(/[{}]/g, ''), {})
  const routes = new Set(heard.requests.map(({ route }) => route))
  expect(routes).toEqual(new Set(Object.keys(paths)))
  const operations = new Set(heard.requests.map(({ operation }) => operation))
  expect(operations).toEqual(new Set(clientele.operations.map(({ id }) => id)))
  await clientele.close()
})
