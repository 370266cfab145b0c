import { once } from 'node:events'
import { createServer, type Socket } from 'node:net'
import { createClient } from '@redis/client'
import { Redis } from 'ioredis'
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import { LogRecorder, openClientele, send } from '../keys/open-clientele.ts'

// A server that takes everything and answers nothing, as one behind a broken network does.
const sockets = new Set<Socket>()
const server = createServer((socket) => {
  sockets.add(socket.on('error', () => {}).resume())
})
let url = ''

beforeAll(async () => {
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  url = `redis://127.0.0.1:${typeof address === 'object' ? address?.port : ''}`
})
afterAll(() => {
  for (const socket of sockets) socket.destroy()
  server.close()
})

const clients: Record<string, () => object> = {
  ioredis: () => {
    const client = new Redis(url)
    onTestFinished(() => client.disconnect())
    return client.on('error', () => {})
  },
  'node-redis': () => {
    const client = createClient({ url })
    onTestFinished(() => client.destroy())
    client.on('error', () => {})
    // It does not get as far as being connected.
    client.connect().catch(() => {})
    return client
  },
}

test.each(Object.entries(clients))(
  'an error names a Redis that does not answer behind %s',
  async (_, connect) => {
    const logger = new LogRecorder()
    const clientele = await openClientele('sqlite::memory:', {
      logger,
      rateLimits: { store: { redis: connect() } },
    })
    onTestFinished(() => clientele.close())
    const account = await clientele.accounts.create({ name: 'Acme' })
    const { apiKey: key } = await clientele.apiKeys.create(account.id)
    const body = { email: 'ada@example.com', password: 'password' }
    const answer = await send(clientele, 'POST', '/client/user/auth/login', { key, body })
    expect(answer).toMatchObject({
      status: 503,
      body: { code: 'storage_unavailable', detail: expect.stringContaining('Redis') },
    })
    const errors = logger.lines.filter(({ level }) => level === 'error')
    expect(errors.map(({ message }) => message)).toEqual([expect.stringContaining('Redis')])
    expect(JSON.stringify([answer.body, errors])).not.toMatch(/database/i)
  },
)
