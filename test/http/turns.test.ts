import { AsyncLocalStorage, AsyncResource } from 'node:async_hooks'
import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import { once } from 'node:events'
import type { RequestListener, Server, ServerResponse } from 'node:http'
import { connect, type Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { clienteleListener, takeTurns } from '@clientele/core/node'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { hastenChecks } from './support/hasten-checks.ts'
import { serve } from './support/serve.ts'
import { createTenant, openClientele } from './support/world.ts'

type Clientele = Awaited<ReturnType<typeof openClientele>>

function open(port: number): Socket {
  const socket = connect(port, '127.0.0.1').on('error', () => {})
  onTestFinished(() => {
    socket.destroy()
  })
  return socket
}

const count = (server: Server): Promise<number> =>
  new Promise((resolve, reject) =>
    server.getConnections((error, found) => (error ? reject(error) : resolve(found))),
  )

const get = (path: string, headers = ''): string =>
  `GET ${path} HTTP/1.1\r\nHost: localhost\r\n${headers}\r\n`

/** Collects the data on a connection until it has this number of response heads, or ends. */
async function readHeads(socket: Socket, count: number): Promise<string> {
  let text = ''
  for await (const chunk of socket) {
    text += chunk
    if (text.split('HTTP/1.1 ').length > count && text.endsWith('}')) break
  }
  return text
}

describe('requests of one connection', () => {
  test('are handled one after the other, and the event loop turns in between', async () => {
    let isBusy = false
    let overlaps = 0
    let turns = 0
    const heard: string[] = []
    const turnsAt: number[] = []
    const countTurns = (): void => {
      turns++
      setImmediate(countTurns).unref()
    }
    countTurns()
    const { port } = await serve(
      takeTurns((req, res) => {
        if (isBusy) overlaps++
        isBusy = true
        heard.push(req.url ?? '')
        turnsAt.push(turns)
        queueMicrotask(() => {
          isBusy = false
          res.end('{}')
        })
      }),
    )
    const socket = open(port)
    socket.write(Array.from({ length: 50 }, (_, at) => get(`/${at}`)).join(''))
    const text = await readHeads(socket, 50)
    expect(text.split('HTTP/1.1 200 OK')).toHaveLength(51)
    expect(heard).toEqual(Array.from({ length: 50 }, (_, at) => `/${at}`))
    expect(overlaps).toBe(0)
    expect(new Set(turnsAt).size).toBe(50)
  })

  test('may have bodies, and come in parts', async () => {
    const { port } = await serve(
      takeTurns((req, res) => {
        let text = ''
        req.on('data', (chunk) => {
          text += chunk
        })
        req.on('end', () => res.end(JSON.stringify({ text })))
      }),
    )
    const socket = open(port)
    const post = (text: string): string =>
      `POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: ${text.length}\r\n\r\n${text}`
    const all = ['one', 'two', 'x'.repeat(100_000), 'four'].map(post).join('')
    const middle = all.length - 50_000
    socket.write(all.slice(0, middle))
    setTimeout(() => socket.write(all.slice(middle)), 50)
    const answers = await readHeads(socket, 4)
    const texts = [...answers.matchAll(/\{"text":"(\w+)"\}/g)].map(([, text]) => text?.length)
    expect(texts).toEqual([3, 3, 100_000, 4])
  })

  test('are read no further while the client does not read', async () => {
    let answered = 0
    const body = Buffer.alloc(2 * 1024 * 1024, ' ')
    const { port } = await serve(
      takeTurns((_req, res) => {
        answered++
        res.end(body)
      }),
    )
    const socket = open(port).pause()
    socket.write(get('/').repeat(50))
    await sleep(500)
    const before = answered
    // What the system keeps for both ends is less.
    expect(before).toBeLessThan(25)
    await sleep(200)
    expect(answered).toBe(before)
    let read = 0
    socket.on('data', (chunk) => {
      read += chunk.length
    })
    socket.resume()
    while (read < 50 * body.length) await once(socket, 'data')
    expect(answered).toBe(50)
  })

  test('wait, up to 50 on a connection, and Node parses no further ones that were sent with them', async () => {
    let answered = 0
    const { server, port } = await serve(
      takeTurns((_req, res) => {
        answered++
        res.end()
      }),
    )
    let made = 0
    server.on('request', () => made++)
    const socket = open(port).resume()
    socket.write(get('/').repeat(1_000))
    await once(socket, 'close')
    expect(answered).toBeLessThan(50)
    expect(made).toBe(51)
    const other = open(port)
    other.write(get('/'))
    expect(String((await once(other, 'data'))[0])).toContain('200 OK')
  })

  const refusedByNode = {
    'without Host': { head: 'GET / HTTP/1.1\r\n\r\n', status: '400 Bad Request' },
    'with another Expect': { head: get('/', 'Expect: x\r\n'), status: '417 Expectation Failed' },
    'with another Expect and an upgrade': {
      head: get('/', 'Expect: x\r\nConnection: Upgrade\r\nUpgrade: other\r\n'),
      status: '417 Expectation Failed',
    },
  }

  test.each(Object.entries(refusedByNode))(
    '%s are answered by Node: the first is the last of its connection',
    async (_, { head, status }) => {
      const { server, port } = await serve(takeTurns((_req, res) => res.end('{}')))
      let made = 0
      const countMade = (message: unknown): void => {
        if (Object(message).server === server) made++
      }
      subscribe('http.server.request.start', countMade)
      onTestFinished(() => void unsubscribe('http.server.request.start', countMade))
      const early = open(port)
      await once(early, 'connect')
      const usual = open(port)
      usual.write(get('/'))
      await once(usual, 'data')
      // The server has met one connection; the other two are one from before and one from afterwards.
      for (const socket of [early, open(port)]) {
        let text = ''
        socket.setEncoding('latin1').on('data', (chunk) => {
          text += chunk
        })
        made = 0
        socket.write(get('/') + head.repeat(1_000))
        await once(socket, 'close')
        const statuses = [...text.matchAll(/HTTP\/1\.1 (.+)\r/g)].map(([, found]) => found)
        expect(statuses).toEqual(['200 OK', status])
        expect(text).toContain('Connection: close')
        expect(made).toBe(2)
      }
    },
  )

  test('with another Expect are left to a server that answers them', async () => {
    const { server, port } = await serve(takeTurns((_req, res) => res.end('{}')))
    server.on('checkExpectation', (_req, res: ServerResponse) => res.end('{}'))
    const socket = open(port)
    socket.write(get('/') + get('/', 'Expect: x\r\n').repeat(2))
    expect((await readHeads(socket, 3)).split('HTTP/1.1 200 OK')).toHaveLength(4)
  })

  test('that upgrade the protocol count, too: too many end the connection', async () => {
    const { server, port } = await serve(takeTurns(() => {}))
    let upgrades = 0
    server.on('upgrade', (_req, socket) => {
      upgrades++
      socket.destroy()
    })
    const socket = open(port).resume()
    const upgrade = get('/', 'Connection: Upgrade\r\nUpgrade: other\r\n')
    socket.write(get('/').repeat(51) + upgrade.repeat(2))
    await once(socket, 'close')
    expect(upgrades).toBe(0)
  })

  test('wait, at most 1,000 of them on all connections', async () => {
    const held: ServerResponse[] = []
    const { port } = await serve(takeTurns((_req, res) => void held.push(res)))
    const sockets = Array.from({ length: 25 }, () => open(port).resume())
    for (const socket of sockets) socket.write(get('/').repeat(50))
    await expect.poll(() => sockets.filter(({ closed }) => closed).length).toBe(5)
    const other = open(port)
    other.write(get('/'))
    await expect.poll(() => held.length).toBe(26)
    held.at(-1)?.end()
    expect(String((await once(other, 'data'))[0])).toContain('200 OK')
  })

  test('that wait on a closed connection are not handled', async () => {
    const heard: string[] = []
    const { server, port } = await serve(
      takeTurns((req, res) => {
        heard.push(req.url ?? '')
        if (req.url !== '/first') res.end()
      }),
    )
    const socket = open(port)
    socket.write(get('/first') + get('/second'))
    await once(server, 'request')
    socket.destroy()
    await sleep(50)
    expect(heard).toEqual(['/first'])
  })

  test('that wait begin in a context of their own', async () => {
    const users = new AsyncLocalStorage<string>()
    const heard: [url: string | undefined, user: string | undefined][] = []
    const answered: (() => void)[] = []
    const { port } = await serve(
      takeTurns((req, res) => {
        heard.push([req.url, users.getStore()])
        const answer = () => {
          setImmediate(() => res.end('{}'))
        }
        if (req.url === '/ada') users.run('ada', () => answered.push(AsyncResource.bind(answer)))
        else answer()
      }),
    )
    const socket = open(port)
    socket.write(get('/ada') + get('/nobody') + get('/nobody'))
    await expect.poll(() => answered.length).toBe(1)
    answered[0]?.()
    await readHeads(socket, 3)
    expect(heard).toEqual([
      ['/ada', undefined],
      ['/nobody', undefined],
      ['/nobody', undefined],
    ])
  })

  test('may stay unread for long if the client keeps reading, and not otherwise', async () => {
    const body = Buffer.alloc(30 * 1024 * 1024, ' ')
    const { server, port } = await serve(takeTurns((_req, res) => res.end(body)))
    hastenChecks(100)
    const idle = open(port).pause()
    idle.write(get('/'))
    const [toIdle] = await once(server, 'connection')
    const reader = open(port)
    reader.write(get('/'))
    const [toReader] = await once(server, 'connection')
    let read = 0
    reader.on('data', (chunk) => {
      read += chunk.length
      reader.pause()
      setTimeout(() => reader.resume(), 1)
    })
    await expect.poll(() => toIdle.destroyed, { timeout: 10_000 }).toBe(true)
    while (read < body.length) await once(reader, 'data')
    // From here on it is idle, for as long as Node lets it.
    await sleep(3_000)
    expect(toReader.destroyed).toBe(false)
  })

  test('end as long after the last part that was read as unread ones', async () => {
    const body = Buffer.alloc(60 * 1024 * 1024, ' ')
    const { server, port } = await serve(takeTurns((_req, res) => res.end(body)))
    const countChecks = hastenChecks(100)
    const client = open(port).pause()
    client.write(get('/'))
    const [socket] = await once(server, 'connection')
    let unsent = 0
    let readAt = 0
    const watch = setInterval(() => {
      if (socket.destroyed) return
      const { writeQueueSize = 0 } = Object(socket._handle)
      if (writeQueueSize === unsent) return
      unsent = writeQueueSize
      readAt = countChecks()
    }, 10)
    onTestFinished(() => clearInterval(watch))
    await expect.poll(countChecks).toBeGreaterThan(6)
    client.resume()
    await once(client, 'data')
    client.pause()
    await once(socket, 'close')
    expect(countChecks() - readAt).toBeGreaterThanOrEqual(15)
    expect(countChecks() - readAt).toBeLessThanOrEqual(17)
  })
})

describe('the routes', () => {
  let clientele: Clientele
  let key: string
  beforeAll(async () => {
    clientele = await openClientele('sqlite::memory:')
    key = (await createTenant(clientele)).key
  })
  afterAll(() => clientele.close())

  test('handle the requests of a connection one after the other', async () => {
    let underWay = 0
    let most = 0
    const mountable = {
      ...clientele,
      handle: async (request: Parameters<Clientele['handle']>[0]) => {
        underWay++
        most = Math.max(most, underWay)
        try {
          return await clientele.handle(request)
        } finally {
          underWay--
        }
      },
    }
    const { port } = await serve(clienteleListener(mountable))
    const socket = open(port)
    socket.write(get('/client/user', `Authorization: Bearer ${key}\r\n`).repeat(50))
    const text = await readHeads(socket, 50)
    expect(text.split('HTTP/1.1 200 OK')).toHaveLength(51)
    expect(most).toBe(1)
  })

  test('send an ETag with the document, and do not send it again', async () => {
    const { port } = await serve(clienteleListener(clientele))
    const address = `http://127.0.0.1:${port}/client/user/openapi.json`
    const first = await fetch(address)
    const etag = first.headers.get('etag') ?? ''
    expect(etag).toMatch(/^"[\w-]{43}"$/)
    const bytes = await first.arrayBuffer()
    expect(first.headers.get('content-length')).toBe(String(bytes.byteLength))
    for (const known of [etag, `W/${etag}`, `"other", ${etag}`, '*']) {
      const again = await fetch(address, { headers: { 'if-none-match': known } })
      expect([again.status, again.headers.get('etag'), await again.text()]).toEqual([304, etag, ''])
      expect(again.headers.get('cache-control')).toBe('public, max-age=300')
      expect(again.headers.get('content-type')).toBe(null)
    }
    for (const other of ['"other"', etag.slice(1), ',,', '"']) {
      const again = await fetch(address, { headers: { 'if-none-match': other } })
      expect([again.status, (await again.arrayBuffer()).byteLength]).toEqual([
        200,
        bytes.byteLength,
      ])
    }
    const head = await fetch(address, { method: 'HEAD' })
    expect(head.headers.get('etag')).toBe(etag)
    expect(head.headers.get('content-length')).toBe(String(bytes.byteLength))
  })
})

describe('the body of a request', () => {
  const chunk = (bytes: number): string => `${bytes.toString(16)}\r\n${'a'.repeat(bytes)}\r\n`
  const post = 'POST / HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n'

  /** Sends chunks, a few thousand at a time, until the connection ends or this number of bytes has been sent. */
  async function send(socket: Socket, bytesOfChunk: number, maxBytes: number): Promise<number> {
    socket.resume()
    socket.write(post)
    const block = chunk(bytesOfChunk).repeat(Math.ceil(4_096 / bytesOfChunk))
    let sent = 0
    while (!socket.destroyed && sent < maxBytes) {
      sent += Math.ceil(4_096 / bytesOfChunk) * bytesOfChunk
      if (socket.write(block)) await sleep(1)
      else await new Promise((resolve) => socket.once('drain', resolve).once('close', resolve))
    }
    return sent
  }

  test.each([
    ['is not read', () => {}],
    [
      'is read',
      (req, res) => {
        req.resume()
        req.on('end', () => res.end())
      },
    ],
    ['comes after the response', (_req, res) => res.end('{}')],
  ] satisfies [string, RequestListener][])(
    'that %s ends the connection when it comes in thousands of tiny pieces',
    async (_, listener) => {
      const { server, port } = await serve(takeTurns(listener))
      const socket = open(port)
      const sent = await send(socket, 1, 1_000_000)
      await expect.poll(() => socket.destroyed).toBe(true)
      expect(sent).toBeLessThan(1_000_000)
      await expect.poll(() => count(server)).toBe(0)
    },
  )

  test('may come in a few tiny pieces, and in any number of larger ones', async () => {
    const lengths: number[] = []
    const { port } = await serve(
      takeTurns((req, res) => {
        let length = 0
        req.on('data', (part) => {
          length += part.length
        })
        req.on('end', () => {
          lengths.push(length)
          res.end('{}')
        })
      }),
    )
    const socket = open(port)
    socket.write(`${post}${chunk(1).repeat(500)}0\r\n\r\n`)
    await expect.poll(() => lengths).toEqual([500])
    socket.write(`${post}${chunk(128).repeat(5_000)}0\r\n\r\n`)
    await expect.poll(() => lengths).toEqual([500, 640_000])
    // Each request is counted anew.
    socket.write(`${post}${chunk(1).repeat(500)}0\r\n\r\n`)
    await expect.poll(() => lengths).toEqual([500, 640_000, 500])
  })

  test('is read for at most a mebibyte after its response', async () => {
    const { server, port } = await serve(takeTurns((_req, res) => res.end('{}')))
    const socket = open(port)
    const sent = await send(socket, 4_096, 20_000_000)
    await expect.poll(() => socket.destroyed).toBe(true)
    expect(sent).toBeLessThan(20_000_000)
    await expect.poll(() => count(server)).toBe(0)
  })

  test('of a route of the host is not bounded by us', async () => {
    const clientele = await openClientele('sqlite::memory:')
    onTestFinished(() => clientele.close())
    const routes = clienteleListener(clientele, { prefix: '/api/v1' })
    let length = 0
    const { port } = await serve(async (req, res) => {
      if (req.url !== '/upload') return routes(req, res)
      for await (const part of req) length += part.length
      res.end('{}')
    })
    const socket = open(port)
    socket.write(get('/api/v1/client/nothing'))
    await once(socket, 'data')
    const head = post.replace('POST /', 'POST /upload')
    socket.write(`${head}${chunk(1).repeat(2_000)}${chunk(4_096).repeat(500)}0\r\n\r\n`)
    await expect.poll(() => length).toBe(2_000 + 500 * 4_096)
  })
})
