import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { ClienteleError } from '@clientele/core'
import { createTestClientele } from '@clientele/core/testing'
import {
  clienteleErrors as answerInExpress,
  requireUser as requireExpressUser,
} from '@clientele/express'
import {
  clienteleErrors as answerInFastify,
  requireUser as requireFastifyUser,
} from '@clientele/fastify'
import { requireUser as requireFetchUser, toErrorResponse } from '@clientele/fetch'
import { clienteleErrors as answerInKoa, requireUser as requireKoaUser } from '@clientele/koa'
import { getRequestListener } from '@hono/node-server'
import express from 'express'
import fastify from 'fastify'
import Koa from 'koa'
import { describe, expect, onTestFinished, test } from 'vitest'

type World = Awaited<ReturnType<typeof createTestClientele>>

/** The value of a cookie, as a host would read it. */
function readCookie(header: string | null | undefined): string | undefined {
  const text = /(?:^|; )token=([^;]*)/.exec(header ?? '')?.[1]
  // As cookie-parser does
  return text?.startsWith('j:') ? JSON.parse(text.slice(2)) : text
}

/** What a host's own route does: `/me` is behind the guard, `/fault` fails by us, any other path deletes nothing. */
async function work({ clientele, createAccount }: World, path: string): Promise<string> {
  if (path === '/fault') throw new ClienteleError('storage_unavailable')
  if (path === '/bug') throw new TypeError('a bug')
  const { account } = await createAccount()
  if (path === '/login') {
    await clientele.auth.logIn(account.id, { email: 'ada@example.com', password: 'wrong' })
  }
  await clientele.users.create(account.id, { name: '', email: 'ada', password: 'secret' })
  return 'created'
}

/** Applications whose guard reads a cookie, and that answer errors as Clientele does. Each returns where it listens. */
const frameworks: Record<string, (world: World) => Promise<string>> = {
  express: async (world) => {
    const app = express()
    const guard = requireExpressUser(world.clientele, {
      token: (req) => readCookie(req.headers.cookie),
    })
    app.get('/me', guard, (req, res) => void res.end(req.clientUserId))
    app.use((req, res, next) => {
      work(world, req.path).then((text) => res.end(text), next)
    })
    app.use(answerInExpress())
    app.use(hostErrors)
    return listen(app)
  },
  koa: async (world) => {
    const app = new Koa()
    app.silent = true
    app.use(async (ctx, next) => {
      try {
        await next()
      } catch {
        ctx.status = 500
        ctx.body = 'the host'
      }
    })
    app.use(answerInKoa())
    const guard = requireKoaUser(world.clientele, {
      token: (ctx) => readCookie(ctx.get('cookie')),
    })
    app.use(async (ctx) => {
      if (ctx.path !== '/me') ctx.body = await work(world, ctx.path)
      else
        await guard(ctx, async () => {
          ctx.body = ctx.state.clientUserId
        })
    })
    return listen(app.callback())
  },
  fastify: async (world) => {
    const app = fastify()
    app.setErrorHandler(async (_error, _request, reply) => reply.code(500).send('the host'))
    await app.register(async (routes) => {
      routes.setErrorHandler(answerInFastify())
      const onRequest = requireFastifyUser(world.clientele, {
        token: ({ headers }) => readCookie(headers.cookie),
      })
      routes.get('/me', { onRequest }, async ({ clientUserId }) => clientUserId)
      routes.get('/*', async ({ url }) => work(world, url))
    })
    onTestFinished(() => app.close())
    return app.listen({ port: 0, host: '127.0.0.1' })
  },
  fetch: async (world) => {
    const guard = requireFetchUser(world.clientele, {
      token: ({ headers }) => readCookie(headers.get('cookie')),
    })
    const answer = async (request: Request): Promise<Response> => {
      const { pathname } = new URL(request.url)
      try {
        if (pathname === '/me') return new Response((await guard(request)).userId)
        return new Response(await work(world, pathname))
      } catch (error) {
        if (error instanceof Response) return error
        return toErrorResponse(error) ?? new Response('the host', { status: 500 })
      }
    }
    return listen(getRequestListener(answer))
  },
}

const hostErrors: express.ErrorRequestHandler = (_error, _req, res, _next) =>
  void res.status(500).send('the host')

async function listen(listener: Parameters<typeof createServer>[1]): Promise<string> {
  const server = createServer(listener ?? (() => {}))
  onTestFinished(() => void server.close())
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo // it listens on a port, not on a pipe
  return `http://127.0.0.1:${port}`
}

async function start(framework: string) {
  const world = await createTestClientele()
  onTestFinished(() => world.clientele.close())
  const origin = await (frameworks[framework] ?? frameworks.express)?.(world)
  const ask = async (path: string, headers: Record<string, string> = {}) => {
    const response = await fetch(`${origin}${path}`, { headers })
    return { status: response.status, headers: response.headers, text: await response.text() }
  }
  return { world, ask }
}

describe.each(Object.keys(frameworks))("the host's own routes in %s", (framework) => {
  test('the guard reads the token where the host says that it is, and nowhere else', async () => {
    const { world, ask } = await start(framework)
    const { account } = await world.createAccount()
    const { user } = await world.createUser(account.id)
    const token = await world.tokenFor(user)
    expect(await ask('/me', { cookie: `a=b; token=${token}` })).toMatchObject({
      status: 200,
      text: user.id,
    })
    const refused = async (headers?: Record<string, string>) => {
      const { status, headers: fields, text } = await ask('/me', headers)
      return [status, JSON.parse(text).code, fields.get('www-authenticate')]
    }
    expect(await refused()).toEqual([401, 'token_missing', 'Bearer'])
    expect(await refused({ cookie: 'token=' })).toEqual([401, 'token_missing', 'Bearer'])
    expect(await refused({ cookie: 'token=x y' })).toEqual([401, 'token_malformed', 'Bearer'])
    expect(await refused({ cookie: 'token=j:{"a":1}' })).toEqual([401, 'token_malformed', 'Bearer'])
    const inHeader = { authorization: `Bearer ${token}` }
    expect(await refused(inHeader)).toEqual([401, 'token_missing', 'Bearer'])
  })

  test('an error of a method is answered as by a route of ours, and a fault is left to the host', async () => {
    const { ask } = await start(framework)
    const refused = await ask('/users')
    expect([refused.status, refused.headers.get('content-type')]).toEqual([
      422,
      'application/problem+json; charset=utf-8',
    ])
    expect(JSON.parse(refused.text)).toMatchObject({
      code: 'validation_failed',
      errors: [{ pointer: '/email' }, { pointer: '/name' }],
    })
    const login = await ask('/login')
    expect([login.status, login.headers.get('www-authenticate')]).toEqual([401, null])
    expect(JSON.parse(login.text).code).toBe('credentials_invalid')
    for (const path of ['/fault', '/bug'])
      expect(await ask(path)).toMatchObject({ status: 500, text: 'the host' })
  })
})

test.each([undefined, null, false, ''] as const)('no token: %j', async (none) => {
  const { clientele } = await createTestClientele()
  onTestFinished(() => clientele.close())
  const guard = requireFetchUser(clientele, { token: () => none })
  const refusal = await guard(new Request('https://example.com/')).catch((error) => error)
  expect(JSON.parse(await refusal.text()).code).toBe('token_missing')
})

test('a guard of a validator reads the token there, too', async () => {
  const validated: string[] = []
  const claims = { aud: 'account' }
  const validate = async (token: string) => {
    validated.push(token)
    return { user: { id: 'ada' }, claims }
  }
  const token = (request: Request) => request.headers.get('x-token')
  const guard = Reflect.apply(requireFetchUser, undefined, [{ validate }, { token }])
  const { userId } = await guard(
    new Request('https://example.com/', { headers: { 'x-token': 'x' } }),
  )
  expect([userId, validated]).toEqual(['ada', ['x']])
})

test('a token function that returns a promise is named', async () => {
  const { clientele } = await createTestClientele()
  onTestFinished(() => clientele.close())
  const token = async () => 'x'
  const guard = Reflect.apply(requireFetchUser, undefined, [clientele, { token }])
  await expect(guard(new Request('https://example.com/'))).rejects.toThrow(
    'options.token of requireUser must return a text, and returned a promise.',
  )
})

test('an error has the status of its answer over HTTP', () => {
  expect(new ClienteleError('user_not_found').status).toBe(404)
  expect(new ClienteleError('secret_wrong').status).toBeUndefined()
})
