import { createServer } from 'node:http'
import { createClientele } from '@clientele/core'
import { clienteleListener } from '@clientele/core/node'
import { postgres } from '@clientele/core/postgres'
import { sqlite } from '@clientele/core/sqlite'

const { DATABASE_URL: connectionString, CLIENTELE_SECRET: secret, PORT = '3000' } = process.env

const repository =
  connectionString === undefined
    ? sqlite({ filename: 'data/users.sqlite' })
    : postgres({ connectionString })
const clientele = await createClientele({
  repository,
  ...(secret === undefined ? {} : { secrets: [secret] }),
})

if ((await clientele.accounts.list()).length === 0) {
  const account = await clientele.accounts.create({ name: 'demo' })
  console.log(`API key: ${(await clientele.apiKeys.create(account.id)).apiKey}`)
}
const server = createServer(clienteleListener(clientele, { prefix: '/api/v1' }))
server.listen(Number(PORT), '127.0.0.1', () => console.log(`Listening on http://127.0.0.1:${PORT}`))

// Requests that have begun are answered, and what waits is written, before the process ends.
process.once('SIGTERM', () => {
  clientele.stopWaiting() // requests with `wait` are answered now
  server.close(() => clientele.close())
})
