import { toWire } from '@clientele/core'
import { clienteleRoutes, requireUser } from '@clientele/fastify'
import fastify from 'fastify'
import { clientele } from './clientele.ts'

const app = fastify()
await app.register(clienteleRoutes(clientele), { prefix: '/api/v1' })
app.get('/me', { onRequest: requireUser(clientele) }, async (request) => toWire(request.clientUser))

if ((await clientele.accounts.list()).length === 0) {
  const account = await clientele.accounts.create({ name: 'demo' })
  console.log(`API key: ${(await clientele.apiKeys.create(account.id)).apiKey}`)
}
const port = Number(process.env.PORT ?? 3000)
console.log(`Listening on ${await app.listen({ port, host: '127.0.0.1' })}`)
