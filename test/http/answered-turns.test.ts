import { once } from 'node:events'
import type { RequestListener } from 'node:http'
import { connect, type Socket } from 'node:net'
import { clienteleListener, takeTurns } from '@clientele/core/node'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { serve } from './support/serve.ts'
import { openClientele } from './support/world.ts'

const get = (path: string): string => `GET ${path} HTTP/1.1\r\nHost: localhost\r\n\r\n`

function open(port: number): { socket: Socket; statuses: () => number[] } {
  const socket = connect(port, '127.0.0.1').on('error', () => {})
  onTestFinished(() => void socket.destroy())
  let text = ''
  socket.on('data', (chunk) => {
    text += chunk
  })
  return {
    socket,
    statuses: () => Array.from(text.matchAll(/HTTP\/1\.1 (\d+)/g), ([, status]) => Number(status)),
  }
}

/** As a host's time limit: it answers, and the work that it did not await calls the routes later. */
const answersFirst =
  (routes: RequestListener): RequestListener =>
  (req, res) => {
    if (req.url === '/slow') {
      res.on('close', () => setImmediate(() => routes(req, res)))
      res.writeHead(503).end()
    } else routes(req, res)
  }

describe('a request that the host has answered', () => {
  let clientele: Awaited<ReturnType<typeof openClientele>>
  beforeAll(async () => {
    clientele = await openClientele('sqlite::memory:')
  })
  afterAll(() => clientele.close())

  test.each([
    ['alone', (listener: RequestListener) => listener],
    ['within takeTurns', takeTurns],
  ])('may be handed over late: those behind it are answered, %s', async (_, wrap) => {
    const { port } = await serve(wrap(answersFirst(clienteleListener(clientele))))
    const { socket, statuses } = open(port)
    socket.write(get('/slow'))
    await expect.poll(statuses).toEqual([503])
    socket.write(get('/client/user'))
    await expect.poll(statuses).toEqual([503, 401])
    socket.write(get('/slow') + get('/client/user'))
    await expect.poll(statuses).toEqual([503, 401, 503, 401])
  })

  test('while it waited is not handled: those behind it are', async () => {
    const heard: string[] = []
    const ours = takeTurns((req, res) => {
      heard.push(req.url ?? '')
      if (req.url === '/first') setTimeout(() => res.end(), 100)
      else res.end()
    })
    const { port } = await serve((req, res) => {
      ours(req, res)
      if (req.url === '/waiting') res.writeHead(503).end()
    })
    const { socket, statuses } = open(port)
    socket.write(get('/first') + get('/waiting').repeat(2) + get('/last'))
    await expect.poll(statuses).toEqual([200, 503, 503, 200])
    expect(heard).toEqual(['/first', '/last'])
  })
})

test('requests behind one of the host leave their places when the host ends their connection', async () => {
  const ours = takeTurns((req, res) => {
    if (req.url !== '/held') res.end()
  })
  const { port } = await serve((req, res) => {
    if (req.url === '/host') setTimeout(() => res.destroy(), 20)
    else ours(req, res)
  })
  for (let round = 1; round <= 20; round++) {
    const { socket } = open(port)
    socket.write(get('/host') + get('/held').repeat(50))
    await once(socket, 'close')
  }
  const { socket, statuses } = open(port)
  socket.write(get('/').repeat(50))
  await expect.poll(() => statuses().length === 50 || socket.closed).toBe(true)
  expect(statuses()).toHaveLength(50)
})
