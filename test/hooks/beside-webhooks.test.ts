import { once } from 'node:events'
import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo, Server } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { createServer as createTlsServer } from 'node:tls'
import { describe, expect, onTestFinished, test } from 'vitest'
import { eitherDatabase } from '../support/databases.ts'
import { makeCostlyChain } from '../support/make-certificates.ts'
import { resolveNames } from '../support/resolve-names.ts'
import { runsEveryTest } from '../support/slow-tests.ts'
import { WebhookWorld } from '../webhooks/webhook-world.ts'

const databases = eitherDatabase(import.meta.filename)

async function listen(server: Server): Promise<number> {
  await once(server.listen(0, '127.0.0.1'), 'listening')
  onTestFinished(() => void server.close())
  return (server.address() as AddressInfo).port // it listens at a port
}

const answerHooks: RequestListener = (request, response) => {
  request.resume().on('end', () => response.end('{}'))
}

describe.each(databases)('A hook by URL, on $name', ({ open }) => {
  /** An account whose hooks are asked at this host. */
  async function start(host: string) {
    const database = await open()
    onTestFinished(() => database.close())
    const url = `http://${host}:${await listen(createServer(answerHooks))}/hooks`
    const secret = `whsec_${Buffer.alloc(32, 'k').toString('base64')}`
    const world = new WebhookWorld(() => database.url)
    const clientele = await world.deliver({ hooks: { url, secret } })
    const newAccount = async () => (await clientele.accounts.create({ name: 'Acme' })).id
    const send = async (accountId: string, url: string) => {
      const { id } = await clientele.webhooks.create(accountId, { url, types: ['*'] })
      void clientele.webhooks.test(accountId, id).catch(() => {})
    }
    const add = (accountId: string, index: number) =>
      clientele.users.create(accountId, {
        name: 'Ada',
        email: `ada${index}@example.com`,
        password: 'analytical engine',
      })
    return { newAccount, send, add }
  }

  // It takes many handshakes.
  test.runIf(runsEveryTest)('does not wait for costly webhooks of the account', async () => {
    const { newAccount, send, add } = await start('127.0.0.1')
    const accountId = await newAccount()
    const costly = createTlsServer({ ...makeCostlyChain(22), ciphers: 'DEFAULT:@SECLEVEL=0' })
    costly.on('tlsClientError', () => {})
    const origin = `https://127.0.0.1:${await listen(costly)}`
    const isAdded = (index: number) =>
      add(accountId, index).then(
        () => true,
        () => false,
      )
    const added: boolean[] = []
    for (let index = 0; index < 8; index++) {
      await send(accountId, `${origin}/${index}`)
      added.push(await isAdded(index))
      await sleep(250)
    }
    // On a busy machine the handshakes themselves may delay some.
    expect(added.filter(Boolean).length).toBeGreaterThan(3)
  })

  test('looks its name up once for many, and does not wait for slow names of webhooks', async () => {
    const { newAccount, send, add } = await start('hooks.example.com')
    let count = 0
    await resolveNames((host) => {
      if (host === 'hooks.example.com') count++
      return host === 'slow.example.com' ? undefined : ['127.0.0.1']
    })
    const accounts = [await newAccount(), await newAccount()]
    for (const accountId of accounts) await send(accountId, 'http://slow.example.com/')
    const added = accounts.flatMap((accountId) =>
      Array.from({ length: 12 }, (_, index) => add(accountId, index)),
    )
    expect(await Promise.all(added)).toHaveLength(24)
    expect(count).toBe(1)
  })
})
