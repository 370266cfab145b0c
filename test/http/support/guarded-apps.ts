import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Clientele, GuardOptions, TokenValidator } from '@clientele/core'
import { requireUser as requireExpressUser } from '@clientele/express'
import { requireUser as requireFastifyUser } from '@clientele/fastify'
import { requireUser as requireFetchUser } from '@clientele/fetch'
import { requireUser as requireKoaUser } from '@clientele/koa'
import { getRequestListener } from '@hono/node-server'
import express from 'express'
import fastify from 'fastify'
import Koa from 'koa'
import { onTestFinished } from 'vitest'

/** Applications with one guarded route, which answers `in`; each returns where it listens until the test ends. */
export const guardedApps: Record<
  string,
  (source: Clientele | TokenValidator, options: GuardOptions) => Promise<string>
> = {
  express: async (source, options) => {
    const app = express()
    app.get('/', requireExpressUser(source, options), (_req, res) => void res.end('in'))
    return listen(app)
  },
  koa: async (source, options) => {
    const app = new Koa()
    app.use(requireKoaUser(source, options))
    app.use((ctx) => {
      ctx.body = 'in'
    })
    return listen(app.callback())
  },
  fastify: async (source, options) => {
    const app = fastify()
    app.get('/', { onRequest: requireFastifyUser(source, options) }, async () => 'in')
    onTestFinished(() => app.close())
    return app.listen({ port: 0, host: '127.0.0.1' })
  },
  fetch: async (source, options) => {
    // The two have different users: a validator has none.
    const guard =
      'validate' in source ? requireFetchUser(source, options) : requireFetchUser(source, options)
    const answer = async (request: Request): Promise<Response> => {
      try {
        const { userId, user } = await guard(request)
        return new Response(user === undefined || userId === user.id ? 'in' : 'somebody else')
      } catch (refusal) {
        if (refusal instanceof Response) return refusal
        throw refusal
      }
    }
    return listen(getRequestListener(answer))
  },
}

async function listen(listener: Parameters<typeof createServer>[1]): Promise<string> {
  const server = createServer(listener ?? (() => {}))
  onTestFinished(() => void server.close())
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo // it listens on a port, not on a pipe
  return `http://127.0.0.1:${port}`
}
