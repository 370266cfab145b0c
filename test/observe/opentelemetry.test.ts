import type { Clientele, ClienteleOptions } from '@clientele/core'
import { openTelemetry } from '@clientele/core/opentelemetry'
import { context, SpanKind, SpanStatusCode, trace } from '@opentelemetry/api'
import type { HistogramMetricData } from '@opentelemetry/sdk-metrics'
import type { ReadableSpan } from '@opentelemetry/sdk-trace'
import * as conventions from '@opentelemetry/semantic-conventions'
import * as developing from '@opentelemetry/semantic-conventions/incubating'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { openClientele, openRepository } from '../keys/open-clientele.ts'
import { ask } from '../support/ask.ts'
import { eitherDatabase, type OpenDatabase } from '../support/databases.ts'
import { logIn } from '../support/log-in.ts'
import { eventually } from '../webhooks/webhook-world.ts'
import { Collector, registerContext } from './collector.ts'

const databases = eitherDatabase(import.meta.filename)

const ada = { name: 'Ada Lovelace', email: 'ada@example.com', password: 'analytical engine' }
const traceId = '0af7651916cd43dd8448eb211c80319c'
const traceparent = `00-${traceId}-b7ad6b7169203331-01`

beforeAll(registerContext)

describe.each(databases)('OpenTelemetry on $name', ({ name, open }) => {
  let database: OpenDatabase
  const system = name === 'sqlite' ? 'sqlite' : 'postgresql'

  beforeAll(async () => {
    database = await open()
  })
  afterAll(() => database.close())

  async function start(options: Partial<ClienteleOptions> = {}) {
    const collector = new Collector()
    const clientele = await openClientele(database.url, {
      observers: [openTelemetry({ routePrefix: '/api/v1', ...collector })],
      publicUrl: 'https://api.example.com/api/v1',
      ...options,
    })
    onTestFinished(async () => {
      await clientele.close()
      await collector.close()
    })
    const account = await clientele.accounts.create({ name: 'Acme' })
    const { apiKey } = await clientele.apiKeys.create(account.id, { name: 'test' })
    collector.reset()
    return { clientele, collector, accountId: account.id, apiKey }
  }

  const parentOf = (span: ReadableSpan | undefined) => span?.parentSpanContext?.spanId
  const inside = (spans: ReadableSpan[], outer: ReadableSpan | undefined) =>
    spans.filter((span) => parentOf(span) === outer?.spanContext().spanId)

  test('makes the span of the server, below that of the caller, and below it those of the database', async () => {
    const { clientele, collector, accountId, apiKey } = await start()
    const { headers } = await ask(clientele, apiKey, 'POST', '/client/user', ada, { traceparent })
    const server = collector.spans.find(({ kind }) => kind === SpanKind.SERVER)
    expect(server?.name).toBe('POST /api/v1/client/user')
    expect(server?.spanContext().traceId).toBe(traceId)
    expect(parentOf(server)).toBe('b7ad6b7169203331')
    expect(server?.attributes).toEqual({
      'http.request.method': 'POST',
      'http.response.status_code': 201,
      'http.route': '/api/v1/client/user',
      'url.scheme': 'https',
      'clientele.operation': 'createUser',
      'clientele.request_id': headers['x-request-id'],
      'clientele.account_id': accountId,
    })
    const queries = inside(collector.spans, server)
    expect(queries.map((span) => span.name)).toContain('users.create')
    for (const { kind, name: query, attributes } of queries) {
      expect(kind).toBe(SpanKind.CLIENT)
      expect(attributes).toEqual({ 'db.system.name': system, 'db.operation.name': query })
    }
    expect(collector.spans).toHaveLength(1 + queries.length)
  })

  test("is a child of the host's span, if the host has created one for the request", async () => {
    const { clientele, collector, apiKey } = await start()
    const tracer = collector.tracerProvider.getTracer('host')
    const host = tracer.startSpan('GET /api/v1/*', { kind: SpanKind.SERVER })
    await context.with(trace.setSpan(context.active(), host), () =>
      ask(clientele, apiKey, 'GET', '/client/user', undefined, { traceparent }),
    )
    host.end()
    const [ours] = inside(
      collector.spans,
      collector.spans.find((span) => span.name === 'GET /api/v1/*'),
    )
    expect(ours?.name).toBe('GET /api/v1/client/user')
    expect(ours?.kind).toBe(SpanKind.INTERNAL)
    expect(inside(collector.spans, ours).length).toBeGreaterThan(0)
    // The host's instrumentation measures it.
    expect((await collector.collect()).has('http.server.request.duration')).toBe(false)
  })

  test('tells faults of the server from mistakes of the caller', async () => {
    const { clientele, collector, apiKey } = await start()
    await ask(clientele, apiKey, 'BREW', '/client/user/a/b/c')
    await ask(clientele, apiKey, 'POST', '/client/user', { name: 'A' })
    const repository = openRepository(database.url)
    const observers = [openTelemetry({ ...collector })]
    const away = await openClientele(database.url, { repository, observers })
    await repository.storage.close()
    await ask(away, apiKey, 'GET', '/client/user')
    const [unknown, refused, failed] = collector.spans.filter(
      ({ kind }) => kind === SpanKind.SERVER,
    )
    expect(unknown).toMatchObject({
      name: 'HTTP',
      status: { code: SpanStatusCode.UNSET },
      attributes: { 'http.request.method': '_OTHER', 'clientele.problem': 'route_not_found' },
    })
    expect(unknown?.attributes).not.toHaveProperty('http.route')
    expect(refused?.status.code).toBe(SpanStatusCode.UNSET)
    expect(refused?.attributes).not.toHaveProperty('error.type')
    expect(refused?.attributes).toMatchObject({ 'clientele.problem': 'validation_failed' })
    expect(failed?.status.code).toBe(SpanStatusCode.ERROR)
    expect(failed?.attributes).toMatchObject({
      'http.response.status_code': 503,
      'error.type': 'storage_unavailable',
    })
    expect(inside(collector.spans, failed)[0]).toMatchObject({
      status: { code: SpanStatusCode.ERROR },
      attributes: { 'error.type': 'storage_unavailable' },
    })
  })

  test("makes spans of the host's calls, and none of background work", async () => {
    const { clientele, collector, accountId } = await start({ webhooks: { deliver: true } })
    await clientele.users.list(accountId)
    await clientele.guard({ headers: {}, rawHeaders: [] })
    const list = collector.spans.find((span) => span.name === 'clientele users.list')
    expect(list?.kind).toBe(SpanKind.INTERNAL)
    expect(list?.attributes).toEqual({ 'clientele.method': 'users.list' })
    expect(inside(collector.spans, list).map((span) => span.name)).toContain('users.list')
    const guard = collector.spans.find((span) => span.name === 'clientele guard')
    expect(guard?.attributes).toEqual({
      'clientele.method': 'guard',
      'error.type': 'token_missing',
    })
    const asked = async (query: string) =>
      (await readOperations(collector)).find((each) => each === query)
    await eventually(() => asked('webhooks.findDue')).toBe('webhooks.findDue')
    expect(collector.spans.filter((span) => span.name.startsWith('webhooks.'))).toEqual([])
  })

  test('measures by the names of the conventions', async () => {
    const { clientele, collector, apiKey } = await start()
    await ask(clientele, apiKey, 'GET', '/client/user')
    await ask(clientele, apiKey, 'GET', '/client/user/nobody')
    const metrics = await collector.collect()
    const requests = metrics.get(conventions.METRIC_HTTP_SERVER_REQUEST_DURATION)
    expect(requests?.descriptor.unit).toBe('s')
    expect(requests?.dataPoints.map(({ attributes }) => attributes)).toEqual([
      {
        'http.request.method': 'GET',
        'http.response.status_code': 200,
        'http.route': '/api/v1/client/user',
        'url.scheme': 'https',
      },
      {
        'http.request.method': 'GET',
        'http.response.status_code': 404,
        'http.route': '/api/v1/client/user/{id}',
        'url.scheme': 'https',
      },
    ])
    const [point] = (requests as HistogramMetricData).dataPoints // a histogram by its name
    expect(point?.value.count).toBe(1)
    expect(point?.value.buckets.boundaries[0]).toBe(0.005)
    expect(await readOperations(collector)).toContain('users.list')
    const hashes = metrics.get('clientele.hash.queued')
    expect(hashes?.dataPoints.map(({ value }) => value)).toEqual([0, 0])
    expect(metrics.get('clientele.webhook.lag')?.dataPoints[0]?.value).toBe(0)
    const connections = metrics.get(developing.METRIC_DB_CLIENT_CONNECTION_COUNT)
    if (name === 'sqlite') expect(connections).toBeUndefined()
    else {
      const states = connections?.dataPoints.map(({ attributes }) => attributes)
      expect(states).toEqual(
        ['used', 'idle'].map((state) => ({
          'db.client.connection.pool.name': 'clientele',
          'db.client.connection.state': state,
        })),
      )
    }
    const known = new Set<unknown>([
      ...Object.values<unknown>(conventions),
      ...Object.values<unknown>(developing),
    ])
    const names = [...metrics].flatMap(([metric, { dataPoints }]) => [
      metric,
      ...dataPoints.flatMap(({ attributes }) => Object.keys(attributes)),
    ])
    expect(names.filter((each) => !known.has(each) && !each.startsWith('clientele.'))).toEqual([])
  })

  async function readOperations(collector: Collector): Promise<unknown[]> {
    const queries = (await collector.collect()).get('db.client.operation.duration')
    return (queries?.dataPoints ?? []).map(({ attributes }) => attributes['db.operation.name'])
  }

  test('does not export what callers type', async () => {
    const { clientele, collector, accountId, apiKey } = await start()
    const secrets = await typeSecrets(clientele, accountId, apiKey)
    const spans = collector.spans.map(({ name: span, attributes, events, status }) => ({
      span,
      attributes,
      events,
      status,
    }))
    const metrics = [...(await collector.collect()).values()]
    expect(spans.length).toBeGreaterThan(10)
    const text = JSON.stringify({ spans, metrics })
    expect(secrets.filter((secret) => text.includes(secret))).toEqual([])
    // Too many for the labels of a metric
    expect(JSON.stringify(metrics)).not.toContain(accountId)
  })

  test('measures nothing after the Clientele is closed', async () => {
    const { clientele, collector } = await start()
    const countLooks = async () => {
      const queries = (await collector.collect()).get('db.client.operation.duration')
      const looks = (queries as HistogramMetricData).dataPoints.find(
        ({ attributes }) => attributes['db.operation.name'] === 'webhooks.findDueSince',
      )
      return looks?.value.count
    }
    await countLooks()
    expect(await countLooks()).toBeGreaterThan(0)
    await clientele.close()
    const atTheEnd = await countLooks()
    await countLooks()
    expect(await countLooks()).toBe(atTheEnd)
  })
})

/** Sends secrets wherever a caller can, and answers with them. */
async function typeSecrets(clientele: Clientele, accountId: string, apiKey: string) {
  const email = 'grace.secret@example.com'
  const password = 'a password that is secret'
  const grace = { name: 'Grace Secret', email, password, metadata: { note: 'noted-secret' } }
  const { user } = await clientele.users.create(accountId, grace)
  const signedIn = await logIn(clientele, accountId, { email, password })
  const token = `Bearer ${signedIn.token}`
  const get = (url: string, more = {}) => ask(clientele, apiKey, 'GET', url, undefined, more)
  await get(`/client/user?email=${encodeURIComponent(email)}&q=Grace`)
  await get(`/client/user/${email}`, { cookie: 'session=cookie-secret', tracestate: `a=${email}` })
  await get(`/client/user/${user.id}/../${signedIn.refreshToken}`)
  await ask(clientele, apiKey, 'POST', '/client/user/auth/validation-token', { token })
  await ask(clientele, signedIn.token, 'POST', '/client/user/auth/login', { email, password })
  await ask(clientele, apiKey, 'POST', '/client/user/auth/login', { email, password: 'wrong-pass' })
  await ask(clientele, apiKey, 'POST', '/client/user', grace)
  await clientele.users.create(accountId, grace).catch(() => {})
  await clientele.auth.validateToken(accountId, signedIn.token).catch(() => {})
  await clientele.apiKeys.authenticate(apiKey)
  const bearer = { authorization: token }
  await clientele.guard({ headers: bearer, rawHeaders: Object.entries(bearer).flat() })
  return [
    email,
    'grace.secret',
    password,
    'Grace',
    'noted-secret',
    'cookie-secret',
    'wrong-pass',
    apiKey,
    signedIn.token,
    signedIn.refreshToken,
    user.id,
  ]
}

test('without an SDK no span is created, and everything works', async () => {
  const clientele = await openClientele('sqlite::memory:', { observers: [openTelemetry()] })
  const account = await clientele.accounts.create({ name: 'Acme' })
  const { apiKey } = await clientele.apiKeys.create(account.id, { name: 'test' })
  expect((await ask(clientele, apiKey, 'GET', '/client/user')).status).toBe(200)
  await clientele.close()
})

test('a misspelt option is refused by name', () => {
  expect(() => openTelemetry({ routePrefx: '/api' } as never)).toThrow(/options\.routePrefx/)
})
