import { createServer } from 'node:net'
import { type Client, createClient, dataOf } from '@clientele/client'
import parsePage, { type Family } from 'parse-prometheus-text-format'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { anyServerDatabase, type OpenDatabase } from '../support/databases.ts'
import { fetchAndClose } from '../support/fetch-and-close.ts'
import { startServer } from '../support/start-server.ts'
import { eventually } from '../webhooks/webhook-world.ts'

const password = 'analytical engine'

interface AccessLine {
  level: string
  requestId: string
  method: string
  route?: string
  operation?: string
  status: number
  milliseconds: number
  accountId?: string
  code?: string
}

describe.each(anyServerDatabase)('the server on $name, seen from outside', ({ name, open }) => {
  let database: OpenDatabase
  let key = ''
  beforeAll(async () => {
    database = await open()
  })
  afterAll(() => database.close())

  async function start(settings: Record<string, string> = {}) {
    const running = startServer({
      PORT: '0',
      DATABASE_URL: database.url,
      CLIENTELE_SECRET: 'a secret for tests that is long enough',
      ...settings,
    })
    const stop = async () => {
      running.child.kill('SIGTERM')
      await running.ended
    }
    onTestFinished(stop)
    const [, base = ''] = await running.waitFor(/^Listening on (http:\S+)$/m)
    // Lines of the log are written in batches, and the address at once.
    if (settings.METRICS_PORT !== undefined)
      await expect.poll(() => readMetricsPort(running.errors())).toBeDefined()
    if (key === '') key = (await running.waitFor(/^API key: (\S+)$/m))[1] ?? ''
    const client = createClient({ baseUrl: base, apiKey: key, fetch: fetchAndClose })
    return { running, stop, base, client }
  }

  const readLines = (errors: string): AccessLine[] =>
    errors
      .split('\n')
      .filter((line) => line.includes('"A request was answered."'))
      .map((line) => JSON.parse(line))

  async function scrape(errors: string): Promise<{ page: string; families: Family[] }> {
    const response = await fetchAndClose(`http://127.0.0.1:${readMetricsPort(errors)}/metrics`)
    expect(response.headers.get('content-type')).toMatch(/^text\/plain; version=0\.0\.4/)
    const page = await response.text()
    // The parser makes one histogram of all that differ in their labels; without their type they are read apart.
    return { page, families: parsePage(page.replaceAll(/^# TYPE \S+ histogram\n/gm, '')) }
  }

  test('the log has one line per request, with the id of the response', async () => {
    const { running, stop, base, client } = await start()
    const email = 'ada@example.com'
    const user = dataOf(await client.createUser({ name: 'Ada', email, password }))
    const answer = await fetchAndClose(`${base}/client/user/${user.id}?${email}=1`, {
      headers: { authorization: `Bearer ${key}` },
    })
    await fetchAndClose(`${base}/client/user/nobody/${email}`)
    await stop()
    const [created, refused, absent, ...rest] = readLines(running.errors())
    expect(rest).toEqual([])
    expect(created).toEqual({
      level: 'info',
      time: expect.any(String),
      message: 'A request was answered.',
      requestId: expect.any(String),
      method: 'POST',
      route: '/client/user',
      operation: 'createUser',
      status: 201,
      milliseconds: expect.any(Number),
      accountId: expect.any(String),
    })
    expect(refused).toMatchObject({
      requestId: answer.headers.get('x-request-id'),
      route: '/client/user/{id}',
      status: 422,
      code: 'validation_failed',
    })
    expect(absent).toMatchObject({ status: 404, code: 'route_not_found' })
    expect(absent).not.toHaveProperty('route')
  })

  test('with LOG_LEVEL=warn the log has no such lines', async () => {
    const { running, stop, client } = await start({ LOG_LEVEL: 'warn' })
    dataOf(await client.listUsers({}))
    await stop()
    expect(running.errors()).toBe('')
  })

  test('neither the log nor the metrics contain what callers send', async () => {
    const settings = { LOG_LEVEL: 'debug', METRICS_PORT: '0', TRUST_REQUEST_IDS: 'true' }
    const { running, base, client, stop } = await start(settings)
    const secrets = await sendSecrets(client, base, key)
    const { page } = await scrape(running.errors())
    await stop()
    const lines = readLines(running.errors())
    expect(lines.length).toBeGreaterThan(8)
    const logged = running.errors()
    expect(secrets.filter((secret) => logged.includes(secret))).toEqual([])
    expect(secrets.filter((secret) => page.includes(secret))).toEqual([])
    for (const { accountId = '' } of lines)
      expect(accountId === '' || !page.includes(accountId)).toBe(true)
  })

  test('metrics that Prometheus can read have a separate port', async () => {
    const { running, base, client } = await start({ METRICS_PORT: '0' })
    expect((await fetchAndClose(`${base}/metrics`)).status).toBe(404)
    dataOf(await client.createUser({ name: 'Bea', email: 'bea@example.com', password }))
    dataOf(await client.listUsers({}))
    dataOf(await client.listUsers({}))
    await fetchAndClose(`${base}/client/user/somebody/somewhere`, { method: 'DELETE' })
    // A stranger chooses the method.
    for (const method of ['PUT', 'PATCH', 'PROPFIND'])
      await fetchAndClose(`${base}/client/user`, { method })
    const { page, families } = await scrape(running.errors())
    const find = (metric: string) =>
      families.filter((family) => family.name === metric).flatMap(({ metrics }) => metrics)
    const requests = find('clientele_http_request_duration_seconds_count')
    expect(requests.map(({ labels, value }) => [labels, value])).toEqual([
      [{ method: 'POST', route: '/client/user', status: '201' }, '1'],
      [{ method: 'GET', route: '/client/user', status: '200' }, '2'],
      [{ method: 'DELETE', route: 'none', status: '404' }, '1'],
      [{ method: '_OTHER', route: '/client/user', status: '405' }, '3'],
    ])
    const types = new Map(parsePage(page).map((family) => [family.name, family.type]))
    expect(types.get('clientele_http_request_duration_seconds')).toBe('HISTOGRAM')
    expect(types.get('clientele_hashes')).toBe('GAUGE')
    const queries = find('clientele_db_operation_duration_seconds_count')
    expect(queries.map(({ labels }) => labels)).toContainEqual({
      operation: 'users.list',
      error: 'none',
    })
    expect(find('clientele_hash_duration_seconds_count')[0]?.value).toBe('1')
    expect(find('clientele_hash_wait_seconds_count')[0]?.value).toBe('1')
    const waiting = { labels: { state: 'waiting' }, value: '0' }
    expect(find('clientele_hashes')).toContainEqual(waiting)
    expect(find('clientele_mails')).toContainEqual(waiting)
    if (name === 'postgres') expect(find('clientele_db_connections')).toContainEqual(waiting)
    else expect(find('clientele_db_connections')).toEqual([])
    expect(find('clientele_webhook_lag_seconds')).toEqual([{ value: '0' }])
    expect(find('clientele_feed_lag_seconds_count')[0]?.value).toBe('0')
    expect(find('nodejs_eventloop_lag_seconds')).toHaveLength(1)
  })

  test('the metrics port answers no other request', async () => {
    const { running } = await start({ METRICS_PORT: '0' })
    const port = readMetricsPort(running.errors())
    const statusOf = async (path: string, method = 'GET') =>
      (await fetchAndClose(`http://127.0.0.1:${port}${path}`, { method })).status
    expect(await statusOf('/metrics?format=text')).toBe(200)
    expect(await statusOf('/metrics', 'HEAD')).toBe(200)
    expect(await statusOf('/metrics', 'POST')).toBe(405)
    expect(await statusOf('/api/v1/client/user')).toBe(404)
    expect(await statusOf('/health/live')).toBe(404)
  })

  // SQLite has one process that serves.
  const onSeveral = name === 'postgres' ? test : undefined
  onSeveral?.('several workers are one page', async () => {
    const { running, base } = await start({ METRICS_PORT: '0', WORKERS: '2' })
    await eventually(() => running.errors().split('"A worker listens."').length).toBe(3)
    const names = ['clientele_http_request_duration_seconds_count', 'process_cpu_seconds_total']
    const count = 40
    // A connection each: they come to both workers.
    for (let sent = 0; sent < count; sent++)
      await fetchAndClose(`${base}/client/user`, { headers: { connection: 'close' } })
    const { families } = await scrape(running.errors())
    const [requests, cpu] = names.map((metric) =>
      families.find((family) => family.name === metric)?.metrics.map(({ value }) => Number(value)),
    )
    expect(requests).toEqual([count])
    expect(cpu?.[0]).toBeGreaterThan(0)
    const lag = families.find((family) => family.name === 'clientele_webhook_lag_seconds')
    expect(lag?.metrics).toEqual([{ value: '0' }])
    const pids = new Set([...running.errors().matchAll(/"worker":(\d+)/g)].map(([, pid]) => pid))
    expect(pids.size).toBe(2)
  })

  test('a metrics port that is in use is reported', async () => {
    const taken = createServer().listen(0, '127.0.0.1')
    onTestFinished(() => void taken.close())
    await new Promise((resolve) => taken.once('listening', resolve))
    const address = taken.address()
    const port = typeof address === 'object' ? address?.port : undefined
    const running = startServer({
      PORT: '0',
      DATABASE_URL: database.url,
      CLIENTELE_SECRET: 'a secret for tests that is long enough',
      METRICS_PORT: String(port),
    })
    expect(await running.ended).toBe(1)
    expect(running.errors()).toContain('METRICS_PORT cannot be listened on: ')
  })
})

function readMetricsPort(errors: string): string | undefined {
  return /"metrics":\{[^}]*"port":(\d+)/.exec(errors)?.[1]
}

/** Sends secrets wherever a caller can, and answers with them. */
async function sendSecrets(client: Client, base: string, key: string): Promise<string[]> {
  const email = 'grace.secret@example.com'
  const grace = { name: 'Grace Secret', email, password: 'a password that is secret' }
  const user = dataOf(await client.createUser({ ...grace, metadata: { note: 'noted-secret' } }))
  const login = dataOf(await client.logIn({ email, password: grace.password }))
  if (!('token' in login.data)) throw new Error('An MFA factor was asked for.')
  const { token, refresh_token: refreshToken } = login.data
  const send = (path: string, init: RequestInit = {}) =>
    fetchAndClose(`${base}${path}`, {
      ...init,
      headers: {
        authorization: `Bearer ${key}`,
        'content-type': 'application/json',
        ...init.headers,
      },
    })
  const post = (path: string, body: unknown, headers = {}) =>
    send(path, {
      method: 'POST',
      body: typeof body === 'string' ? body : JSON.stringify(body),
      headers,
    })
  await send(`/client/user?email=${email}&q=Grace&token=${token}`)
  await send(`/client/user/${email}/${refreshToken}`)
  await send('/client/user', {
    headers: { cookie: 'session=cookie-secret', 'x-request-id': email },
  })
  await send('/client/user', { headers: { authorization: `Bearer ${token}` } })
  await send('/client/user', {
    headers: { authorization: `Basic ${btoa(`${email}:basic-secret`)}` },
  })
  await post('/client/user', `{"password":"${grace.password}"`)
  await post('/client/user', grace)
  await post('/client/user/auth/login', { email, password: 'wrong-secret' })
  await post('/client/user/auth/refresh', { refresh_token: refreshToken })
  await post('/client/user/auth/refresh', { refresh_token: refreshToken, [email]: 1 })
  await post('/client/user/auth/validation-token', { token: `Bearer ${token}` })
  await post('/client/user/auth/password/forgot', { email })
  await send(`/client/user/${user.id}`, { method: 'DELETE', headers: { 'if-match': `"${email}"` } })
  return [
    email,
    'grace.secret',
    'Grace',
    grace.password,
    'noted-secret',
    'cookie-secret',
    'wrong-secret',
    'basic-secret',
    btoa(`${email}:basic-secret`),
    key,
    token,
    refreshToken,
    user.id,
  ]
}
