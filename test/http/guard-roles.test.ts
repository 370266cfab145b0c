import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { createGuard, type GuardOptions } from '@clientele/core'
import { createTestClientele } from '@clientele/core/testing'
import { requireUser as requireExpressUser } from '@clientele/express'
import { requireUser as requireFastifyUser } from '@clientele/fastify'
import { requireUser as requireFetchUser } from '@clientele/fetch'
import { requireUser as requireKoaUser } from '@clientele/koa'
import { getRequestListener } from '@hono/node-server'
import express from 'express'
import fastify from 'fastify'
import Koa from 'koa'
import { expect, onTestFinished, test } from 'vitest'
import { openClientele } from '../keys/open-clientele.ts'
import { databases } from '../support/databases.ts'
import { logIn } from '../support/log-in.ts'

type World = Awaited<ReturnType<typeof createTestClientele>>

/** Applications with a route that only some roles may ask; each answers with where it listens. */
const frameworks: Record<string, (world: World, options: GuardOptions) => Promise<string>> = {
  express: async ({ clientele }, options) => {
    const app = express()
    app.get('/', requireExpressUser(clientele, options), (_req, res) => void res.end('in'))
    return listen(app)
  },
  koa: async ({ clientele }, options) => {
    const app = new Koa()
    app.use(requireKoaUser(clientele, options))
    app.use((ctx) => {
      ctx.body = 'in'
    })
    return listen(app.callback())
  },
  fastify: async ({ clientele }, options) => {
    const app = fastify()
    app.get('/', { onRequest: requireFastifyUser(clientele, options) }, async () => 'in')
    onTestFinished(() => app.close())
    return app.listen({ port: 0, host: '127.0.0.1' })
  },
  fetch: async ({ clientele }, options) => {
    const guard = requireFetchUser(clientele, options)
    const answer = async (request: Request): Promise<Response> => {
      try {
        const { userId, user } = await guard(request)
        return new Response(userId === user.id ? 'in' : 'somebody else')
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

test.each(Object.entries(frameworks))(
  '%s admits users who now have one of the roles',
  async (_, start) => {
    const world = await createTestClientele()
    onTestFinished(world.close)
    const { account } = await world.createAccount()
    const { user } = await world.createUser(account.id, { roles: ['member', 'billing'] })
    const origin = await start(world, { roles: ['admin', 'billing'] })
    const token = await world.tokenFor(user)
    const ask = async (headers: Record<string, string> = { authorization: `Bearer ${token}` }) => {
      const response = await fetch(origin, { headers: { connection: 'close', ...headers } })
      return { status: response.status, text: await response.text(), headers: response.headers }
    }
    expect(await ask()).toMatchObject({ status: 200, text: 'in' })
    // The same token, after the roles have changed.
    await world.clientele.users.patch(account.id, user.id, { roles: ['Billing', 'bill', 'adminx'] })
    const refused = await ask()
    expect(refused.status).toBe(403)
    expect(JSON.parse(refused.text)).toMatchObject({ code: 'role_required', status: 403 })
    expect(refused.text).not.toContain('admin')
    expect(refused.headers.get('www-authenticate')).toBeNull()
    expect(refused.headers.get('x-request-id')).toBeTruthy()
    await world.clientele.users.patch(account.id, user.id, { roles: ['admin'] })
    expect(await ask()).toMatchObject({ status: 200 })
    // Who is not signed in hears that, and nothing of roles.
    expect(await ask({})).toMatchObject({ status: 401 })
    await world.clientele.users.deactivate(account.id, user.id)
    expect(await ask()).toMatchObject({ status: 401 })
  },
)

test.each(databases)('roles are read from $name', async ({ open }) => {
  const database = await open()
  const clientele = await openClientele(database.url)
  onTestFinished(async () => {
    await clientele.close()
    await database.close()
  })
  const { id } = await clientele.accounts.create({ name: 'Acme' })
  const credentials = { email: 'ada@example.com', password: 'correct horse' }
  const { user } = await clientele.users.create(id, { name: 'Ada', ...credentials, roles: ['a'] })
  const { token } = await logIn(clientele, id, credentials)
  const authorization = `Bearer ${token}`
  const request = { headers: { authorization }, rawHeaders: ['authorization', authorization] }
  const ask = (...roles: string[]) => createGuard(clientele, { roles })(request)
  expect(await ask('b', 'a')).toMatchObject({ clientUserId: user.id })
  expect(await ask('b')).toMatchObject({ response: { status: 403 } })
})
