import { once } from 'node:events'
import { createServer } from 'node:https'
import { connect } from 'node:tls'
import { takeTurns } from '@clientele/core/node'
import { expect, test } from 'vitest'
import { makeLocalCertificate } from '../support/make-certificates.ts'
import { hastenChecks } from './support/hasten-checks.ts'
import { listen } from './support/serve.ts'

test('a response over TLS goes on while its client reads, for longer than a client may read nothing', async () => {
  const certificate = makeLocalCertificate()
  const body = Buffer.alloc(80 * 1024 * 1024, ' ')
  const server = createServer(
    certificate,
    takeTurns((_req, res) => res.end(body)),
  )
  hastenChecks(100)
  const port = await listen(server)
  const client = connect({ port, ca: certificate.cert, servername: 'localhost' })
  await once(client, 'secureConnect')
  client.write('GET / HTTP/1.1\r\nHost: localhost\r\n\r\n')
  let read = 0
  client.on('error', () => {})
  client.on('data', (chunk) => {
    read += chunk.length
    client.pause()
    setTimeout(() => client.resume(), 1)
  })
  await expect.poll(() => read > body.length || client.destroyed, { timeout: 60_000 }).toBe(true)
  expect(read).toBeGreaterThan(body.length)
}, 90_000)
