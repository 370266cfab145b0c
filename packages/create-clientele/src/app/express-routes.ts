import { toWire } from '@clientele/core'
import { clienteleRoutes, requireUser } from '@clientele/express'
import express from 'express'
import { clientele } from './clientele.ts'

const app = express()
app.use('/api/v1', clienteleRoutes(clientele))
app.get('/me', requireUser(clientele), (req, res) => {
  res.json(toWire(req.clientUser))
})

if ((await clientele.accounts.list()).length === 0) {
  const account = await clientele.accounts.create({ name: 'demo' })
  console.log(`API key: ${(await clientele.apiKeys.create(account.id)).apiKey}`)
}
const port = Number(process.env.PORT ?? 3000)
app.listen(port, '127.0.0.1', () => console.log(`Listening on http://127.0.0.1:${port}`))
