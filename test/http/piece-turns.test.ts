import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { takeTurns } from '@clientele/core/node'
import { expect, onTestFinished, test } from 'vitest'
import { watchTurns } from '../support/watch-turns.ts'
import { serve } from './support/serve.ts'

const connections = 40
const chunks = 900
/** A connection's 64 KiB after the others had their share */
const mostOfTurn = 4_000

/** A body in chunks, each of which Node hands over apart. */
function inPieces(count: number): string {
  const body = `${`40\r\n${'x'.repeat(64)}\r\n`.repeat(count)}0\r\n\r\n`
  return `POST / HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n${body}`
}
const fine = inPieces(chunks)
const plain = 'GET / HTTP/1.1\r\nHost: localhost\r\n\r\n'

test('bodies in many small pieces, on many connections, are read in turns, and an older connection first', async () => {
  const pieces: number[] = []
  const methods: string[] = []
  const turns = watchTurns()
  onTestFinished(turns.stop)
  const { port } = await serve(
    takeTurns((req, res) => {
      req.on('data', () => {
        const turn = turns.count()
        pieces[turn] = (pieces[turn] ?? 0) + 1
      })
      req.on('end', () => {
        methods.push(req.method ?? '')
        res.end('{}')
      })
    }),
  )

  const older = await openOne(port)
  const others = await openMany(port, connections)
  const sockets = [older, ...others]
  for (let round = 1; round <= 3; round++) {
    methods.length = 0
    const answered = sockets.map((socket) => once(socket, 'data'))
    for (const socket of others) socket.write(fine)
    older.write(plain)
    await Promise.all(answered)
    expect(methods).toHaveLength(connections + 1)
    // It is written last. In the first round, all of them have sent little before.
    if (round > 1) expect(methods.indexOf('GET')).toBeLessThan(connections / 2)
  }
  const sum = pieces.reduce((all, each) => all + each, 0)
  expect(sum).toBe(3 * connections * chunks)
  expect(Math.max(...pieces.filter((each) => each !== undefined))).toBeLessThan(mostOfTurn)
})

test('a newer connection is read before those that have used up a turn by a few pieces each', async () => {
  const methods: string[] = []
  const { port } = await serve(
    takeTurns((req, res) => {
      req.resume().on('end', () => {
        methods.push(req.method ?? '')
        res.end('{}')
      })
    }),
  )
  const older = await openMany(port, 100)
  for (let round = 1; round <= 2; round++) {
    const newer = await openOne(port)
    methods.length = 0
    const answered = [...older, newer].map((socket) => once(socket, 'data'))
    for (const socket of older) socket.write(inPieces(90))
    newer.write(plain)
    await Promise.all(answered)
    expect(methods).toHaveLength(101)
    if (round > 1) expect(methods.indexOf('GET')).toBeLessThan(60)
  }
})

test('a connection that has used up a turn is read, however many others go on with a few pieces each', async () => {
  const chunk = `60\r\n${'x'.repeat(96)}\r\n`
  const others = new Map<number | undefined, Socket>()
  const { port } = await serve(
    takeTurns((req, res) => {
      const other = others.get(req.socket.remotePort)
      let pieces = 0
      // The next ones come when these have been read, so that none of them sends many in a turn.
      req.on('data', () => ++pieces % 20 === 0 && other?.write(chunk.repeat(20)))
      req.on('end', () => res.end('{}'))
    }),
  )
  const used = await openOne(port)
  used.write(inPieces(300))
  await once(used, 'data')
  for (const socket of await openMany(port, 400)) others.set(socket.localPort, socket)
  const head = 'POST / HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n'
  for (const socket of others.values()) socket.write(head + chunk.repeat(20))
  await sleep(200)
  // Node closes a connection that it does not read.
  used.on('error', () => {})
  for (let round = 0; round < 3; round++) {
    used.write(plain)
    const isAnswered = await new Promise((resolve) =>
      used.once('data', () => resolve(true)).once('close', () => resolve(false)),
    )
    expect(isAnswered).toBe(true)
  }
})

/** Connections that have been answered once, one after the other */
async function openMany(port: number, count: number): Promise<Socket[]> {
  const sockets: Socket[] = []
  for (let index = 0; index < count; index++) sockets.push(await openOne(port))
  return sockets
}

/** A connection that has been answered once */
async function openOne(port: number): Promise<Socket> {
  const socket = connect(port, '127.0.0.1')
  onTestFinished(() => {
    socket.destroy()
  })
  socket.write(plain)
  await once(socket, 'data')
  return socket
}

test.each([
  ['with bodies', 'Content-Length: 1\r\n\r\nx'],
  ['with many header lines', `${'a: b\r\n'.repeat(40)}\r\n`],
])('pipelined requests %s are handled one in a turn of the event loop', async (_what, rest) => {
  const answeredIn: number[] = []
  const turns = watchTurns()
  onTestFinished(turns.stop)
  const { port } = await serve(
    takeTurns((_req, res) => {
      answeredIn.push(turns.count())
      res.end('{}')
    }),
  )
  const request = `POST / HTTP/1.1\r\nHost: localhost\r\n${rest}`
  const socket = connect(port, '127.0.0.1').resume()
  socket.write(request.repeat(40))
  await expect.poll(() => answeredIn.length).toBe(40)
  expect(new Set(answeredIn).size).toBe(40)
  // No more of them may wait.
  socket.on('error', () => {}).write(request.repeat(1_000))
  await expect.poll(() => socket.destroyed).toBe(true)
  expect(answeredIn.length).toBeLessThan(200)
})
