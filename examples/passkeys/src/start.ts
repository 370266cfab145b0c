// The site with a Clientele of its own, so that one command shows both. With CLIENTELE_API_KEY it uses the one that runs at
// CLIENTELE_URL.
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { createClientele } from '@clientele/core'
import { clienteleListener } from '@clientele/core/node'
import { sqlite } from '@clientele/core/sqlite'

if (!process.env.CLIENTELE_API_KEY) {
  const { PORT = '4000' } = process.env
  const clientele = await createClientele({ repository: sqlite({ filename: 'data/users.sqlite' }) })
  const [first] = await clientele.accounts.list()
  const account = first ?? (await clientele.accounts.create({ name: 'Acme' }))
  const origins = [`http://localhost:${PORT}`]
  await clientele.accounts.setPasskeys(account.id, { rpId: 'localhost', rpName: 'Acme', origins })
  // A key cannot be read again: each start has its own.
  const expiresAt = new Date(Date.now() + 24 * 3_600_000)
  const { apiKey } = await clientele.apiKeys.create(account.id, { expiresAt })
  const server = createServer(clienteleListener(clientele, { prefix: '/api/v1' }))
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo // it listens on TCP
  process.env.CLIENTELE_URL = `http://127.0.0.1:${port}/api/v1`
  process.env.CLIENTELE_API_KEY = apiKey
}
await import('./server.ts')
