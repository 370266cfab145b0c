import type { Clientele } from '@clientele/core'
import { clienteleRoutes, requireUser } from '@clientele/fastify'
import swagger, { type SwaggerOptions } from '@fastify/swagger'
import { createConfig, lintFromString } from '@redocly/openapi-core'
import fastify, { type FastifyInstance } from 'fastify'
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import { createTenant, openClientele, type Tenant } from './support/world.ts'

let clientele: Clientele
let tenant: Tenant
beforeAll(async () => {
  clientele = await openClientele('sqlite::memory:')
  tenant = await createTenant(clientele)
})
afterAll(() => clientele.close())

/** A host that describes itself, with a route of its own. */
async function createHost(options?: SwaggerOptions): Promise<FastifyInstance> {
  const app = fastify()
  onTestFinished(() => app.close())
  if (options !== undefined) await app.register(swagger, options)
  await app.register(clienteleRoutes(clientele), { prefix: '/api/v1' })
  app.get('/me', { onRequest: requireUser(clientele) }, (request) => request.clientUser)
  app.get('/anybody', (request) => ({ has: 'clientUser' in request, user: request.clientUser }))
  await app.ready()
  return app
}

interface Described {
  openapi?: string
  paths: Record<string, Record<string, { operationId?: string; responses: object }>>
}

function listDescribed({ paths }: Described): string[] {
  return Object.entries(paths).flatMap(([path, methods]) =>
    Object.keys(methods).map((method) => `${method.toUpperCase()} ${path}`),
  )
}

test.each(['3.0.3', '3.1.0'])('a document of OpenAPI %s has each operation', async (openapi) => {
  const info = { title: 'Host', version: '1' }
  const components = { securitySchemes: { own: { type: 'http', scheme: 'basic' } } } as const
  const app = await createHost({ openapi: { openapi, info, components } })
  const document: unknown = app.swagger()
  const ours = clientele.operations.map(({ method, path }) => `${method} /api/v1${path}`)
  expect(listDescribed(document as Described).toSorted()).toEqual(
    [...ours, 'GET /anybody', 'GET /me'].toSorted(),
  )
  expect(ours.length).toBeGreaterThan(25)
  expect(document).toMatchObject({
    paths: {
      '/api/v1/client/user': {
        post: {
          operationId: 'createUser',
          security: [{ clienteleApiKey: [] }],
          requestBody: {
            content: {
              'application/json': { schema: { required: ['email', 'name'] } },
            },
          },
          responses: { 201: { headers: { ETag: {} } }, 422: {} },
        },
        get: { parameters: expect.arrayContaining([expect.objectContaining({ name: 'limit' })]) },
      },
      '/api/v1/client/user/auth/introspect': {
        post: { security: [{ clienteleApiKey: [] }, { clienteleBasic: [] }] },
      },
      '/api/v1/client/user/openapi.json': { get: { security: [] } },
    },
    components: { securitySchemes: { own: {}, clienteleApiKey: { scheme: 'bearer' } } },
  })
  const config = await createConfig('rules: { struct: error, no-unresolved-refs: error }')
  const problems = await lintFromString({ source: JSON.stringify(document), config })
  expect(problems.map(({ message, location }) => [message, location[0]?.pointer])).toEqual([])
})

test('a document of Swagger 2.0, the default, lists each operation', async () => {
  const app = await createHost({})
  const document: unknown = app.swagger()
  expect(listDescribed(document as Described)).toHaveLength(clientele.operations.length + 2)
})

test('printRoutes shows each path', async () => {
  const app = await createHost()
  const printed = app.printRoutes({ commonPrefix: false })
  // A path that begins as another does stands below it, with the rest of it.
  const above: string[] = []
  const shown = new Map<string, string>()
  for (const line of printed.split('\n')) {
    const [, indent = '', part = '', methods = ''] =
      /^(.*?)[├└]── (\S+)(?: \((.*)\))?/.exec(line) ?? []
    above.splice(indent.length / 4, above.length, part)
    shown.set(above.join(''), methods)
  }
  for (const { path, method } of clientele.operations) {
    const url = `/api/v1${path.replaceAll(/\{(\w+)\}/g, ':$1')}`
    expect([url, shown.get(url)?.split(', ')]).toEqual([url, expect.arrayContaining([method])])
  }
})

test('the described schemas are checked by Clientele alone', async () => {
  const app = await createHost({ openapi: {} })
  const authorization = `Bearer ${tenant.key}`
  const list = await app.inject({ url: '/api/v1/client/user?limit=x', headers: { authorization } })
  expect(list.statusCode).toBe(422)
  expect(list.json()).toMatchObject({ code: 'validation_failed', errors: [{ pointer: '/limit' }] })
  const created = await app.inject({
    method: 'POST',
    url: '/api/v1/client/user',
    headers: { authorization, 'content-type': 'application/json' },
    payload: '{"name":5}',
  })
  expect(created.json()).toMatchObject({ code: 'validation_failed' })
})

test('clientUser is declared on the requests of the host, once for many mounts', async () => {
  const app = fastify()
  onTestFinished(() => app.close())
  await app.register(clienteleRoutes(clientele), { prefix: '/one' })
  await app.register(clienteleRoutes(clientele), { prefix: '/two' })
  app.get('/anybody', (request) => ({ has: 'clientUser' in request && 'clientClaims' in request }))
  expect(app.hasRequestDecorator('clientUser')).toBe(true)
  expect((await app.inject('/anybody')).json()).toEqual({ has: true })
  for (const prefix of ['/one', '/two']) {
    expect((await app.inject(`${prefix}/client/user`)).statusCode).toBe(401)
  }
})

test('a plugin under a prefix of the host is mounted under both prefixes', async () => {
  const app = fastify()
  onTestFinished(() => app.close())
  await app.register(
    async (inner) => {
      await inner.register(clienteleRoutes(clientele), { prefix: '/users' })
    },
    { prefix: '/api' },
  )
  const answer = await app.inject({
    method: 'POST',
    url: '/api/users/client/user',
    headers: { authorization: `Bearer ${tenant.key}`, 'content-type': 'application/json' },
    payload: { name: 'Ada', email: 'ada@example.com', password: 'password' },
  })
  expect(answer.headers.location).toMatch(/^\/api\/users\/client\/user\//)
})

test('a prefix with a parameter takes its value from each request', async () => {
  const app = fastify()
  onTestFinished(() => app.close())
  await app.register(clienteleRoutes(clientele), { prefix: '/api/:version' })
  const headers = { authorization: `Bearer ${tenant.key}` }
  const list = await app.inject({ url: '/api/2026-11/client/user?limit=1', headers })
  expect(list.statusCode).toBe(200)
  expect(list.headers.link).toMatch(/^<\/api\/2026-11\/client\/user\?limit=1&page=1>; rel="first"/)
  const absent = await app.inject({ url: '/api/a%2Fb/client/user/x', headers })
  expect(absent.json()).toMatchObject({ code: 'user_not_found' })
})
