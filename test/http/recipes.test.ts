import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { type IncomingHttpHeaders, request } from 'node:http'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { text } from 'node:stream/consumers'
import { describe, expect, type TestContext, test } from 'vitest'
import { runsEveryTest } from '../support/slow-tests.ts'

const origin = 'https://app.example.com'

/** A host around the block of a README: what comes before it, and what comes after. */
const hosts: Record<string, { before: string; after: string }> = {
  express: {
    before: `import express from 'express'
import { clienteleRoutes } from '@clientele/express'
const app = express()`,
    after: `app.post('/own', (req, res) => void res.json({ body: req.body }))
app.use((error, req, res, next) => void res.status(error.status ?? 500).send('the host'))
const server = app.listen(0, '127.0.0.1', () => tell(server.address().port))`,
  },
  fastify: {
    before: `import fastify from 'fastify'
import { clienteleRoutes } from '@clientele/fastify'
const app = fastify()`,
    after: `app.listen({ port: 0, host: '127.0.0.1' }).then(() => tell(app.server.address().port))`,
  },
  fetch: {
    before: `import { Hono } from 'hono'
import { serve } from '@hono/node-server'
import { clienteleHandler } from '@clientele/fetch'
const app = new Hono()`,
    after: `serve({ fetch: app.fetch, port: 0, hostname: '127.0.0.1' }, ({ port }) => tell(port))`,
  },
  koa: {
    before: `import Koa from 'koa'
import { clienteleRoutes } from '@clientele/koa'
const app = new Koa()
app.silent = true`,
    after: `app.use((ctx) => { ctx.body = { body: ctx.request.body } })
const server = app.listen(0, '127.0.0.1', () => tell(server.address().port))`,
  },
}

interface Reply {
  status: number | undefined
  headers: IncomingHttpHeaders
  body: string
}

/** Starts the block below a heading of a framework's README, as it stands there, until the test is over. */
async function start({ onTestFinished }: TestContext, framework: string, heading: string) {
  const readme = readFileSync(
    join(import.meta.dirname, `../../packages/${framework}/README.md`),
    'utf8',
  )
  const section = readme.split(/^## /m).find((part) => part.startsWith(heading)) ?? ''
  const block = /^```ts\n(.*?)^```$/ms.exec(section)?.[1]
  expect(block, `a block below ${heading}`).toBeDefined()
  const program = `${hosts[framework]?.before}
import { createClientele } from '@clientele/core'
import { sqlite } from '@clientele/core/sqlite'
const clientele = await createClientele({
  repository: sqlite({ filename: ':memory:' }),
  logger: { info() {}, warn() {}, error: console.error },
})
const account = await clientele.accounts.create({ name: 'Acme' })
const { apiKey: api_key } = await clientele.apiKeys.create(account.id)
const tell = (port) => console.log(JSON.stringify({ port, api_key }))
${block}
${hosts[framework]?.after}`
  const child = spawn(process.execPath, ['--input-type=module', '--eval', program], {
    cwd: import.meta.dirname,
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  onTestFinished(() => void child.kill())
  const [line] = (await once(createInterface({ input: child.stdout }), 'line')) as [string] // what it tells
  const { port, api_key } = JSON.parse(line) as { port: number; api_key: string } // as it is told above
  const send = (
    method: string,
    path: string,
    headers: Record<string, string> = {},
    body?: string,
  ): Promise<Reply> =>
    new Promise((resolve, reject) => {
      request({ port, host: '127.0.0.1', method, path, headers, agent: false }, async (response) =>
        resolve({
          status: response.statusCode,
          headers: response.headers,
          body: await text(response),
        }),
      )
        .on('error', reject)
        .end(body)
    })
  return { send, key: { authorization: `Bearer ${api_key}` } }
}

const json = { 'content-type': 'application/json' }
const users = '/api/v1/client/user'
/** What every page may see, and what is the connection's or the host's own. */
const needsNoExposing =
  /^(cache-control|content-(length|type)|connection|date|keep-alive|transfer-encoding|vary|x-powered-by|access-control-.+)$/

// Processes of their own, which start beside each other
const frameworks = Object.keys(hosts).filter(
  (name) => runsEveryTest || !['fastify', 'koa'].includes(name),
)
describe.concurrent.each(frameworks)('%s', (framework) => {
  test('CORS: a page may send every request, and sees every field of its answer', async (context) => {
    const { send, key } = await start(context, framework, 'Browsers on other origins')
    const preflight = await send('OPTIONS', `${users}/some-id`, {
      origin,
      'access-control-request-method': 'PATCH',
      'access-control-request-headers': 'authorization,content-type,if-match,idempotency-key',
    })
    expect([preflight.status, preflight.body]).toEqual([204, ''])
    expect(preflight.headers['access-control-allow-origin']).toBe(origin)
    const list = (field: string | undefined) => (field ?? '').toLowerCase().split(/\s*,\s*/)
    expect(list(preflight.headers['access-control-allow-methods'])).toEqual(
      expect.arrayContaining(['get', 'post', 'put', 'patch', 'delete']),
    )
    expect(list(preflight.headers['access-control-allow-headers'])).toEqual(
      expect.arrayContaining(['authorization', 'content-type', 'if-match', 'idempotency-key']),
    )

    const credentials = { name: 'Ada', email: 'ada@example.com', password: 'analytical engine' }
    const logIn = () => {
      const wrong = JSON.stringify({ email: 'ada@example.com', password: 'wrong' })
      return send('POST', `${users}/auth/login`, { origin, ...key, ...json }, wrong)
    }
    const created = await send(
      'POST',
      users,
      { origin, ...key, ...json },
      JSON.stringify(credentials),
    )
    const answers = [
      created,
      await send('GET', users, { origin, ...key }),
      await send('GET', users, { origin }),
      await send('GET', `${users}/nobody`, { origin, ...key }),
    ]
    while (answers.at(-1)?.status !== 429 && answers.length < 30) answers.push(await logIn())
    expect(new Set(answers.map(({ status }) => status))).toEqual(
      new Set([201, 200, 401, answers[3]?.status, 429]),
    )
    for (const { headers } of answers) {
      expect(headers['access-control-allow-origin']).toBe(origin)
      const exposed = list(headers['access-control-expose-headers'])
      const sent = Object.keys(headers).filter((name) => !needsNoExposing.test(name))
      expect(sent.filter((name) => !exposed.includes(name))).toEqual([])
    }
  })
})

// A body parser of the host is a case of the HTTP contract too: by default the recipe is tried in one.
describe.concurrent.each(runsEveryTest ? ['express', 'koa'] : ['express'])('%s', (framework) => {
  test('a body parser of the host before the routes: its refusals are ours below them, and its own elsewhere', async (context) => {
    const { send, key } = await start(context, framework, 'A body parser of yours')
    const malformed = await send('POST', users, { ...key, ...json }, '{"name":')
    expect(malformed.status).toBe(400)
    expect(malformed.headers['content-type']).toMatch(/^application\/problem\+json/)
    expect(JSON.parse(malformed.body)).toMatchObject({ code: 'malformed_json' })
    // An unauthenticated caller learns only that a key is missing.
    const stranger = await send('POST', users, json, '{"name":')
    expect(JSON.parse(stranger.body)).toMatchObject({ code: 'api_key_missing', status: 401 })

    const ada = JSON.stringify({ name: 'Ada', email: 'ada@example.com', password: 'the engine' })
    expect((await send('POST', users, { ...key, ...json }, ada)).status).toBe(201)
    for (const framing of [{ 'content-length': '200000' }, { 'transfer-encoding': 'chunked' }]) {
      const large = JSON.stringify({ name: 'x'.repeat(200_000 - 11) })
      const answer = await send('POST', users, { ...key, ...json, ...framing }, large)
      expect(JSON.parse(answer.body)).toMatchObject({ code: 'body_too_large', status: 413 })
    }

    expect(await send('POST', '/own', json, '{"a":1}')).toMatchObject({
      status: 200,
      body: '{"body":{"a":1}}',
    })
    const own = await send('POST', '/own', json, '{"a":')
    expect(own.status).toBe(400)
    expect(own.headers['content-type']).not.toMatch(/problem/)
  })
})
