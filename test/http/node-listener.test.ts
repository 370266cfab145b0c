import { once } from 'node:events'
import { createServer, type IncomingMessage, type Server } from 'node:http'
import { connect } from 'node:net'
import { Readable } from 'node:stream'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Clientele } from '@clientele/core'
import { ClienteleError } from '@clientele/core'
import { clienteleListener, type ListenerOptions, sendProblem } from '@clientele/core/node'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { LogRecorder } from '../keys/open-clientele.ts'
import { anyDatabase, type OpenDatabase } from '../support/databases.ts'
import { newAda } from './cases/case.ts'
import { problem } from './support/answers.ts'
import { type Reply, type Sent, send } from './support/send.ts'
import { createTenant, openClientele } from './support/world.ts'
import { listen } from './targets/target.ts'

// What the listener answers below its paths, the HTTP contract holds it to: the target `bare` is made of it.

describe.each(anyDatabase)('clienteleListener on $name', ({ open }) => {
  let opened: OpenDatabase
  let clientele: Clientele
  let key: string[]
  const logger = new LogRecorder()
  beforeAll(async () => {
    opened = await open()
    clientele = await openClientele(opened.url, undefined, { logger })
    key = ['authorization', `Bearer ${(await createTenant(clientele)).key}`]
  })
  afterAll(async () => {
    await clientele.close()
    await opened.close()
  })

  async function serve(server: Server): Promise<(sent: Sent) => Promise<Reply>> {
    const started = await listen(server, 'root')
    onTestFinished(started.close)
    return (sent) => send(started.origin, sent)
  }
  const start = (options?: ListenerOptions) =>
    serve(createServer(clienteleListener(clientele, options)))

  test.each(['', '/', '/api/v1', '/api/v1/'])('answers below the prefix %j', async (prefix) => {
    const ask = await start({ prefix })
    const base = prefix.replace(/\/$/, '')
    const path = `${base}/client/user`
    const list = await ask({ path, headers: key })
    expect([list.status, list.headers.link]).toEqual([200, expect.stringContaining(`<${path}?`)])
    // RFC 9112, section 3.2.2
    expect((await ask({ path: `http://proxy.example${path}`, headers: key })).body).toBe(list.body)
    expect(await ask({ method: 'HEAD', path, headers: key })).toEqual({ ...list, body: '' })
  })

  test('answers any other path with problem details', async () => {
    const ask = await start({ prefix: '/api/v1' })
    for (const path of ['/', '/client/user', '/api/v1', '/api/v1x/client/user', '/api/v1/other'])
      expect([path, await ask({ path, headers: key })]).toEqual([path, problem('route_not_found')])
    expect(await ask({ method: 'HEAD', path: '/' })).toEqual({
      ...(await ask({ path: '/' })),
      body: '',
    })
  })

  test('leaves other paths to next, if it is given', async () => {
    const routes = clienteleListener(clientele)
    const ask = await serve(createServer((req, res) => routes(req, res, () => res.end('the host'))))
    expect((await ask({ path: '/other' })).body).toBe('the host')
    expect((await ask({ path: '/client/user', headers: key })).status).toBe(200)
  })

  test('reads bodies that come in parts, and accepts a body that the host has parsed', async () => {
    const ask = await start()
    const json = [...key, 'content-type', 'application/json']
    const create = (email: string, chunked = false): Sent => ({
      ...{ method: 'POST', path: '/client/user', headers: json, chunked },
      body: JSON.stringify({ ...newAda, email }),
    })
    expect((await ask(create('whole@example.com'))).status).toBe(201)
    expect((await ask(create('chunked@example.com', true))).status).toBe(201)

    const parsedBody = () => ({ ...newAda, email: 'parsed@example.com' })
    const parsed = await (await start({ parsedBody }))(create('sent@example.com'))
    expect(JSON.parse(parsed.body)).toMatchObject({ email: 'parsed@example.com' })
  })

  test('answers a body that is too large, and keeps the connection', async () => {
    const ask = await start()
    const body = 'x'.repeat(1_000_000)
    for (const chunked of [true, false, true]) {
      const headers = [...key, 'content-type', 'application/json']
      const answer = await ask({ method: 'POST', path: '/client/user', headers, body, chunked })
      expect(answer).toEqual(problem('body_too_large'))
    }
    expect((await ask({ path: '/client/user', headers: key })).status).toBe(200)
  })

  test('a caller who disconnects early causes no error', async () => {
    const server = createServer(clienteleListener(clientele, { logger }))
    const ask = await serve(server)
    const address = server.address()
    const port = typeof address === 'object' ? (address?.port ?? 0) : 0
    const before = logger.lines.length
    const head = `POST /client/user HTTP/1.1\r\nHost: x\r\n${key.join(': ')}\r\nContent-Type: application/json\r\n`
    for (const sent of [`${head}Content-Length: 100\r\n\r\n{"name":`, `${head}\r\n`]) {
      const request = once(server, 'request')
      const socket = connect(port, '127.0.0.1').on('error', () => {})
      socket.write(sent)
      const [req] = (await request) as [IncomingMessage] // what the event has
      const closed = new Promise((resolve) => req.on('close', resolve))
      socket.destroy()
      if (!req.closed) await closed
    }
    // Whatever is still under way has had its turn.
    await sleep(20)
    expect((await ask({ path: '/client/user', headers: key })).status).toBe(200)
    expect(logger.lines.slice(before)).toEqual([])
  })

  test("an error in an option's function is logged and not shown to the caller", async () => {
    const recorder = new LogRecorder()
    const clientAddress = () => {
      throw new Error('a secret of the host')
    }
    const ask = await start({ clientAddress, logger: recorder })
    expect(await ask({ path: '/client/user', headers: key })).toEqual(problem('internal_error'))
    expect(recorder.lines).toMatchObject([
      { level: 'error', details: { error: { message: 'a secret of the host' } } },
    ])
  })

  test('limits count by the client address that the host gives', async () => {
    const ask = await start({ clientAddress: () => '192.0.2.7' })
    const headers = [...key, 'content-type', 'application/json']
    const path = '/client/user/auth/login'
    const statuses = new Set<number>()
    for (let count = 0; count < 120 && !statuses.has(429); count++) {
      const body = JSON.stringify({ email: `nobody-${count}@example.com`, password: 'wrong pass' })
      statuses.add((await ask({ method: 'POST', path, headers, body })).status)
    }
    expect([...statuses]).toEqual([401, 429])
  })

  test('a host sends problems of its own in the same form', async () => {
    const ask = await serve(
      createServer((_req, res) => sendProblem(res, new ClienteleError('user_not_found'))),
    )
    expect(await ask({ path: '/' })).toEqual(problem('user_not_found'))
  })

  test('a body may be any iterable of bytes', async () => {
    const text = new TextEncoder().encode(JSON.stringify({ ...newAda, email: 'a@example.com' }))
    const request = {
      ...{ method: 'POST', url: '/client/user', mountPath: '' },
      headers: { [key[0] ?? '']: key[1], 'content-type': ['application/json'] },
      rawHeaders: [...key, 'content-type', 'application/json'],
    }
    async function* inParts() {
      for (let start = 0; start < text.length; start += 5) yield text.subarray(start, start + 5)
    }
    const handle = async (body: AsyncIterable<Uint8Array>) => clientele.handle({ ...request, body })
    expect((await handle(inParts()))?.status).toBe(201)
    expect((await handle(new Blob([text]).stream()))?.status).toBe(409)
    expect((await handle(Readable.from([text])))?.status).toBe(409)
    expect((await handle(Readable.from([])))?.status).toBe(400)
  })
})

test.each([
  [
    'a promise',
    () => clienteleListener(Promise.resolve() as never),
    /^clienteleListener was given/,
  ],
  ['a prefix without its slash', { prefix: 'api' }, /^options\.prefix must begin with \/\.$/],
  ['an unknown option', { path: '/' }, /^options\.path is not known here/],
])('%s is refused at the start', (_title, wrong, message) => {
  const stand = { handle: () => {}, guard: () => {} }
  const call =
    typeof wrong === 'function'
      ? wrong
      : () => Reflect.apply(clienteleListener, undefined, [stand, wrong])
  expect(call).toThrow(message)
})
