import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { type Clientele, createClientele } from '@clientele/core'
import { openRepository } from '@clientele/core/database-url'
import { findFreePort } from '../support/find-free-port.ts'

const root = join(import.meta.dirname, '../..')
const secret = 'a secret of the soak that is long enough'
const mailSecret = `whsec_${Buffer.alloc(24, 1).toString('base64')}`
const silent = { info: () => {}, warn: () => {}, error: console.error }

/** A server as it ships on a database, what it sends to, and a second process that imports. */
export interface World {
  name: string
  url: string
  origin: string
  metricsUrl: string
  receiver: Receiver
  /** In this process, by the server's clock */
  clientele: Clientele
  /** The server's time */
  now(): number
  server: ChildProcess
  close(): Promise<void>
}

export interface Receiver {
  url: string
  webhooks: number
  mails: number
  /** Whether webhooks are refused at present */
  isRefusing: boolean
  server: Server
}

export async function openWorld(name: string, url: string, factor: number): Promise<World> {
  const receiver = await startReceiver()
  const startedAt = Date.now()
  const now = (): number => Math.floor(startedAt + (Date.now() - startedAt) * factor)
  const clientele = await createClientele({
    repository: await openRepository(url),
    secrets: [secret],
    clock: now,
    logger: silent,
    passwords: { hashing: { memoryKiB: 64, passes: 1 } },
    webhooks: { allowPrivateAddresses: true },
  })
  const metricsPort = await findFreePort()
  const server = spawn(process.execPath, [join(root, 'packages/cli/dist/clientele.js'), 'serve'], {
    stdio: ['ignore', 'pipe', 'inherit'],
    env: {
      ...process.env,
      NODE_OPTIONS: `--import=${join(import.meta.dirname, 'hurry-clock.ts')}`,
      CLOCK_FACTOR: String(factor),
      CLOCK_START: String(startedAt),
      DATABASE_CLOCK: 'false',
      PORT: '0',
      DATABASE_URL: url,
      CLIENTELE_SECRET: secret,
      LOG_LEVEL: 'warn',
      METRICS_PORT: String(metricsPort),
      ALLOW_PRIVATE_ADDRESSES: 'true',
      MAIL_WEBHOOK: receiver.url.replace('/hook', '/mail'),
      MAIL_WEBHOOK_SECRET: mailSecret,
    },
  })
  const ended = once(server, 'exit').then(() => {
    throw new Error(`The server on ${name} ended.`)
  })
  const origin = await Promise.race([readOrigin(server), ended])
  ended.catch(() => {})
  return {
    ...{ name, url, origin, receiver, clientele, now, server },
    metricsUrl: `http://127.0.0.1:${metricsPort}/metrics`,
    close: async () => {
      const exit = once(server, 'exit')
      server.kill('SIGTERM')
      await exit.catch(() => {})
      await clientele.close()
      receiver.server.closeAllConnections()
      receiver.server.close()
    },
  }
}

async function readOrigin(server: ChildProcess): Promise<string> {
  if (server.stdout === null) throw new Error('The server has no standard output.')
  for await (const line of createInterface({ input: server.stdout }))
    if (line.startsWith('Listening on ')) return line.slice('Listening on '.length)
  throw new Error('The server has not said where it listens.')
}

async function startReceiver(): Promise<Receiver> {
  const server = createServer((request, response) => {
    request.resume()
    if (request.url === '/mail') receiver.mails++
    else receiver.webhooks++
    response.writeHead(request.url !== '/mail' && receiver.isRefusing ? 503 : 204).end()
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo // it listens on TCP
  const url = `http://127.0.0.1:${port}/hook`
  const receiver: Receiver = { url, webhooks: 0, mails: 0, isRefusing: false, server }
  return receiver
}
