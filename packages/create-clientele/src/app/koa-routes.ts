import { toWire } from '@clientele/core'
import { clienteleRoutes, requireUser } from '@clientele/koa'
import Koa from 'koa'
import { clientele } from './clientele.ts'

const app = new Koa()
app.use(clienteleRoutes(clientele, { prefix: '/api/v1' }))
app.use(requireUser(clientele))
app.use((ctx) => {
  ctx.body = toWire(ctx.state.clientUser)
})

if ((await clientele.accounts.list()).length === 0) {
  const account = await clientele.accounts.create({ name: 'demo' })
  console.log(`API key: ${(await clientele.apiKeys.create(account.id)).apiKey}`)
}
const port = Number(process.env.PORT ?? 3000)
app.listen(port, '127.0.0.1', () => console.log(`Listening on http://127.0.0.1:${port}`))
