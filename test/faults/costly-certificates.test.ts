import { once } from 'node:events'
import { type AddressInfo, Socket } from 'node:net'
import { monitorEventLoopDelay } from 'node:perf_hooks'
import { setTimeout as sleep } from 'node:timers/promises'
import { connect, createServer } from 'node:tls'
import { expect, onTestFinished, test } from 'vitest'
import { HandshakeStream } from '../../packages/core/src/base/outbound/exchange/handshake-stream.ts'
import { issuesOf } from '../keys/open-clientele.ts'
import { byUrl, IssuerWorld } from '../support/issuer-world.ts'
import { makeCostlyChain } from '../support/make-certificates.ts'
import { runsEveryTest } from '../support/slow-tests.ts'
import { eventually, WebhookWorld } from '../webhooks/webhook-world.ts'

const url = () => 'sqlite::memory:'

/** A server with such a chain, which answers nothing: the handshake is all there is. */
async function serveChain(length: number): Promise<number> {
  const ciphers = 'DEFAULT:@SECLEVEL=0'
  const server = createServer({ ...makeCostlyChain(length), ciphers })
  server.on('tlsClientError', () => {})
  await once(server.listen(0, '127.0.0.1'), 'listening')
  onTestFinished(() => {
    server.close()
  })
  return (server.address() as AddressInfo).port // it listens on TCP
}

/**
 * The longest hold of the event loop in each of some calls: the shortest of these, in milliseconds. What the loop does
 * itself holds it in each of them; what other processes take from it, in some.
 */
async function measureHold(calls: (() => Promise<unknown>)[]): Promise<number> {
  const holds: number[] = []
  for (const call of calls) {
    const delay = monitorEventLoopDelay({ resolution: 1 })
    delay.enable()
    await call()
    await sleep(20)
    delay.disable()
    holds.push(delay.max / 1e6)
  }
  return Math.min(...holds)
}

test.runIf(runsEveryTest)(
  'a costly chain of certificates does not hold the event loop',
  async () => {
    const port = await serveChain(22)
    // Each call is another account's: none waits for what the one before cost.
    const world = new IssuerWorld(url)
    const accounts = await Promise.all(Array.from({ length: 5 }, () => world.openAccount()))
    // The cost of the handshakes where they are made on the event loop
    const handshake = () => once(connect({ port, host: '127.0.0.1' }), 'secureConnect')
    const onTheLoop = await measureHold(accounts.map(() => () => handshake().catch(() => {})))
    expect(onTheLoop).toBeGreaterThan(20)
    const refusals: (string | undefined)[] = []
    const readings = accounts.map(({ trust }) => async () => {
      const [issue] = await issuesOf(trust(byUrl(`https://127.0.0.1:${port}/keys`)))
      refusals.push(issue?.message)
    })
    const inTheThread = await measureHold(readings)
    expect(inTheThread).toBeLessThan(onTheLoop / 2)
    // Which of them depends on the machine.
    for (const refusal of refusals)
      expect(refusal).toMatch(
        /: (its certificate chain takes too long to verify|the connection fails)/,
      )
  },
)

test('a long chain of certificates is refused before any is verified', async () => {
  const port = await serveChain(40)
  const { trust } = await new IssuerWorld(url).openAccount()
  const refused = () => issuesOf(trust(byUrl(`https://127.0.0.1:${port}/keys`)))
  expect(await refused()).toMatchObject([
    { message: 'cannot be read: its certificate chain is too long' },
  ])
  const before = process.cpuUsage()
  await refused()
  const { user } = process.cpuUsage(before)
  const control = process.cpuUsage()
  await once(connect({ port, host: '127.0.0.1' }), 'secureConnect').catch(() => {})
  expect(user).toBeLessThan(process.cpuUsage(control).user / 2)
})

test('a handshake that takes more than 100 ms of CPU time fails', async () => {
  const stream = new HandshakeStream(new Socket())
  stream.on('error', () => {})
  let bytes = 0
  stream.on('data', (chunk: Buffer) => {
    bytes += chunk.length
    // As the stream measures it
    const read = process.threadCpuUsage ?? process.cpuUsage
    const start = read.call(process).user
    while (read.call(process).user - start < 300_000) {}
  })
  stream.push(Buffer.from('a part of a handshake'))
  await expect.poll(() => bytes).toBeGreaterThan(0)
  expect(stream.problem?.message).toBe('its certificate chain takes too long to verify')
  expect(stream.destroyed).toBe(true)
})

test('an endpoint with a costly chain of certificates fails: its attempts are counted', async () => {
  const port = await serveChain(40)
  const world = new WebhookWorld(url)
  const clientele = await world.deliver()
  const input = { url: `https://127.0.0.1:${port}/`, types: ['user.created'] }
  const { accountId, webhook } = await world.addWebhook(clientele, input)
  await world.createUsers(clientele, accountId, 1)
  const list = () => clientele.webhooks.listAttempts(accountId, webhook.id)
  await eventually(list).toMatchObject([{ attempt: 1, status: null, reason: 'no_answer' }])
  world.now += 10_000
  await eventually(list).toMatchObject([{ attempt: 2 }, { attempt: 1 }])
})
