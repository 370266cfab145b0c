import { once } from 'node:events'
import { createServer } from 'node:http'
import { connect, type Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { takeTurns } from '@clientele/core/node'
import { expect, onTestFinished, test } from 'vitest'
import { listen } from './support/serve.ts'

const messages = 8
const get = 'GET / HTTP/1.1\r\nHost: localhost\r\n\r\n'
const upgrade = 'GET / HTTP/1.1\r\nHost: localhost\r\nConnection: Upgrade\r\nUpgrade: echo\r\n\r\n'

test('a connection that the host has upgraded, and reads later, loses nothing beside busy connections', async () => {
  const server = createServer(takeTurns((_req, res) => setTimeout(() => res.end('ok'), 2)))
  const reads = Promise.withResolvers<void>()
  server.on('upgrade', async (_req, socket: Socket) => {
    await reads.promise
    socket.on('data', (data) => socket.write(data))
  })
  const port = await listen(server)
  const open = async (head: string) => {
    const socket = connect(port, '127.0.0.1')
    onTestFinished(() => void socket.destroy())
    socket.write(head)
    return socket
  }
  const busy = await Promise.all(Array.from({ length: 14 }, () => open(get)))
  await Promise.all(busy.map((socket) => once(socket, 'data')))
  const upgraded = await open(upgrade)
  let echoed = ''
  upgraded.on('data', (data) => {
    echoed += data
  })
  await sleep(100)
  for (let message = 0; message < messages; message++) {
    for (const socket of busy) socket.write(get.repeat(20))
    upgraded.write('ping ')
    await sleep(40)
  }
  reads.resolve()
  await expect.poll(() => echoed).toBe('ping '.repeat(messages))
})
