import { execFile } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { mkdtemp, rm, stat } from 'node:fs/promises'
import { request } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { createClient, dataOf } from '@clientele/client'
import { createClientele } from '@clientele/core'
import { decodeJwt, decodeProtectedHeader } from 'jose'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { openRepository } from '../keys/open-clientele.ts'
import { databases, type OpenDatabase } from '../support/databases.ts'
import { fetchAndClose } from '../support/fetch-and-close.ts'
import { runsEveryTest } from '../support/slow-tests.ts'
import { type RunningServer, startServer } from '../support/start-server.ts'

const secret = 'a secret for tests that is long enough'

function start(environment: Record<string, string>, cwd?: string): RunningServer {
  return startServer({ PORT: '0', LOG_LEVEL: 'warn', ...environment }, cwd)
}

async function findBase(running: RunningServer): Promise<string> {
  const [, base = ''] = await running.waitFor(
    /^Listening on (http:\/\/127\.0\.0\.1:\d+\/api\/v1)$/m,
  )
  return base
}

/** The status of a request in absolute form, as proxies send it (RFC 9112, section 3.2.2). */
function statusOf(origin: string, target: string): Promise<number | undefined> {
  return new Promise((resolve, reject) => {
    const sent = request(origin, { path: target, agent: false }, (response) => {
      response.resume()
      resolve(response.statusCode)
    })
    sent.on('error', reject).end()
  })
}

async function stop(running: RunningServer): Promise<number | null> {
  running.child.kill('SIGTERM')
  return running.ended
}

describe.each(databases)('$name', ({ name, openEmpty }) => {
  // What the server alone does is tried on one by default.
  const isTried = runsEveryTest || name === 'sqlite'

  let database: OpenDatabase
  beforeAll(async () => {
    database = await openEmpty()
  })
  afterAll(() => database.close())

  const environment = () => ({ DATABASE_URL: database.url, CLIENTELE_SECRET: secret })

  test('the printed curl command works, and the key is printed once', async () => {
    const first = start(environment())
    const base = await findBase(first)
    const [command] = await first.waitFor(/^curl .+$/m)
    const [, key] = await first.waitFor(/^API key: (cu_live_[0-9A-Za-z]{71})$/m)
    const { stdout } = await promisify(execFile)('bash', ['-c', `${command} --silent`])
    expect(JSON.parse(stdout)).toMatchObject({ email: 'ada@example.com', is_active: true })
    const client = createClient({ baseUrl: base, apiKey: key ?? '', fetch: fetchAndClose })
    expect(dataOf(await client.listUsers()).total).toBe(1)
    expect(await stop(first)).toBe(0)

    const second = start(environment())
    await findBase(second)
    await second.waitFor(/clientele account list/)
    expect(await stop(second)).toBe(0)
    expect(second.output()).not.toContain('cu_live_')
  })

  test.runIf(isTried)(
    'health checks answer, and what is not there is problem details',
    async () => {
      const running = start(environment())
      const { origin } = new URL(await findBase(running))
      for (const path of ['/health/live', '/health/ready']) {
        const response = await fetchAndClose(origin + path)
        expect([response.status, await response.json()]).toEqual([200, { status: 'ok' }])
      }
      expect((await fetchAndClose(`${origin}/health/live`, { method: 'POST' })).status).toBe(405)
      for (const path of ['/health/live', '/api/v1/client/user/openapi.json']) {
        expect(await statusOf(origin, `http://example.com${path}`)).toBe(200)
      }
      for (const path of ['/', '/api/v1', '/api/v1/other', '/client/user']) {
        const response = await fetchAndClose(origin + path)
        expect(response.status).toBe(404)
        expect(response.headers.get('content-type')).toMatch(/^application\/problem\+json/)
        expect(response.headers.get('x-request-id')).toMatch(/^[0-9a-f-]{36}$/)
        expect(await response.json()).toMatchObject({ code: 'route_not_found', status: 404 })
      }
      expect(await stop(running)).toBe(0)
    },
  )

  test.runIf(isTried)(
    'SIGTERM lets a request end, ends idle connections, and exits 0',
    async () => {
      const running = start(environment())
      const base = await findBase(running)
      await fetch(`${base}/client/user`) // leaves its connection idle
      const body = JSON.stringify({ token: 'Bearer x' })
      const slow = request(`${base}/client/user/auth/validation-token`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', 'content-length': body.length },
      })
      const answered = new Promise<number | undefined>((resolve, reject) => {
        slow.on('response', (response) => resolve(response.resume().statusCode)).on('error', reject)
      })
      slow.write(body.slice(0, 5))
      await new Promise((resolve) => setTimeout(resolve, 200))
      running.child.kill('SIGTERM')
      await new Promise((resolve) => setTimeout(resolve, 300))
      await expect(statusOf(base, '/')).rejects.toMatchObject({ code: 'ECONNREFUSED' })
      slow.end(body.slice(5))
      expect(await answered).toBe(401) // no API key: an answer, not a broken connection
      expect(await running.ended).toBe(0)
    },
  )

  test.runIf(isTried)(
    'SIGTERM answers requests that wait for revocations',
    async () => {
      const repository = openRepository(database.url)
      const clientele = await createClientele({ repository, secrets: [secret] })
      const account = await clientele.accounts.create({ name: 'Acme' })
      const { apiKey } = await clientele.apiKeys.create(account.id)
      await clientele.close()
      const running = start(environment())
      const base = await findBase(running)
      const headers = { authorization: `Bearer ${apiKey}` }
      const path = `${base}/client/user/auth/revocation`
      const waiting = fetch(`${path}?wait=25`, { headers })
      // It came before this one, which has been answered.
      await fetch(path, { headers })
      await new Promise((resolve) => setTimeout(resolve, 200))
      expect(await stop(running)).toBe(0)
      const answer = await waiting
      expect([answer.status, await answer.json()]).toMatchObject([200, { data: [] }])
    },
    20_000,
  )

  test.runIf(isTried)(
    'MIGRATE=false: serves a current schema, and names the missing migrations of another',
    async () => {
      const url = new URL(database.url)
      if (url.protocol === 'sqlite:') url.pathname += '-new'
      else url.searchParams.set('schema', 'new')
      const isNew = { ...environment(), DATABASE_URL: url.href, MIGRATE: 'false' }
      const early = start(isNew)
      expect(await early.ended).toBe(1)
      expect(early.errors()).toMatch(/0001-initial.*: run clientele migrate/)
      expect(early.output()).toBe('')
      for (const migrate of ['true', 'false']) {
        const running = start({ ...isNew, MIGRATE: migrate })
        await findBase(running)
        expect(await stop(running)).toBe(0)
      }
    },
  )

  test.runIf(isTried)('another secret than before: refuses to start', async () => {
    const first = start(environment())
    await findBase(first)
    const { createClientele } = await import('@clientele/core')
    const { openRepository } = await import('@clientele/core/database-url')
    const repository = await openRepository(database.url)
    const clientele = await createClientele({ repository, secrets: [secret] })
    const [account] = await clientele.accounts.list()
    await clientele.signingKeys.rotate(account?.id ?? '')
    await clientele.close()
    await stop(first)
    const other = start({ ...environment(), CLIENTELE_SECRET: 'quite another secret' })
    expect(await other.ended).toBe(1)
    expect(other.errors()).toMatch(/CLIENTELE_SECRET=new,old/)
    expect(other.errors()).not.toContain('quite another secret')
  })
})

test.concurrent('without a secret: SQLite makes one, PostgreSQL refuses and says what to set', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'clientele-server-'))
  try {
    const onSqlite = start({}, folder)
    await findBase(onSqlite)
    expect(await stop(onSqlite)).toBe(0)
    expect(onSqlite.errors()).toContain('clientele.sqlite.secret')
    expect((await stat(join(folder, 'data/clientele.sqlite.secret'))).mode & 0o777).toBe(0o600)
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
  const postgres = databases.find((each) => each.name === 'postgres')
  const database = await postgres?.openEmpty()
  const onPostgres = start({ DATABASE_URL: database?.url ?? '' })
  expect(await onPostgres.ended).toBe(2)
  expect(onPostgres.errors()).toContain('CLIENTELE_SECRET')
  await database?.close()
})

test.concurrent('PUBLIC_URL: Location and Link have the path that callers see, and the issuer is found by both forms of its address', async () => {
  const publicUrl = 'https://api.example.com/users'
  const running = start({
    DATABASE_URL: 'sqlite::memory:',
    PUBLIC_URL: `${publicUrl}/`,
    CLIENTELE_SECRET: secret,
    SIGNING_ALGORITHM: 'EdDSA',
    TOKEN_TYPE: 'JWT',
  })
  const base = await findBase(running)
  const { origin } = new URL(base)
  const [, apiKey = ''] = await running.waitFor(/^API key: (cu_.+)$/m)
  const client = createClient({ baseUrl: base, apiKey, fetch: fetchAndClose })
  const { response } = await client.listUsers()
  expect(response?.headers.get('link')).toMatch(/^<\/users\/client\/user\?/)
  const ada = { email: 'ada@example.com', password: 'password' }
  const read = async (answer: Response) => JSON.parse(await answer.text())
  dataOf(await client.createUser({ name: 'Ada', ...ada }))
  const signedIn = dataOf(await client.logIn(ada))
  if (signedIn.success_code !== 200) throw new Error('A second factor was asked for.')
  const { token } = signedIn.data
  expect(decodeProtectedHeader(token)).toMatchObject({ alg: 'EdDSA', typ: 'JWT' })
  const { iss = '', aud } = decodeJwt(token)
  expect(iss).toBe(`${publicUrl}/client/account/${aud}`)
  const name = '/.well-known/oauth-authorization-server'
  const inserted = `${origin}${name}/users/client/account/${aud}`
  for (const url of [`${base}/client/account/${aud}${name}`, inserted]) {
    const answer = await fetchAndClose(url)
    expect(answer.headers.get('cache-control')).toBe('public, max-age=300')
    expect(await answer.json()).toMatchObject({ issuer: iss })
  }
  expect((await fetchAndClose(inserted, { method: 'POST' })).status).toBe(405)
  for (const [url, code] of [
    [inserted.replace(String(aud), randomUUID()), 'account_not_found'],
    [`${inserted}/other`, 'route_not_found'],
    [inserted.replace('/users', '/api/v1'), 'route_not_found'],
    [`${origin}${name}`, 'route_not_found'],
  ] as const) {
    const answer = await fetchAndClose(url)
    expect([url, answer.status, (await read(answer)).code]).toEqual([url, 404, code])
  }
  expect(await stop(running)).toBe(0)
})

test.concurrent('the database goes away: not ready, 503 and still alive', async () => {
  const postgres = databases.find((each) => each.name === 'postgres')
  const database = await postgres?.open()
  const running = start({ DATABASE_URL: database?.url ?? '', CLIENTELE_SECRET: secret })
  const base = await findBase(running)
  const [, apiKey = ''] = await running.waitFor(/^API key: (cu_.+)$/m)
  await database?.close()
  const { origin } = new URL(base)
  expect((await fetchAndClose(`${origin}/health/live`)).status).toBe(200)
  expect((await fetchAndClose(`${origin}/health/ready`)).status).toBe(503)
  const client = createClient({ baseUrl: base, apiKey, fetch: fetchAndClose, retry: { count: 0 } })
  const { problem } = await client.listUsers()
  expect(problem).toMatchObject({ status: 503, code: 'storage_unavailable' })
  expect(await stop(running)).toBe(0)
})

test.concurrent("TRUST_REQUEST_IDS=true takes a request's own id over; else one is made", async () => {
  const askFor = async (settings: Record<string, string>) => {
    const running = start({ DATABASE_URL: 'sqlite::memory:', ...settings })
    const url = `${await findBase(running)}/client/user`
    const response = await fetchAndClose(url, { headers: { 'x-request-id': 'from-the-proxy' } })
    expect(await stop(running)).toBe(0)
    return response.headers.get('x-request-id')
  }
  expect(await askFor({ TRUST_REQUEST_IDS: 'true' })).toBe('from-the-proxy')
  if (runsEveryTest) expect(await askFor({})).toMatch(/^[0-9a-f-]{36}$/)
})
