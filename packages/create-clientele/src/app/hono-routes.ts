import { toWire } from '@clientele/core'
import { clienteleHandler, requireUser } from '@clientele/fetch'
import { serve } from '@hono/node-server'
import { Hono } from 'hono'
import { clientele } from './clientele.ts'

const routes = clienteleHandler(clientele, { prefix: '/api/v1' })
const guard = requireUser(clientele)

const app = new Hono()
app.use(async (_c, next) => {
  try {
    return await next()
  } catch (error) {
    if (error instanceof Response) return error // the guard throws the response
    throw error
  }
})
app.use(async (c, next) => (await routes(c.req.raw)) ?? next())
app.get('/me', async (c) => {
  const { user } = await guard(c.req.raw)
  return c.json(toWire(user))
})

if ((await clientele.accounts.list()).length === 0) {
  const account = await clientele.accounts.create({ name: 'demo' })
  console.log(`API key: ${(await clientele.apiKeys.create(account.id)).apiKey}`)
}
const port = Number(process.env.PORT ?? 3000)
serve({ fetch: app.fetch, port, hostname: '127.0.0.1' }, () =>
  console.log(`Listening on http://127.0.0.1:${port}`),
)
