import { once } from 'node:events'
import { type IncomingMessage, request, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { json } from 'node:stream/consumers'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { openHttpServer } from '../../packages/cli/src/server/open-http-server.ts'

let received: { req: IncomingMessage; res: ServerResponse }
let server: ReturnType<typeof openHttpServer>

beforeEach(async () => {
  server = openHttpServer((req, res) => {
    received = { req, res }
  }, 10)
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
})
afterEach(() => {
  server.closeAllConnections()
  server.close()
})

/** Sends the beginning of a body, until the server has it, and lets Node say that its time is over. */
async function sendSlowly(path: string) {
  const { port } = server.address() as AddressInfo // it listens on a port
  const sent = request({ port, host: '127.0.0.1', method: 'POST', path })
  const answered = once(sent, 'response').then(([response]: IncomingMessage[]) => response)
  answered.catch(() => {})
  sent.write('{"a":')
  await once(server, 'request')
  const { socket } = received.req
  const end = () => {
    const error = Object.assign(new Error('late'), { code: 'ERR_HTTP_REQUEST_TIMEOUT' })
    if (!server.emit('clientError', error, socket)) socket.destroy()
  }
  return { sent, answered, socket, closed: once(socket, 'close'), end }
}

test('an import may take longer than other requests', async () => {
  const { sent, answered, socket, end } = await sendSlowly(
    '/api/v1/client/user/import?dry_run=true',
  )
  end()
  expect(socket.destroyed).toBe(false)
  sent.end('1}')
  expect(await json(received.req)).toEqual({ a: 1 })
  received.res.end('done')
  expect((await answered)?.statusCode).toBe(200)
})

test('an import whose response was sent leaves no connection open', async () => {
  const { answered, closed, end } = await sendSlowly('/api/v1/client/user/import')
  end()
  received.res.end('done')
  expect((await answered)?.statusCode).toBe(200)
  await closed
})

test.each([
  '/api/v1/client/user',
  '/api/v1/client/user/imports',
  '/api/v1/client/user/auth/validation-token?a=/client/user/import',
  '/api/v1/client/user/auth/validation-token?/client/user/import?',
])('another request may not: %s', async (path) => {
  const { answered, closed, end } = await sendSlowly(path)
  end()
  await closed
  await expect(answered).rejects.toThrow()
})

test('a request behind an import may not', async () => {
  const { sent, answered, closed, end } = await sendSlowly('/api/v1/client/user/import')
  sent.end('1}')
  await json(received.req)
  end()
  await closed
  await expect(answered).rejects.toThrow()
})
