import { consoleRoutes } from '@clientele/console'
import { clienteleRoutes, requireUser } from '@clientele/fastify'
import { scimRoutes } from '@clientele/scim'
import fastify from 'fastify'
import { prefixOf, sayWho, type Target } from './target.ts'

export const fastify5: Target = {
  name: 'fastify 5',
  deviations: [
    {
      reason:
        'The router answers broken percent-encoding itself; only `frameworkErrors` of the whole server can change it.',
      cases: ['%', '%zz', '%ff', '%c0%af'].map(
        (end) => `broken percent-encoding: /client/user/${end}`,
      ),
      answer: {
        status: 400,
        headers: { 'content-type': 'application/json' },
        body: /"code":"FST_ERR_BAD_URL"/,
      },
    },
    {
      reason:
        'A method that the server has not been told of (`addHttpMethod`) has no routes, whatever a plugin registers.',
      cases: ['405 for a method that few know'],
      answer: {
        status: 404,
        headers: { 'content-type': 'text/plain; charset=utf-8' },
        body: 'nothing here',
      },
    },
  ],
  async start(clientele, mounting, validator) {
    const app = fastify({ forceCloseConnections: true })
    app.addHook('onRequest', async (_request, reply) => {
      reply.header('x-host', 'fastify')
    })
    if (mounting === 'parsed') {
      app.addContentTypeParser('application/json', { parseAs: 'string' }, (_request, body, done) =>
        done(null, JSON.parse(String(body))),
      )
      const form = 'application/x-www-form-urlencoded'
      app.addContentTypeParser(form, { parseAs: 'string' }, (_request, body, done) =>
        done(null, Object.fromEntries(new URLSearchParams(String(body)))),
      )
    }
    const prefix = prefixOf(mounting)
    await app.register(clienteleRoutes(clientele), { prefix })
    await app.register(clienteleRoutes(consoleRoutes(clientele)), { prefix })
    await app.register(clienteleRoutes(scimRoutes(clientele)), { prefix })
    app.get('/host', () => 'the host')
    const onRequest = requireUser(validator ?? clientele)
    app.get('/me', { onRequest }, (request) => sayWho(request))
    app.setNotFoundHandler((_request, reply) => reply.code(404).send('nothing here'))
    const origin = await app.listen({ port: 0, host: '127.0.0.1' })
    return { origin, prefix, close: () => app.close() }
  },
}
