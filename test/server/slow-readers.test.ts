import { once } from 'node:events'
import type { RequestListener } from 'node:http'
import { type AddressInfo, connect, type Socket } from 'node:net'
import { buffer } from 'node:stream/consumers'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, onTestFinished, test, vi } from 'vitest'
import { prepareDrain } from '../../packages/cli/src/server/drain.ts'
import { openHttpServer } from '../../packages/cli/src/server/open-http-server.ts'

/** More than the system takes of a response that its client does not read */
const body = Buffer.alloc(32 * 1024 * 1024, ' ')

async function serve(listener: RequestListener, maxConnections = 10) {
  const server = openHttpServer(listener, maxConnections)
  const drain = prepareDrain(server, undefined)
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const { port } = server.address() as AddressInfo // it listens on a port
  const open = (): Socket => {
    const socket = connect(port, '127.0.0.1')
    onTestFinished(() => void socket.destroy())
    return socket
  }
  return { server, drain, open }
}

/** Asks, and reads nothing yet. Resolves when the listener has written the whole response. */
async function ask(served: Awaited<ReturnType<typeof serve>>, version = '1.1'): Promise<Socket> {
  const asked = once(served.server, 'request')
  const socket = served.open().pause()
  socket.write(`GET / HTTP/${version}\r\nHost: localhost\r\n\r\n`)
  const [, res] = await asked
  await expect.poll(() => res.writableEnded).toBe(true)
  await sleep(50)
  expect(res.closed).toBe(false)
  return socket
}

async function countBytes(socket: Socket): Promise<number> {
  let bytes = 0
  for await (const part of socket) {
    bytes += part.length
    if (bytes > body.length) break
  }
  return bytes
}

test('at the limit of connections, a response that its client has not read yet goes on', async () => {
  const served = await serve((_req, res) => res.end(body), 1)
  const reader = await ask(served)
  vi.useFakeTimers({ toFake: ['performance'] })
  onTestFinished(() => void vi.useRealTimers())
  for (let knocks = 0; knocks < 3; knocks++) {
    const stranger = served.open().on('error', () => {})
    await Promise.race([once(stranger.resume(), 'close'), sleep(500)])
    // The next look is this time later.
    vi.advanceTimersByTime(5_001)
  }
  expect(await countBytes(reader)).toBeGreaterThan(body.length)
})

test('a stop waits for the reader of a response, and for no connection that has read it', async () => {
  const served = await serve((_req, res) => res.end(body))
  const reader = await ask(served)
  const stopped = served.drain()
  // Longer than an idle connection may stay
  await sleep(1_500)
  expect(await countBytes(reader)).toBeGreaterThan(body.length)
  const readAt = performance.now()
  await stopped
  expect(performance.now() - readAt).toBeLessThan(5_000)
})

test('a response over HTTP/1.0 for which a stop does not wait any longer does not look complete', async () => {
  const { setTimeout: set } = globalThis
  const spy = vi
    .spyOn(globalThis, 'setTimeout')
    .mockImplementation((work, ms) => set(work, ms === 25_000 ? 1_500 : ms))
  onTestFinished(() => spy.mockRestore())
  const served = await serve((_req, res) => {
    res.write(body)
    res.end()
  })
  const reader = await ask(served, '1.0')
  await served.drain()
  await expect(buffer(reader)).rejects.toThrow('ECONNRESET')
})
