import { EventEmitter, once } from 'node:events'
import { createServer, type ServerResponse } from 'node:http'
import { connect } from 'node:net'
import type { Clientele, HttpRequest } from '@clientele/core'
import { sendResponse } from '@clientele/core/node'
import { expect, onTestFinished, test, vi } from 'vitest'
import {
  countUnread,
  noteProgress,
  noteResponse,
} from '../../packages/core/src/http/node/unread-responses.ts'
import { createTenant, openClientele } from './support/world.ts'

const mebibyte = 1024 * 1024

test('when unread responses take more than 256 MiB, the account that holds most loses those that have waited longest', () => {
  const dropped: string[] = []
  const warn = vi.spyOn(process, 'emitWarning').mockImplementation(() => {})
  onTestFinished(() => warn.mockRestore())
  const opened: EventEmitter[] = []
  const leaveUnread = (name: string, accountId: string, mebibytes: number) => {
    const response = new EventEmitter()
    opened.push(response)
    const res = response as ServerResponse // all that is used of it
    noteResponse(res, accountId, mebibytes * mebibyte)
    countUnread(res, () => dropped.push(name))
    return res
  }
  leaveUnread('of one who waits longest', 'small', 60)
  leaveUnread('of a stranger', '', 60)
  const read = leaveUnread('of which a part was read', 'large', 40)
  leaveUnread('the first', 'large', 40)
  leaveUnread('the second', 'large', 40)
  noteProgress(read)
  expect(dropped).toEqual([])
  leaveUnread('the third', 'large', 40)
  expect(dropped).toEqual(['the first'])
  leaveUnread('the fourth', 'large', 20)
  expect(dropped).toEqual(['the first', 'the second'])
  expect(warn.mock.calls).toEqual([
    [expect.stringContaining('Account large holds most'), { code: 'CLIENTELE_UNREAD_RESPONSES' }],
  ])

  for (const response of opened) response.emit('close')
  leaveUnread('later', 'large', 250).emit('close')
  leaveUnread('last', 'large', 250).emit('close')
  expect(dropped).toHaveLength(2)
})

test('a text that is not ASCII waits as bytes, which are counted', async () => {
  const body = '語'.repeat(4 * mebibyte)
  const server = createServer((_req, res) => {
    sendResponse(res, { status: 200, headers: {}, body })
    server.emit('sent', res.socket?.writableLength)
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const sent = once(server, 'sent')
  const address = server.address()
  const socket = connect(typeof address === 'object' ? (address?.port ?? 0) : 0).pause()
  onTestFinished(() => {
    socket.destroy()
    server.close()
  })
  socket.write('GET / HTTP/1.1\r\nHost: localhost\r\n\r\n')
  expect((await sent)[0]).toBeGreaterThan(Buffer.byteLength(body))
})

test('a host is told whose a large response is, and how many bytes it takes', async () => {
  const clientele: Clientele = await openClientele('sqlite::memory:')
  onTestFinished(() => clientele.close())
  const { account, key } = await createTenant(clientele)
  const told: [accountId: string, bytes: number][] = []
  const list = async (limit: number) => {
    const headers = { authorization: `Bearer ${key}` }
    const request: HttpRequest = {
      method: 'GET',
      url: `/client/user?limit=${limit}`,
      mountPath: '',
      headers,
      rawHeaders: Object.entries(headers).flat(),
      body: (async function* () {})(),
      noteResponse: (...what) => void told.push(what),
    }
    const response = await clientele.handle(request)
    expect(response?.status).toBe(200)
    return response
  }
  async function* records() {
    const metadata = { note: '語'.repeat(2_600) }
    for (let index = 1; index <= 100; index++)
      yield {
        line: index,
        value: { name: 'Large', email: `large${index}@example.com`, metadata },
      }
  }
  await list(10)
  expect(told).toEqual([])
  await clientele.users.import(account.id, records())
  const { body } = (await list(10)) ?? {}
  expect(told).toEqual([[account.id, Buffer.byteLength(body ?? '')]])
  // The first list of this size shows how large the users are.
  await list(100)
  await list(100)
  const [, , [owner, held] = []] = told
  expect(owner).toBe(account.id)
  expect(held).toBeGreaterThan(2 * 100 * 2_600)
})
