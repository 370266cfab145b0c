import { createServer } from 'node:http'
import { consoleRoutes } from '@clientele/console'
import type { Clientele } from '@clientele/core'
import { clienteleRoutes as expressRoutes } from '@clientele/express'
import { clienteleRoutes as fastifyRoutes } from '@clientele/fastify'
import { clienteleRoutes as koaRoutes } from '@clientele/koa'
import express from 'express'
import express4 from 'express4'
import fastify from 'fastify'
import Koa from 'koa'
import Koa2 from 'koa2'
import { expect, onTestFinished, test } from 'vitest'
import { openClientele } from './support/world.ts'
import { listen, type StartedTarget } from './targets/target.ts'

/** One list for all answers: nothing of one may be left in it for the next. */
const own = ['host=1; Path=/', 'shown=2; Path=/']
const headers = { 'clientele-console': '1' }

function startExpress(framework: typeof express) {
  return (clientele: Clientele): Promise<StartedTarget> => {
    const app = framework()
    app.use((_req, res, next) => {
      res.setHeader('set-cookie', own)
      next()
    })
    app.use(expressRoutes(consoleRoutes(clientele)))
    return listen(createServer(app), 'root')
  }
}

function startKoa(Framework: typeof Koa) {
  return (clientele: Clientele): Promise<StartedTarget> => {
    const app = new Framework()
    app.use((ctx, next) => {
      ctx.set('set-cookie', own)
      return next()
    })
    app.use(koaRoutes(consoleRoutes(clientele)))
    return listen(createServer(app.callback()), 'root')
  }
}

async function startFastify(clientele: Clientele): Promise<StartedTarget> {
  const app = fastify({ forceCloseConnections: true })
  app.addHook('onRequest', async (_request, reply) => {
    reply.header('set-cookie', own)
  })
  await app.register(fastifyRoutes(consoleRoutes(clientele)))
  const origin = await app.listen({ port: 0, host: '127.0.0.1' })
  return { origin, prefix: '', close: () => app.close() }
}

test.each([
  { name: 'express 5', start: startExpress(express) },
  { name: 'express 4', start: startExpress(express4) },
  { name: 'fastify 5', start: startFastify },
  { name: 'koa 3', start: startKoa(Koa) },
  { name: 'koa 2', start: startKoa(Koa2) },
])('$name: the console’s cookie stands beside the host’s own', async ({ start }) => {
  const clientele = await openClientele('sqlite::memory:')
  onTestFinished(() => clientele.close())
  const host = await start(clientele)
  onTestFinished(() => host.close())
  const session = `${host.origin}/client/console/session`
  const signOut = await fetch(session, { method: 'DELETE', headers })
  expect(signOut.status).toBe(204)
  const cookies = signOut.headers.getSetCookie()
  expect(cookies).toEqual([
    'host=1; Path=/',
    'shown=2; Path=/',
    expect.stringMatching(/^clientele_console=; /),
  ])
  const other = await fetch(session, { headers })
  expect(other.status).toBe(401)
  expect(other.headers.getSetCookie()).toEqual(['host=1; Path=/', 'shown=2; Path=/'])
})
