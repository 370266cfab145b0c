import { once } from 'node:events'
import { createServer, type RequestListener } from 'node:http'
import { createServer as createSecureServer } from 'node:https'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { buffer } from 'node:stream/consumers'
import { setTimeout as sleep } from 'node:timers/promises'
import { connect as connectSecurely } from 'node:tls'
import { sendResponse, takeTurns } from '@clientele/core/node'
import { expect, onTestFinished, test } from 'vitest'
import { makeLocalCertificate } from '../support/make-certificates.ts'
import { hastenChecks } from './support/hasten-checks.ts'
import { listen, serve } from './support/serve.ts'

const fails: RequestListener = (_req, res) => {
  async function* parts(): AsyncGenerator<Uint8Array<ArrayBuffer>> {
    yield Buffer.from('{"id":1}\n')
    await sleep(50)
    throw new Error('The database is gone.')
  }
  sendResponse(res, { status: 200, headers: {}, body: undefined, stream: parts() })
}
const get = (version: string) => `GET / HTTP/${version}\r\nHost: localhost\r\n\r\n`

test('a response over TLS that fails on the way breaks the connection, and does not look complete', async () => {
  const certificate = makeLocalCertificate()
  const port = await listen(createSecureServer(certificate, fails))
  const socket = connectSecurely({ port, ca: certificate.cert, servername: 'localhost' })
  socket.write(get('1.0'))
  await expect(buffer(socket)).rejects.toThrow('ECONNRESET')
})

test('a response over a Unix socket that fails on the way ends its connection, before its last chunk', async () => {
  const path = join(tmpdir(), `clientele-${process.pid}.sock`)
  const server = createServer(fails).listen(path)
  onTestFinished(() => void server.close())
  await once(server, 'listening')
  const socket = connect(path)
  socket.write(get('1.1'))
  const text = (await buffer(socket)).toString()
  expect(text).toContain('{"id":1}')
  expect(text).not.toMatch(/\r\n0\r\n/)
})

test('a response over HTTP/1.0 whose client reads nothing for 30 seconds does not look complete', async () => {
  hastenChecks(20)
  const { server, port } = await serve(
    takeTurns((_req, res) => {
      res.write(Buffer.alloc(32 * 1024 * 1024, ' '))
      res.end()
    }),
  )
  const asked = once(server, 'request')
  const socket = connect(port, '127.0.0.1').pause()
  socket.write(get('1.0'))
  const [, res] = await asked
  await once(res, 'close')
  await expect(buffer(socket)).rejects.toThrow('ECONNRESET')
})
