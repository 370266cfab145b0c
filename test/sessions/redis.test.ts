import { spawn, spawnSync } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { createServer } from 'node:net'
import { createClient } from '@redis/client'
import { Redis } from 'ioredis'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { codeOf, openClientele } from '../keys/open-clientele.ts'

const given = process.env.REDIS_URL
const isHere = given !== undefined || spawnSync('redis-server', ['--version']).status === 0

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  server.close()
  if (address === null || typeof address === 'string') throw new Error('No port.')
  return address.port
}

// The registry has no Redis to install.
describe.skipIf(!isHere)(
  'failed attempts counted in Redis (needs REDIS_URL or redis-server)',
  () => {
    let url = given ?? ''
    let stop = async (): Promise<void> => {}

    beforeAll(async () => {
      if (given !== undefined) return
      const port = await freePort()
      const server = spawn('redis-server', [
        '--port',
        `${port}`,
        '--save',
        '',
        '--bind',
        '127.0.0.1',
      ])
      url = `redis://127.0.0.1:${port}`
      stop = async () => {
        server.kill()
        await once(server, 'exit')
      }
      for await (const chunk of server.stdout) if (`${chunk}`.includes('Ready to accept')) break
    })
    afterAll(() => stop())

    const clients = {
      ioredis: async () => {
        const client = new Redis(url)
        return { client, close: () => client.disconnect() }
      },
      'node-redis': async () => {
        const client = await createClient({ url }).connect()
        return { client, close: () => client.destroy() }
      },
    }

    test.each(Object.entries(clients))('through %s', async (_, connect) => {
      const { client, close } = await connect()
      onTestFinished(close)
      const rateLimits = { store: { redis: client }, login: { points: 3, windowSeconds: 60 } }
      const clientele = await openClientele('sqlite::memory:', { rateLimits })
      onTestFinished(() => clientele.close())
      const account = await clientele.accounts.create({ name: 'Acme' })
      const email = `${randomUUID()}@example.com`
      await clientele.users.create(account.id, { name: 'Ada', email, password: 'password' })
      const answers: unknown[] = []
      for (const password of ['wrong', 'password', 'wrong', 'wrong', 'wrong', 'password']) {
        answers.push(await codeOf(clientele.auth.logIn(account.id, { email, password })))
      }
      const no = 'credentials_invalid'
      expect(answers).toEqual([no, undefined, no, no, no, 'rate_limited'])
      const refused = clientele.auth.logIn(account.id, { email, password: 'password' })
      await expect(refused).rejects.toMatchObject({
        retryAfterSeconds: expect.toSatisfy((seconds) => seconds > 50 && seconds <= 60),
      })
    })
  },
)
