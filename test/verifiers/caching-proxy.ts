import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { buffer } from 'node:stream/consumers'

interface CachedAnswer {
  status: number
  headers: Record<string, string>
  body: Buffer
  freshUntil: number
}

export interface CachingProxy {
  /** `http://127.0.0.1:…` */
  origin: string
  /** Where requests go, `http://127.0.0.1:…` */
  upstream: string
  /** Answers that came from the cache */
  hits: number
  close(): Promise<void>
}

/** An HTTP cache that does as `Cache-Control: public, max-age` says, and as the clock of `Date` says. */
export async function startCachingProxy(): Promise<CachingProxy> {
  const cache = new Map<string, CachedAnswer>()
  const proxy = { origin: '', upstream: '', hits: 0 }

  async function ask(url: string, init: RequestInit): Promise<CachedAnswer> {
    const known = init.method === 'GET' ? cache.get(url) : undefined
    if (known !== undefined && known.freshUntil > Date.now()) {
      proxy.hits++
      return known
    }
    const response = await fetch(proxy.upstream + url, init)
    const type = response.headers.get('content-type') ?? 'application/json'
    const rule = response.headers.get('cache-control') ?? ''
    const seconds = /public, max-age=(\d+)/.exec(rule)?.[1] ?? '0'
    const answer = {
      status: response.status,
      headers: { 'content-type': type, 'cache-control': rule },
      body: Buffer.from(await response.arrayBuffer()),
      freshUntil: Date.now() + Number(seconds) * 1000,
    }
    if (init.method === 'GET' && seconds !== '0') cache.set(url, answer)
    return answer
  }

  const server = createServer(async (request, response) => {
    const { url = '', method = 'GET', headers } = request
    const kept = ['authorization', 'content-type', 'accept'].flatMap((name) => {
      const value = headers[name]
      return typeof value === 'string' ? [[name, value] as const] : []
    })
    const body = method === 'GET' ? null : new Uint8Array(await buffer(request))
    const answer = await ask(url, { method, headers: Object.fromEntries(kept), body })
    response.writeHead(answer.status, answer.headers).end(answer.body)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  proxy.origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}` // it listens on a port
  return Object.assign(proxy, {
    close: () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  })
}
