import { createServer } from 'node:http'
import { consoleRoutes } from '@clientele/console'
import { clienteleHandler, requireUser } from '@clientele/fetch'
import { scimRoutes } from '@clientele/scim'
import { getRequestListener } from '@hono/node-server'
import { Hono } from 'hono'
import { normalizedPaths } from './normalized-paths.ts'
import { listen, prefixOf, sayRequestUser, type Target } from './target.ts'

export const hono4: Target = {
  name: 'hono 4',
  deviations: normalizedPaths,
  async start(clientele, mounting, validator) {
    const prefix = prefixOf(mounting)
    const routes = clienteleHandler(clientele, { prefix })
    const page = clienteleHandler(consoleRoutes(clientele), { prefix })
    const scim = clienteleHandler(scimRoutes(clientele), { prefix })
    const guard = validator === undefined ? requireUser(clientele) : requireUser(validator)
    const app = new Hono()
    app.use(async (c, next) => {
      await next()
      c.header('x-host', 'hono')
    })
    // As the README has it
    app.use(async (_c, next) => {
      try {
        return await next()
      } catch (error) {
        if (error instanceof Response) return error
        throw error
      }
    })
    if (mounting === 'parsed') {
      app.use(async (c, next) => {
        await c.req.raw.clone().text()
        await next()
      })
    }
    app.use(
      async (c, next) =>
        (await routes(c.req.raw)) ?? (await page(c.req.raw)) ?? (await scim(c.req.raw)) ?? next(),
    )
    app.get('/host', (c) => c.text('the host'))
    app.get('/me', async (c) => c.text(sayRequestUser(await guard(c.req.raw))))
    app.notFound(() => new Response('nothing here', { status: 404 }))
    // It puts classes of its own in the place of the global ones, as it does in every host.
    const { Request, Response } = globalThis
    const server = await listen(createServer(getRequestListener(app.fetch)), mounting)
    return {
      ...server,
      close: () => {
        Object.assign(globalThis, { Request, Response })
        return server.close()
      },
    }
  },
}
