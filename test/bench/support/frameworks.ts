import { createServer } from 'node:http'
import type { Clientele } from '@clientele/core'
import bodyParser from '@koa/bodyparser'
import express from 'express'
import Fastify from 'fastify'
import Koa from 'koa'

export type Answer = (
  headers: Record<string, unknown>,
  body: unknown,
  query: Record<string, unknown>,
) => Promise<{
  status: number
  body: unknown
}>

export const frameworks = ['express', 'fastify', 'koa'] as const
export type Framework = (typeof frameworks)[number]

/** Serves hand-written handlers the way each framework's documentation shows. */
export async function serveByHand(
  framework: Framework,
  routes: Record<string, Answer>,
): Promise<string> {
  if (framework === 'fastify') {
    const app = Fastify()
    for (const [name, answer] of Object.entries(routes)) {
      const [method = '', url = ''] = name.split(' ')
      app.route({
        method,
        url,
        handler: async (request, reply) => {
          const { status, body } = await answer(
            request.headers,
            request.body,
            request.query as Record<string, unknown>,
          )
          reply.code(status)
          return body
        },
      })
    }
    return app.listen({ port: 0, host: '127.0.0.1' })
  }
  if (framework === 'express') {
    const app = express().disable('x-powered-by').use(express.json())
    for (const [name, answer] of Object.entries(routes)) {
      const [method = '', url = ''] = name.split(' ')
      app[method.toLowerCase() as 'get' | 'post'](url, async (request, response) => {
        const { status, body } = await answer(request.headers, request.body, request.query)
        response.status(status).json(body)
      })
    }
    return listen(createServer(app))
  }
  const app = new Koa()
  app.use(bodyParser())
  app.use(async (context) => {
    const answer = routes[`${context.method} ${context.path}`]
    if (answer === undefined) return
    const { status, body } = await answer(context.headers, context.request.body, context.query)
    context.status = status
    context.body = body
  })
  return listen(createServer(app.callback()))
}

/** Serves Clientele by its adapter for the framework. */
export async function serveClientele(framework: Framework, clientele: Clientele): Promise<string> {
  if (framework === 'fastify') {
    const { clienteleRoutes } = await import('@clientele/fastify')
    const app = Fastify()
    await app.register(clienteleRoutes(clientele))
    return app.listen({ port: 0, host: '127.0.0.1' })
  }
  if (framework === 'express') {
    const { clienteleRoutes } = await import('@clientele/express')
    return listen(createServer(express().disable('x-powered-by').use(clienteleRoutes(clientele))))
  }
  const { clienteleRoutes } = await import('@clientele/koa')
  return listen(createServer(new Koa().use(clienteleRoutes(clientele)).callback()))
}

function listen(server: ReturnType<typeof createServer>): Promise<string> {
  return new Promise((resolve) => {
    server.listen(0, '127.0.0.1', () => {
      const address = server.address()
      resolve(`http://127.0.0.1:${typeof address === 'object' && address ? address.port : 0}`)
    })
  })
}
