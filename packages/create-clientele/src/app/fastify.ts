import type { ClientUser } from '@clientele/core'
import cookie from '@fastify/cookie'
import formbody from '@fastify/formbody'
import fastify, { type FastifyReply, type FastifyRequest } from 'fastify'
import { type Answer, actions } from './site.ts'
import { type Cookie, cookieOptions, findVisitor, isOwnForm } from './visitor.ts'

// How many proxies stand before it: each visitor's address is the one that they report.
const proxies = Number(process.env.TRUST_PROXY ?? 0)
const app = fastify({ trustProxy: (_address, hop) => hop < proxies })
await app.register(cookie)
await app.register(formbody)

app.addHook('onRequest', async (request, reply) => {
  if (request.method !== 'GET' && !isOwnForm(request.headers))
    return reply.code(403).send('This form comes from another site.')
})

app.decorateRequest('user', undefined)
app.addHook('preHandler', async (request, reply) => {
  const { user, cookies } = await findVisitor(request.cookies)
  setCookies(reply, cookies)
  request.setDecorator('user', user)
})

const userOf = (request: FastifyRequest) => request.getDecorator<ClientUser | undefined>('user')

for (const [name, action] of Object.entries(actions)) {
  const [method = '', url = ''] = name.split(' ')
  app.route<{ Body: Record<string, string> | undefined }>({
    method,
    url,
    handler: async (request, reply) => {
      const { body: form = {}, cookies, ip: clientAddress } = request
      return send(reply, await action({ user: userOf(request), form, cookies, clientAddress }))
    },
  })
}

// A route of your own, for users who are signed in
app.get('/me', async (request, reply) => {
  const user = userOf(request)
  if (user === undefined) return reply.redirect('/sign-in', 303)
  return { id: user.id, name: user.name }
})

function send(reply: FastifyReply, { html, location, status = 200, cookies = [] }: Answer) {
  setCookies(reply, cookies)
  reply.header('cache-control', 'no-store')
  if (location !== undefined) return reply.redirect(location, 303)
  return reply.code(status).type('text/html; charset=utf-8').send(html)
}

function setCookies(reply: FastifyReply, cookies: Cookie[]) {
  for (const { name, value, maxAgeSeconds: maxAge } of cookies)
    reply.setCookie(name, value, { ...cookieOptions, maxAge })
}

const port = Number(process.env.PORT ?? 3000)
console.log(`Listening on ${await app.listen({ port, host: '127.0.0.1' })}`)
