import { once } from 'node:events'
import { createServer, type IncomingMessage } from 'node:http'
import { type AddressInfo, connect } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { takeTurns } from '@clientele/core/node'
import { expect, onTestFinished, test } from 'vitest'

const size = 100
const count = 40_000
const head = 'POST /upload HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n'
const piece = `${size.toString(16)}\r\n${'x'.repeat(size)}\r\n`

test('an upload to a route of the host, in many pieces, waits while the host reads none of it', async () => {
  const ours = takeTurns((_req, res) => res.end('ok'))
  const uploads: IncomingMessage[] = []
  const server = createServer((req, res) => {
    if (req.url === '/upload') uploads.push(req)
    else ours(req, res)
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  const { port } = server.address() as AddressInfo // it listens on TCP
  await fetch(`http://127.0.0.1:${port}/`)
  const client = connect(port, '127.0.0.1')
  onTestFinished(() => void client.destroy())
  client.write(head)
  client.write(piece.repeat(count))
  await expect.poll(() => uploads[0]?.readableLength).toBeGreaterThan(0)
  await sleep(200)
  const [upload] = uploads
  // What Node reads at once, and what it had read before it stopped
  expect(upload?.readableLength).toBeLessThan(256 * 1024)
  let bytes = 0
  upload?.on('data', (data: Buffer) => {
    bytes += data.length
  })
  await expect.poll(() => bytes).toBe(size * count)
})
