import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { createClientele } from '@clientele/core'
import { benchSecret, openRepository } from '../support/clientele.ts'
import { report } from '../support/report.ts'
import { newSqliteUrl } from '../support/seed.ts'
import { startServer } from '../support/server.ts'
import type { Setting } from '../support/setting.ts'

const accountCount = 100
const eventsPerSecond = 200
const longestLagMs = 1_000
/** As `servers/deliverer.ts` brings them about */
const types = [
  'user.created',
  'user.updated',
  'user.logged_in',
  'user.deactivated',
  'user.activated',
  'user.deleted',
  'api_key.created',
  'api_key.rotated',
  'api_key.revoked',
  'account.updated',
]

/**
 * How long after an event its endpoint hears of it: 1,000 endpoints in 100 accounts, one of them hanging, and 200
 * events a
 * second. One process writes and delivers, the endpoints are in this one.
 */
export async function deliverWebhooks({ postgres, rounds, seconds }: Setting): Promise<void> {
  for (const database of ['SQLite', 'PostgreSQL'] as const) {
    const url = database === 'SQLite' ? newSqliteUrl() : await postgres.createDatabase()
    const receiver = await receive()
    await addEndpoints(url, receiver.url)
    const server = await startServer('servers/deliverer.ts', [url, String(eventsPerSecond)])
    await sleep(5_000)
    const lags: number[] = []
    for (let round = 0; round < rounds; round++) {
      receiver.lags.length = 0
      const cpuBefore = server.cpuSeconds()
      await sleep(2 * seconds * 1000)
      const cpuMs = (1000 * (server.cpuSeconds() - cpuBefore)) / receiver.lags.length
      const sorted = receiver.lags.toSorted((a, b) => a - b)
      const expected = 2 * seconds * eventsPerSecond * 0.9
      if (sorted.length < expected) console.log(`Of ${expected} events, ${sorted.length} came.`)
      lags.push(sorted[Math.floor(sorted.length * 0.99)] ?? Number.POSITIVE_INFINITY)
      console.log(
        `${sorted.length} deliveries, lag p50 ${sorted[sorted.length >> 1]} ms, p99 ${lags.at(-1)} ms, ${cpuMs.toFixed(2)} ms of CPU time each`,
      )
    }
    const targets = lags.map(() => longestLagMs)
    report(`webhooks, lag p99, ${database}`, lags, 'target', targets, 'ms', { atMost: 1 })
    await server.stop()
    receiver.close()
  }
}

/** Endpoints that answer at once, but for one, which never answers. */
async function receive() {
  const lags: number[] = []
  const server = createServer((request, response) => {
    const chunks: Buffer[] = []
    request.on('data', (chunk) => chunks.push(chunk))
    request.on('end', () => {
      if (request.url === '/hangs') return
      const event = JSON.parse(Buffer.concat(chunks).toString()) as { created_at: string } // ours
      lags.push(Date.now() - Date.parse(event.created_at))
      response.writeHead(204).end()
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo // it listens on TCP
  return {
    url: `http://127.0.0.1:${port}`,
    lags,
    close: () => {
      server.closeAllConnections()
      server.close()
    },
  }
}

/** In each account one endpoint for each type. */
async function addEndpoints(url: string, receiverUrl: string): Promise<void> {
  const clientele = await createClientele({
    repository: openRepository(url),
    secrets: [benchSecret],
    webhooks: { deliver: false, allowPrivateAddresses: true },
  })
  const accounts = Array.from({ length: accountCount }, async (_, account) => {
    const { id } = await clientele.accounts.create({ name: `Account ${account}` })
    for (const [index, type] of types.entries()) {
      const path = account === 0 && index === 0 ? 'hangs' : `${account}/${index}`
      await clientele.webhooks.create(id, { url: `${receiverUrl}/${path}`, types: [type] })
    }
  })
  await Promise.all(accounts)
  await clientele.close()
}
