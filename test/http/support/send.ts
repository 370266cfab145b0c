import { Agent, request as httpRequest } from 'node:http'
import { text } from 'node:stream/consumers'

export interface Sent {
  method?: string
  /** Path and query, exactly as they go over the wire */
  path: string
  /** Names and values in turn: a name may stand there twice */
  headers?: readonly string[]
  body?: string | Buffer | undefined
  /** Sends the body without saying its length first. */
  chunked?: boolean
}

export interface Reply {
  status: number
  /** Without what belongs to the host or the connection */
  headers: Record<string, string>
  body: string
}

/** The host's own header fields, and those of the connection. */
const hostFields = new Set([
  'connection',
  'content-length',
  'date',
  'keep-alive',
  'transfer-encoding',
  'vary',
  'x-host',
  'x-powered-by',
])

/** What stands for the id of a request, which is never the same twice. */
export const requestId = { 'x-request-id': '<a UUIDv7>' }

function nameId(value = ''): string {
  const isId = /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/.test(value)
  return isId ? requestId['x-request-id'] : value
}

const agent = new Agent({ keepAlive: true, maxSockets: 64 })

/** Sends a request by `node:http`, which changes nothing of it. */
export function send(origin: string, sent: Sent): Promise<Reply> {
  const { method = 'GET', path, headers = [], body, chunked = false } = sent
  const { hostname, port, host } = new URL(origin)
  const length = body === undefined ? 0 : Buffer.byteLength(body)
  const framing = chunked
    ? ['transfer-encoding', 'chunked']
    : body !== undefined || !['GET', 'HEAD', 'DELETE', 'OPTIONS'].includes(method)
      ? ['content-length', String(length)]
      : []
  return new Promise((resolve, reject) => {
    const request = httpRequest(
      { agent, hostname, port, method, path, headers: ['host', host, ...headers, ...framing] },
      async (response) => {
        try {
          const received = await text(response)
          const declared = response.headers['content-length']
          if (method !== 'HEAD' && declared !== undefined && received !== '') {
            if (Number(declared) !== Buffer.byteLength(received)) throw new Error('wrong length')
          }
          const fields = Object.entries(response.headersDistinct)
            .filter(([name]) => !hostFields.has(name))
            .map(([name, values]) => [name, values?.join(' AND ') ?? ''])
            .map(([name, value]) => [name, name === 'x-request-id' ? nameId(value) : value])
          resolve({
            status: response.statusCode ?? 0,
            headers: Object.fromEntries(fields),
            body: received,
          })
        } catch (error) {
          reject(error)
        }
      },
    )
    request.on('error', reject)
    request.end(body)
  })
}
