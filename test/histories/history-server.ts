// A process of its own that serves: node history-server.ts <settings, JSON>
// Its one line on standard output, in JSON, says where it listens. A line on standard input says how far ahead its clock
// goes, in milliseconds.

import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { createInterface } from 'node:readline'
import type { HistoryHouse, ServerSettings } from './server-process.ts'

const settings = JSON.parse(process.argv[2] ?? '') as ServerSettings // written by ServerProcess
const load = (file: string): Promise<unknown> => import(new URL(file, settings.core).href)
// The built package, or a copy of it, has the types of its sources.
const { createClientele } = (await load('index.js')) as typeof import('@clientele/core')
const { clienteleListener } = (await load('node.js')) as typeof import('@clientele/core/node')
const { openRepository } = (await load(
  'database-url.js',
)) as typeof import('@clientele/core/database-url')

let apartMs = settings.apartMs
createInterface({ input: process.stdin }).on('line', (line) => {
  apartMs = Number(line)
})
const quiet = (): void => {}
const clientele = await createClientele({
  repository: await openRepository(settings.url),
  secrets: ['a secret of the tests, 32 characters'],
  // What is tested is not the cost of a hash.
  passwords: { hashing: { memoryKiB: 64, passes: 1, lanes: 1 } },
  trustRequestIds: true,
  webhooks: { deliver: true, allowPrivateAddresses: true },
  rateLimits: { refresh: { points: 1_000, windowSeconds: 60 } },
  logger: { info: quiet, warn: quiet, error: quiet },
  clock: () => Date.now() + apartMs,
})
const house = settings.webhook && (await openHouse(settings.webhook))
const server = createServer(clienteleListener(clientele))
server.listen(0, '127.0.0.1', () => {
  const { port } = server.address() as AddressInfo // it listens on TCP
  console.log(JSON.stringify({ base: `http://127.0.0.1:${port}`, ...house }))
})

async function openHouse(webhook: { url: string; types: string[] }): Promise<HistoryHouse> {
  const { id: accountId } = await clientele.accounts.create({ name: 'Acme' })
  const { apiKey } = await clientele.apiKeys.create(accountId)
  await clientele.webhooks.create(accountId, webhook)
  return { accountId, apiKey }
}
