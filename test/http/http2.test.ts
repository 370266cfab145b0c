import { once } from 'node:events'
import type { RequestListener } from 'node:http'
import { type ClientHttp2Session, connect, constants, createServer } from 'node:http2'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Clientele, HttpRequest } from '@clientele/core'
import { clienteleListener, sendResponse, toHttpRequest } from '@clientele/core/node'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { createTenant, openClientele } from './support/world.ts'

/** Serves over HTTP/2 until the test ends. */
async function serve(listener: RequestListener): Promise<ClientHttp2Session> {
  // The compatible part of HTTP/2 is what Node calls by the types of HTTP/1.1.
  const server = createServer(listener as never)
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const address = server.address()
  const port = typeof address === 'object' ? address?.port : undefined
  const session = connect(`http://127.0.0.1:${port}`)
  onTestFinished(() => {
    session.destroy()
    server.close()
  })
  return session
}

async function* toAsync<T>(items: readonly T[]): AsyncGenerator<T> {
  yield* items
}

describe('over HTTP/2', () => {
  let clientele: Clientele
  let key: string
  beforeAll(async () => {
    clientele = await openClientele('sqlite::memory:')
    const tenant = await createTenant(clientele)
    key = tenant.key
    const records = Array.from({ length: 1_500 }, (_, index) => ({
      line: index + 1,
      value: { name: 'Ada', email: `ada${index}@example.com`, metadata: { note: 'x'.repeat(500) } },
    }))
    await clientele.users.import(tenant.account.id, toAsync(records))
  })
  afterAll(() => clientele.close())

  test('a body without a length is read after the API key is verified', async () => {
    const session = await serve(clienteleListener(clientele))
    const ask = async (by: string, body: string, isWhole: boolean, headers: object = {}) => {
      const stream = session.request({
        ':method': 'POST',
        ':path': '/client/user/auth/validation-token',
        'content-type': 'application/json',
        authorization: `Bearer ${by}`,
        ...headers,
      })
      stream.write(body)
      if (isWhole) stream.end()
      const [head] = await once(stream, 'response')
      const { code } = JSON.parse((await stream.setEncoding('utf8').toArray()).join(''))
      return { status: head[':status'], code }
    }
    const body = JSON.stringify({ token: 'Bearer x.y.z' })
    expect(await ask(key, body, true)).toEqual({ status: 401, code: 'token_malformed' })
    const part = ' '.repeat(20 * 1024)
    const refused = { status: 401, code: 'api_key_invalid' }
    for (const headers of [{}, { 'content-length': 40_000 }])
      expect(await ask('cu_live_unknown', part, false, headers)).toEqual(refused)
  })

  test('a response that fails on the way does not look complete', async () => {
    async function* parts() {
      yield Buffer.from('{"line":1}\n')
      await sleep(50)
      throw new Error('the database is gone')
    }
    const headers = { 'content-type': 'application/x-ndjson' }
    const session = await serve((_req, res) =>
      sendResponse(res, { status: 200, headers, body: undefined, stream: parts() }),
    )
    const stream = session.request({ ':path': '/' })
    await expect(stream.toArray()).rejects.toMatchObject({ code: 'ERR_HTTP2_STREAM_ERROR' })
    expect(stream.rstCode).toBe(constants.NGHTTP2_INTERNAL_ERROR)
  })

  test('a caller who is gone is noticed', async () => {
    const requests: HttpRequest[] = []
    const signals: (AbortSignal | undefined)[] = []
    const session = await serve((req, res) => {
      const request = toHttpRequest(req, res, { url: '/', mountPath: '' })
      requests.push(request)
      signals.push(request.signal)
      if (requests.length === 2) res.end('{}')
    })
    const stay = session.request({ ':path': '/' })
    await expect.poll(() => requests.length).toBe(1)
    const [[first], [signal]] = [requests, signals]
    expect([first?.isGone?.(), signal?.aborted]).toEqual([false, false])
    stay.close(constants.NGHTTP2_CANCEL)
    await expect.poll(() => [first?.isGone?.(), signal?.aborted]).toEqual([true, true])
    expect(first?.signal?.aborted).toBe(true)
    await session.request({ ':path': '/' }).toArray()
    await expect.poll(() => requests[1]?.isGone?.()).toBe(true)
    expect(signals[1]?.aborted).toBe(false)
  })

  test('an export is sent whole', async () => {
    const warnings: Error[] = []
    const note = (warning: Error) => void warnings.push(warning)
    process.on('warning', note)
    onTestFinished(() => void process.off('warning', note))
    const session = await serve(clienteleListener(clientele))
    const stream = session.request({
      ':path': '/client/user/export',
      authorization: `Bearer ${key}`,
    })
    const lines = (await stream.setEncoding('utf8').toArray()).join('').trim().split('\n')
    expect(new Set(lines.map((line) => JSON.parse(line).email)).size).toBe(1_500)
    expect(warnings).toEqual([])
  })
})
