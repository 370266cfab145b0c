import { once } from 'node:events'
import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo, Server } from 'node:net'
import { createServer as createTlsServer } from 'node:tls'
import { expect, onTestFinished, test } from 'vitest'
import { databases } from '../support/databases.ts'
import { makeCostlyChain } from '../support/make-certificates.ts'
import { WebhookWorld } from '../webhooks/webhook-world.ts'

async function listen(server: Server): Promise<number> {
  await once(server.listen(0, '127.0.0.1'), 'listening')
  onTestFinished(() => void server.close())
  return (server.address() as AddressInfo).port // it listens at a port
}

const answerHooks: RequestListener = (request, response) => {
  request.resume().on('end', () => response.end('{}'))
}

test.each(databases)(
  'a hook does not wait for costly webhooks of the account, on $name',
  async ({ open }) => {
    const database = await open()
    onTestFinished(() => database.close())
    const world = new WebhookWorld(() => database.url)
    const url = `http://127.0.0.1:${await listen(createServer(answerHooks))}/hooks`
    const secret = `whsec_${Buffer.alloc(32, 'k').toString('base64')}`
    const { accounts, webhooks, users } = await world.deliver({ hooks: { url, secret } })
    const { id: accountId } = await accounts.create({ name: 'Acme' })
    const costly = createTlsServer({ ...makeCostlyChain(22), ciphers: 'DEFAULT:@SECLEVEL=0' })
    costly.on('tlsClientError', () => {})
    const origin = `https://127.0.0.1:${await listen(costly)}`
    for (let index = 0; index < 6; index++) {
      const { id } = await webhooks.create(accountId, { url: `${origin}/${index}`, types: ['*'] })
      await webhooks.test(accountId, id).catch(() => {})
    }
    for (let index = 0; index < 4; index++) {
      const email = `ada${index}@example.com`
      const { user } = await users.create(accountId, {
        name: 'Ada',
        email,
        password: 'analytical engine',
      })
      expect(user.email).toBe(email)
    }
  },
)
