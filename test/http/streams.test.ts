import { once } from 'node:events'
import { createServer } from 'node:http'
import { connect } from 'node:net'
import { Readable } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import { setImmediate as endOfTurn } from 'node:timers/promises'
import type { Clientele, HttpRequest } from '@clientele/core'
import { clienteleListener, sendResponse } from '@clientele/core/node'
import { clienteleRoutes } from '@clientele/express'
import express from 'express'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { createAdmission, keepAdmitted } from '../../packages/core/src/http/keep-admitted.ts'
import { openLines } from '../../packages/core/src/http/read-lines.ts'
import { toReadableStream } from '../../packages/core/src/mount/to-readable-stream.ts'
import { createTenant, openClientele } from './support/world.ts'
import { bareFetch } from './targets/fetch.ts'
import { listen } from './targets/target.ts'

const ndjson = 'application/x-ndjson'
const text = (from: number, to: number, more: object = {}) =>
  Array.from({ length: to - from }, (_, index) => {
    const user = { name: 'Ada', email: `person-${from + index}@example.com`, ...more }
    return `${JSON.stringify(user)}\n`
  }).join('')

let clientele: Clientele
beforeAll(async () => {
  clientele = await openClientele('sqlite::memory:')
})
afterAll(() => clientele.close())

async function openTenant() {
  const { key, account } = await createTenant(clientele)
  const headers = { authorization: `Bearer ${key}`, 'content-type': ndjson }
  const request = (method: string, url: string, body: AsyncIterable<Uint8Array>): HttpRequest => ({
    ...{ method, url, mountPath: '', headers, body },
    rawHeaders: Object.entries(headers).flat(),
  })
  const send = async (body: AsyncIterable<Uint8Array>, query = '') => {
    const response = await clientele.handle(request('POST', `/client/user/import${query}`, body))
    return JSON.parse(response?.body ?? '')
  }
  const openExport = async () => {
    const response = await clientele.handle(
      request('GET', '/client/user/export', Readable.from([])),
    )
    return response ?? { status: 0, headers: {}, body: undefined }
  }
  return { account, headers, send, openExport }
}

describe('an import', () => {
  // Announced alone: a caller that sends all of it may lose the response, as the server stops reading.
  test('of more than 16 MiB is refused before it is read', async () => {
    const { headers } = await openTenant()
    const host = await listen(createServer(clienteleListener(clientele)), 'root')
    onTestFinished(() => host.close())
    const socket = connect(Number(new URL(host.origin).port), '127.0.0.1')
    const fields = { host: 'localhost', 'content-length': 16 * 1024 * 1024 + 1, ...headers }
    const lines = Object.entries(fields).map(([name, value]) => `${name}: ${value}\r\n`)
    socket.write(`POST /client/user/import HTTP/1.1\r\n${lines.join('')}\r\n`)
    const [answer] = await once(socket, 'data')
    socket.destroy()
    expect(answer.toString()).toMatch(/^HTTP\/1\.1 413 /)
    expect(answer.toString()).toContain('The body is larger than 16 MiB.')
  })

  test('of more lines than one body has ends before them', async () => {
    const { send } = await openTenant()
    const lines = text(0, 20_010)
    const errors = [
      {
        line: 20_001,
        code: 'malformed',
        message: 'is beyond the 20000 lines of one body: send it in another request',
      },
    ]
    const told = { imported: 20_000, stopped_at_line: 20_001, errors }
    const query = '?dry_run=true&on_error=skip'
    expect(await send(Readable.from([Buffer.from(lines)]), query)).toMatchObject(told)
  })

  test('tells no count that is beyond its document', async () => {
    const { send } = await openTenant()
    const told = await send(Readable.from([Buffer.from('x\n'.repeat(20_010))]), '?on_error=skip')
    expect(told).toMatchObject({ imported: 0, skipped: 20_001, stopped_at_line: 20_001 })
    const { schemas } = (await clientele.openApi()).components
    expect(schemas).toMatchObject({
      ImportResult: { properties: { skipped: { maximum: 20_001 } } },
    })
  })

  test('of more bytes than one body has ends before them, where its length is unknown', async () => {
    const { send } = await openTenant()
    const line = Buffer.from(text(0, 1, { metadata: { text: 'x'.repeat(8_000) } }))
    let sent = 0
    async function* lines(): AsyncGenerator<Uint8Array> {
      for (; sent < 2_500; sent++) yield line
    }
    const result = await send(lines(), '?dry_run=true&on_conflict=skip')
    const last = Math.floor((16 * 1024 * 1024) / line.length) + 1
    expect(result).toMatchObject({ imported: 1, stopped_at_line: last })
    expect(result.errors).toMatchObject([{ line: last, code: 'malformed' }])
    // The caller is still sending, and reads the response afterwards.
    await expect.poll(() => sent).toBe(2_500)
  })

  test('skips lines of blanks', async () => {
    const { send } = await openTenant()
    const body = `${text(0, 1)} \t\r\n  \nx`
    const result = await send(Readable.from([Buffer.from(body)]), '?dry_run=true&on_error=skip')
    expect(result).toMatchObject({ imported: 1, skipped: 1, stopped_at_line: null })
    expect(result.errors).toMatchObject([{ line: 4 }])
  })

  test.each([
    ['empty lines', '\n'.repeat(20_000), 0],
    ['long lines', `{"name":"${'x'.repeat(33_000)}"}\n`.repeat(20), 20],
  ])('lets others have a turn while it reads %s', async (_what, text, users) => {
    const body = Readable.from([Buffer.from(text)])
    const request = { headers: { 'content-type': ndjson }, body }
    const rules = {
      takesLines: { maxLines: 20_000, schema: undefined as never },
      maxBodyBytes: 1024 * 1024,
    }
    let isRead = false
    const count = async (): Promise<number> => {
      let turns = 0
      for (; !isRead; turns++) await endOfTurn()
      return turns
    }
    const turns = count()
    // Only these parts of a request are read.
    const lines = openLines(request as unknown as HttpRequest, rules, () => false)
    expect(await Readable.from(lines).toArray()).toHaveLength(users)
    isRead = true
    expect(await turns).toBeGreaterThan(15)
  })

  test('ends where the body falls silent', async () => {
    const request = { headers: { 'content-type': ndjson }, body: fallSilent() }
    async function* fallSilent(): AsyncGenerator<Uint8Array> {
      yield Buffer.from('{"a":1}\n{"a":')
      await new Promise(() => {})
    }
    const rules = { takesLines: { maxLines: 10, schema: undefined as never } }
    const patience = { silenceMs: 1, totalMs: 3_600_000 }
    // Only these parts of a request are read.
    const lines = openLines(request as unknown as HttpRequest, rules, () => false, patience)
    const waited = new Promise((resolve) => setTimeout(() => resolve('It still waits.'), 20_000))
    expect(await Promise.race([Readable.from(lines).toArray(), waited])).toEqual([
      { line: 1, value: { a: 1 } },
      { line: 2, fault: 'did not come in time: the body ended in silence' },
    ])
    await lines.drain()
    expect(lines.cutAtLine).toBe(2)
  })

  test('that breaks off stores whole batches, and ends', async () => {
    const { account, send } = await openTenant()
    async function* breakOff(): AsyncGenerator<Uint8Array> {
      yield Buffer.from(text(0, 300))
      throw new Error('aborted')
    }
    expect(await send(breakOff())).toMatchObject({ code: 'malformed_json' })
    const { total } = await clientele.users.list(account.id)
    expect(total).toBeGreaterThan(99)
    expect(total).toBeLessThan(300)
  })

  test.each([
    { name: 'express.text()', parser: express.text({ type: ndjson, limit: '16mb' }) },
    { name: 'express.raw()', parser: express.raw({ type: ndjson, limit: '16mb' }) },
    { name: 'express.json() of every type', parser: express.json({ type: '*/*' }) },
    { name: 'express.json()', parser: express.json() },
  ])('behind $name', async ({ parser }) => {
    const { headers } = await openTenant()
    const app = express().use(parser).use(clienteleRoutes(clientele))
    const host = await listen(createServer(app), 'root')
    onTestFinished(() => host.close())
    for (const [query, lines] of [
      ['?dry_run=true', text(0, 3)],
      ['', text(0, 1)],
    ] as const) {
      const url = `${host.origin}/client/user/import${query}`
      const response = await fetch(url, { method: 'POST', headers, body: lines })
      const imported = lines.split('\n').length - 1
      expect(await response.json()).toMatchObject({ imported, errors: [] })
    }
  })
})

describe('an export', () => {
  async function openLarge() {
    const tenant = await openTenant()
    const more = { metadata: { text: 'x'.repeat(4_000) } }
    await tenant.send(Readable.from([Buffer.from(text(0, 1_200, more))]))
    return tenant
  }

  test('reads no more pages when nobody takes them, and ends with its caller', async () => {
    const { openExport } = await openLarge()
    const { stream } = await openExport()
    const parts = stream?.[Symbol.asyncIterator]()
    await parts?.next()
    await parts?.return?.()
    expect(await parts?.next()).toEqual({ done: true, value: undefined })
  })

  test('four of an account at a time; a response that is never read counts for none', async () => {
    const { openExport } = await openLarge()
    for (let count = 0; count < 10; count++) expect((await openExport()).status).toBe(200)
    const running = await Promise.all(Array.from({ length: 4 }, openExport))
    const parts = running.map(({ stream }) => stream?.[Symbol.asyncIterator]())
    for (const each of parts) await each?.next()
    const refused = await openExport()
    expect([refused.status, refused.headers['retry-after']]).toEqual([503, '5'])
    await parts[0]?.return?.()
    expect((await openExport()).status).toBe(200)
    for (const each of parts) await each?.return?.()
  })

  test.each(['1.0', '1.1'])(
    'that fails on the way breaks the connection of HTTP/%s',
    async (version) => {
      async function* fail(): AsyncGenerator<Uint8Array<ArrayBuffer>> {
        yield Buffer.from('{"id":1}\n')
        await endOfTurn()
        throw new Error('The database is gone.')
      }
      const server = createServer((_req, res) =>
        sendResponse(res, { status: 200, headers: {}, body: undefined, stream: fail() }),
      )
      const host = await listen(server, 'root')
      onTestFinished(() => host.close())
      const socket = connect(Number(new URL(host.origin).port), '127.0.0.1')
      socket.write(`GET / HTTP/${version}\r\nHost: x\r\n\r\n`)
      await expect(buffer(socket)).rejects.toThrow('ECONNRESET')
    },
  )

  test('that fails on the way fails as a Response of fetch', async () => {
    async function* fail(): AsyncGenerator<Uint8Array<ArrayBuffer>> {
      yield Buffer.from('{"id":1}\n')
      throw new Error('The database is gone.')
    }
    await expect(new Response(toReadableStream(fail())).text()).rejects.toThrow('is gone')
  })

  test('ends when its caller is gone', async () => {
    let hasEnded = false
    async function* endless(): AsyncGenerator<Uint8Array<ArrayBuffer>> {
      try {
        for (;;) yield Buffer.alloc(32 * 1024, 10)
      } finally {
        hasEnded = true
      }
    }
    const server = createServer((_req, res) =>
      sendResponse(res, { status: 200, headers: {}, body: undefined, stream: endless() }),
    )
    const host = await listen(server, 'root')
    onTestFinished(() => host.close())
    const socket = connect(Number(new URL(host.origin).port), '127.0.0.1')
    socket.write('GET / HTTP/1.1\r\nHost: x\r\n\r\n')
    await once(socket, 'data')
    socket.destroy()
    await expect.poll(() => hasEnded).toBe(true)
    hasEnded = false
    const reader = toReadableStream(endless()).getReader()
    await reader.read()
    await reader.cancel()
    expect(hasEnded).toBe(true)
  })

  test('waits for its reader', async () => {
    let made = 0
    async function* endless(): AsyncGenerator<Uint8Array<ArrayBuffer>> {
      for (;;) {
        made++
        yield Buffer.alloc(32 * 1024, 10)
      }
    }
    const reader = toReadableStream(endless()).getReader()
    await reader.read()
    await endOfTurn()
    expect(made).toBeLessThan(4)
    await reader.cancel()
  })
})

test('a caller whose key is revoked meanwhile is refused', async () => {
  let now = 0
  let asked = 0
  async function* parts(): AsyncGenerator<number> {
    for (let part = 0; ; part++) {
      now += 400
      yield part
    }
  }
  const readmit = async () => {
    if (++asked === 2) throw new Error('revoked')
  }
  const kept = keepAdmitted(parts(), createAdmission(readmit, () => now).stay)
  const taken: number[] = []
  const read = async () => {
    for await (const part of kept) taken.push(part)
  }
  await expect(read()).rejects.toThrow('revoked')
  expect(taken).toEqual([0, 1, 2, 3, 4])
})

test('a large import and export through fetch', async () => {
  const { headers } = await openTenant()
  const host = await bareFetch.start(clientele, 'prefix')
  onTestFinished(() => host.close())
  const path = `${host.origin}${host.prefix}/client/user`
  const body = text(0, 1_000, { metadata: { text: 'x'.repeat(2_000) } })
  const sent = await fetch(`${path}/import`, { method: 'POST', headers, body })
  expect(await sent.json()).toMatchObject({ imported: 1_000 })
  const read = await fetch(`${path}/export`, { headers })
  expect((await read.text()).split('\n')).toHaveLength(1_001)
})
