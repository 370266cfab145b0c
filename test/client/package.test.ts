import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { UnderlyingSource } from 'node:stream/web'
import { setTimeout as sleep } from 'node:timers/promises'
import { gzipSync } from 'node:zlib'
import { type ClientOptions, createClient } from '@clientele/client'
import { describe, expect, test } from 'vitest'
import { root } from '../package/source-files.ts'

const folder = join(root, 'packages/client')
const built = readFileSync(join(folder, 'dist/index.js'), 'utf8')

test('the package is smaller than 10 KB, gzipped, and has no dependencies', () => {
  expect(gzipSync(built).length).toBeLessThan(10_000)
  expect(gzipSync(built).length).toBeGreaterThan(1_000)
  expect(built).not.toMatch(/(?<!\/)\bimport\b\s*[{("'*]|\brequire\(|\bprocess\.|\bBuffer\b/)
  const manifest = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'))
  expect(manifest.dependencies).toBeUndefined()
  expect(manifest.peerDependencies).toBeUndefined()
})

const good = { baseUrl: 'https://api.example.com/api/v1/', apiKey: 'cu_live_x' }

describe('createClient', () => {
  test.each<[object, string]>([
    [{ baseUrl: '/api/v1' }, 'baseUrl must be an http or https URL'],
    [{ baseUrl: 'ftp://api.example.com' }, 'baseUrl must be an http or https URL'],
    [{ baseUrl: 'https://a:b@example.com' }, 'baseUrl must have no query'],
    [{ baseUrl: 'https://example.com/?a=b' }, 'baseUrl must have no query'],
    [{ apiKey: '' }, 'apiKey must be'],
    [{ apiKey: 'two words' }, 'apiKey must be'],
    [{ apiKey: undefined }, 'apiKey must be'],
    [{ fetch: 'fetch' }, 'fetch must be a function'],
    [{ retry: { count: -1 } }, 'retry.count must be a number from 0 to 100'],
    [{ retry: { count: 1.5 } }, 'retry.count must be a whole number'],
    [{ retry: { times: 1 } }, 'retry has no option times'],
    [{ retry: { maxDelaySeconds: Number.NaN } }, 'retry.maxDelaySeconds must be'],
    [{ timeoutSeconds: 0 }, 'timeoutSeconds must be'],
    [{ timeout: 5 }, 'createClient has no option timeout'],
  ])('refuses %j', (wrong, message) => {
    const options = { ...good, ...wrong } as ClientOptions // wrong on purpose
    expect(() => createClient(options)).toThrow(TypeError)
    expect(() => createClient(options)).toThrow(message)
  })

  test('uses the given fetch', async () => {
    const sent: [url: string, init: RequestInit][] = []
    const client = createClient({
      ...good,
      fetch: async (...given) => {
        sent.push(given)
        return Response.json({ data: [], page: 1, limit: 10, total: 0 })
      },
    })
    await client.listUsers({ q: 'a&b', is_active: true, role: undefined })
    await client.introspectToken({ token: 'x=y' })
    await client.revokeSession('a?b', 'c d').catch(() => {})
    expect(sent.map(([url]) => url)).toEqual([
      'https://api.example.com/api/v1/client/user?q=a%26b&is_active=true',
      'https://api.example.com/api/v1/client/user/auth/introspect',
      'https://api.example.com/api/v1/client/user/a%3Fb/session/c%20d',
    ])
    const headers = sent.map(([, init]) => Object.fromEntries(new Headers(init.headers)))
    expect(headers[0]).toEqual({ authorization: 'Bearer cu_live_x' })
    expect(headers[1]?.['content-type']).toBe('application/x-www-form-urlencoded')
    expect(sent[1]?.[1].body).toBe('token=x%3Dy')
  })

  test('lines may be read slowly once they have come', async () => {
    const headers = { 'content-type': 'application/x-ndjson' }
    const lines: typeof fetch = async (_url, { signal } = {}) => {
      const parts = ['{"email":"a"}\n{"email":"b"}\n{"email":"c"}\n']
      const source: UnderlyingSource<Uint8Array> = {
        // As fetch does
        start: (to) => signal?.addEventListener('abort', () => to.error(signal.reason)),
        pull: (to) => {
          const part = parts.shift()
          if (part === undefined) to.close()
          else to.enqueue(new TextEncoder().encode(part))
        },
      }
      const body = new ReadableStream(source, { highWaterMark: 0 })
      return new Response(body, { headers })
    }
    const client = createClient({ ...good, timeoutSeconds: 0.1, fetch: lines })
    const emails: unknown[] = []
    const { data, problem } = await client.exportUsers()
    if (data === undefined) throw new Error(problem.detail)
    for await (const { email } of data) {
      emails.push(email)
      await sleep(150)
    }
    expect(emails).toEqual(['a', 'b', 'c'])
  })

  test('an id that would lead to another operation is refused before anything is sent', async () => {
    const client = createClient({ ...good, fetch: () => Promise.reject(new Error('sent')) })
    for (const id of ['', '.', '..', undefined, 7]) {
      const wrong = id as string // wrong on purpose
      await expect(client.deleteUser(wrong)).rejects.toThrow(TypeError)
      await expect(client.revokeSession('id', wrong)).rejects.toThrow('session_id must be a text')
    }
    await expect(client.findUser('\ud800')).rejects.toThrow('id must be well-formed Unicode')
    for (const id of ['../event', 'id/two-factor', '..\\event'])
      await expect(client.deleteUser(id)).rejects.toThrow('id must contain neither / nor \\')
    for (const word of ['export', 'openapi.json'])
      await expect(client.findUser(word)).rejects.toThrow(`id must not be ${word}`)
  })
})
