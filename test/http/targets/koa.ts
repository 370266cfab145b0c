import { createServer } from 'node:http'
import { consoleRoutes } from '@clientele/console'
import { clienteleRoutes, requireUser } from '@clientele/koa'
import { scimRoutes } from '@clientele/scim'
import { bodyParser } from '@koa/bodyparser'
import Koa from 'koa'
import Koa2 from 'koa2'
import { hostParserDeviations } from './host-parser.ts'
import { listen, prefixOf, sayWho, type Target } from './target.ts'

function target(name: string, Framework: typeof Koa): Target {
  return {
    name,
    deviations: hostParserDeviations('co-body'),
    start(clientele, mounting, validator) {
      const app = new Framework()
      app.silent = true
      app.use(async (ctx, next) => {
        ctx.set('x-host', name)
        try {
          await next()
        } catch (error) {
          ctx.status = error instanceof Error && 'status' in error ? Number(error.status) : 500
          ctx.body = 'the host'
        }
      })
      if (mounting === 'parsed') {
        app.use(
          bodyParser({
            jsonLimit: '1mb',
            formLimit: '1mb',
            // As the README has it
            onError(error, ctx) {
              if (!ctx.path.startsWith('/api/v1/client/')) throw error
            },
          }),
        )
      }
      const prefix = prefixOf(mounting)
      app.use(clienteleRoutes(clientele, { prefix }))
      app.use(clienteleRoutes(consoleRoutes(clientele), { prefix }))
      app.use(clienteleRoutes(scimRoutes(clientele), { prefix }))
      const guard = requireUser(validator ?? clientele)
      app.use((ctx, next) => (ctx.path === '/me' ? guard(ctx, next) : next()))
      app.use((ctx) => {
        ctx.status = ['/host', '/me'].includes(ctx.path) ? 200 : 404
        const own = ctx.path === '/host' ? 'the host' : 'nothing here'
        ctx.body = ctx.path === '/me' ? sayWho(ctx.state) : own
      })
      return listen(createServer(app.callback()), mounting)
    },
  }
}

export const koa3: Target = target('koa 3', Koa)
export const koa2: Target = target('koa 2', Koa2)
