import { once } from 'node:events'
import { createServer, type Server } from 'node:http'
import { type AddressInfo, connect, type Socket } from 'node:net'
import { clienteleListener } from '@clientele/core/node'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { BodyRoom } from '../../packages/core/src/base/runtime/body-room.ts'
import { openClientele } from '../keys/open-clientele.ts'
import { anyDatabase, type OpenDatabase } from '../support/databases.ts'

const connections = 150
/** It takes a millisecond or more to say what is wrong with it. */
const body = JSON.stringify({ roles: Array.from({ length: 4_000 }, () => 0) })
const kibibyte = 1024
const mebibyte = 1024 * kibibyte

describe.each(anyDatabase)('bodies that end at the same moment on $name', ({ open }) => {
  let database: OpenDatabase
  let clientele: Awaited<ReturnType<typeof openClientele>>
  let server: Server
  const sockets: Socket[] = []

  beforeAll(async () => {
    database = await open()
    clientele = await openClientele(database.url)
    server = createServer(clienteleListener(clientele)).listen(0, '127.0.0.1')
    await once(server, 'listening')
  })
  afterAll(async () => {
    for (const socket of sockets) socket.destroy()
    server.close()
    await clientele.close()
    await database.close()
  })

  /** Sends a request without the last byte of its body. */
  async function begin(key: string): Promise<Socket> {
    const { port } = server.address() as AddressInfo // it listens on TCP
    const socket = connect(port, '127.0.0.1')
    sockets.push(socket)
    await once(socket, 'connect')
    socket.write(
      `POST /client/user HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer ${key}\r\n` +
        `Content-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body.slice(0, -1)}`,
    )
    return socket
  }

  test('do not delay a request of another account', async () => {
    const addKey = async (name: string) => {
      const { id } = await clientele.accounts.create({ name })
      return (await clientele.apiKeys.create(id)).apiKey
    }
    const busyKey = await addKey('Busy')
    const busy = await Promise.all(Array.from({ length: connections }, () => begin(busyKey)))
    const other = await begin(await addKey('Other'))
    await new Promise((resolve) => setTimeout(resolve, 500))
    let answered = 0
    const answers = busy.map(async (socket) => {
      const [answer] = await once(socket, 'data')
      expect(String(answer)).toContain('422')
      answered++
    })
    for (const socket of busy) socket.write(body.slice(-1))
    other.write(body.slice(-1))
    const [answer] = await once(other, 'data')
    expect(String(answer)).toContain('422')
    // It came last.
    expect(answered).toBeLessThan(connections / 2)
    await Promise.all(answers)
  })
})

describe('the room for bodies', () => {
  /** Holds room until `end` is called. */
  function hold(room: BodyRoom, accountId: string, bytes: number, isGone = () => false) {
    let isHeld = false
    let end = () => {}
    const done = room.hold({ accountId, bytes, isGone }, () => {
      isHeld = true
      return new Promise<void>((resolve) => {
        end = resolve
      })
    })
    done.catch(() => {})
    return { done, isHeld: () => isHeld, end: () => end() }
  }
  const settle = () => new Promise((resolve) => setImmediate(resolve))

  test('is 2 MiB for each account, in the order of the requests', async () => {
    const room = new BodyRoom()
    const first = hold(room, 'a', 1.5 * mebibyte)
    const large = hold(room, 'a', mebibyte)
    const small = hold(room, 'a', kibibyte)
    const other = hold(room, 'b', mebibyte)
    await settle()
    const areHeld = () => [first, large, small, other].map((each) => each.isHeld())
    expect(areHeld()).toEqual([true, false, false, true])
    first.end()
    await settle()
    expect(areHeld()).toEqual([true, true, true, true])
  })

  test('takes a body alone, however large', async () => {
    const room = new BodyRoom()
    const alone = hold(room, 'a', 3 * mebibyte)
    await settle()
    expect(alone.isHeld()).toBe(true)
  })

  test('is free again where a body turns out to be shorter', async () => {
    const room = new BodyRoom()
    let end = () => {}
    const request = { accountId: 'a', bytes: 2 * mebibyte, isGone: () => false }
    const short = room.hold(request, (shrinkTo) => {
      shrinkTo(10)
      return new Promise<void>((resolve) => {
        end = resolve
      })
    })
    const next = hold(room, 'a', mebibyte)
    const large = hold(room, 'a', mebibyte)
    await settle()
    expect([next.isHeld(), large.isHeld()]).toEqual([true, false])
    end()
    await short
    expect(large.isHeld()).toBe(true)
    for (const each of [next, large]) each.end()
    await settle()
    const whole = hold(room, 'a', 2 * mebibyte)
    await settle()
    expect(whole.isHeld()).toBe(true)
  })

  test('is free again after an error', async () => {
    const room = new BodyRoom()
    const request = { accountId: 'a', bytes: 2 * mebibyte, isGone: () => false }
    const fail = room.hold(request, () => Promise.reject(new Error('no')))
    const next = hold(room, 'a', 2 * mebibyte)
    await expect(fail).rejects.toThrow('no')
    await settle()
    expect(next.isHeld()).toBe(true)
  })

  test('lets 16 MiB wait', async () => {
    const room = new BodyRoom()
    const first = hold(room, 'a', 2 * mebibyte)
    const waiting = Array.from({ length: 16 }, () => hold(room, 'a', mebibyte))
    const one = hold(room, 'a', kibibyte).done.then(() => 'held')
    await expect(Promise.race([one, settle().then(() => 'waits')])).rejects.toMatchObject({
      code: 'overloaded',
    })
    first.end()
    await settle()
    expect(waiting.map((each) => each.isHeld()).filter(Boolean)).toHaveLength(2)
  })

  test('reads no body of a caller who has left', async () => {
    const room = new BodyRoom()
    const first = hold(room, 'a', 2 * mebibyte)
    const gone = hold(room, 'a', mebibyte, () => true)
    const next = hold(room, 'a', 2 * mebibyte)
    first.end()
    await expect(gone.done).rejects.toMatchObject({ code: 'overloaded' })
    await settle()
    expect(gone.isHeld()).toBe(false)
    expect(next.isHeld()).toBe(true)
  })
})
