import { connect, type Socket } from 'node:net'
import { expect, onTestFinished, test } from 'vitest'
import { cliScript, startProcess } from '../support/start-process.ts'
import { findServer } from './load.ts'

async function start(environment: Record<string, string> = {}) {
  const running = startProcess(cliScript, [], {
    ...{ PORT: '0', DATABASE_URL: 'sqlite::memory:', LOG_LEVEL: 'error' },
    ...environment,
  })
  onTestFinished(() => void running.child.kill('SIGKILL'))
  const { base, ...others } = await findServer(running)
  const { port, pathname } = new URL(base)
  const open = (): Socket => {
    const socket = connect(Number(port), '127.0.0.1').on('error', () => {})
    onTestFinished(() => void socket.destroy())
    return socket
  }
  return { base, open, path: pathname, ...others }
}

const get = (path: string): string => `GET ${path} HTTP/1.1\r\nHost: localhost\r\n\r\n`

test('a connection with 50 requests for the document is answered, and keeps no other waiting', async () => {
  const { base, open, path } = await start()
  const health = base.replace(path, '/health/live')
  const address = `${path}/client/user/openapi.json`
  const { headers } = await fetch(base + address.slice(path.length))
  const length = Number(headers.get('content-length'))
  const greedy = open()
  let read = 0
  greedy.on('data', (chunk) => {
    read += chunk.length
  })
  greedy.write(get(address).repeat(50))
  // While the one is answered 50 times, others are answered many times.
  let others = 0
  while (read < 50 * length) {
    expect((await fetch(health)).status).toBe(200)
    others++
  }
  expect(others).toBeGreaterThan(1)
})

test('connections whose clients read nothing delay no other, and are answered when they read', async () => {
  const { base, open, path } = await start()
  const health = base.replace(path, '/health/live')
  const silent = Array.from({ length: 20 }, () => open().pause())
  for (const socket of silent) socket.write(get(`${path}/client/user/openapi.json`).repeat(50))
  for (let count = 0; count < 50; count++) expect((await fetch(health)).status).toBe(200)
  const received = silent.map((socket) => new Promise((resolve) => socket.once('data', resolve)))
  for (const socket of silent) socket.resume()
  await Promise.all(received)
})

test('MAX_CONNECTIONS: idle connections make place for new ones, and those in use do not', async () => {
  const { base, open, path } = await start({ MAX_CONNECTIONS: '10' })
  const closed: number[] = []
  const idle = Array.from({ length: 10 }, (_, index) => {
    const socket = open().resume()
    socket.on('close', () => closed.push(index))
    socket.write(get('/health/live'))
    return socket
  })
  await Promise.all(idle.map((socket) => new Promise((resolve) => socket.once('data', resolve))))
  const using = setInterval(() => idle[0]?.write(get('/health/live')), 50)
  onTestFinished(() => clearInterval(using))
  // Empty lines are no request.
  const idling = setInterval(() => idle[1]?.write('\r\n'), 500)
  onTestFinished(() => clearInterval(idling))
  // Those that come in addition are refused for five seconds, and the next one finds a place.
  await expect
    .poll(
      () =>
        fetch(base.replace(path, '/health/live')).then(
          ({ status }) => status,
          () => 0,
        ),
      { timeout: 20_000 },
    )
    .toBe(200)
  await expect.poll(() => closed.toSorted()).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9])
  clearInterval(using)
  idle[0]?.destroy()
  const busy = Array.from({ length: 10 }, () => open().resume())
  for (const socket of busy) socket.write('POST / HTTP/1.1\r\nHost: localhost\r\n')
  const refused = await new Promise((resolve) => {
    let isRefused = false
    const knock = (): void => {
      if (isRefused) return
      open()
        .on('close', () => {
          isRefused = true
          resolve(true)
        })
        .on('connect', () => setTimeout(knock, 20))
        .resume()
    }
    knock()
  })
  expect(refused).toBe(true)
})
