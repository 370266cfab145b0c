import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { buffer } from 'node:stream/consumers'
import { listen } from './listen.ts'

/** What the door does with a request in place of passing it on. */
export type Fault =
  | { status: number; headers?: Record<string, string>; body?: string }
  /** Passes it on, and cuts the connection when the answer is there */
  | 'lose the answer'
  /** Cuts the connection at once */
  | 'cut'
  /** Says nothing, until the client goes */
  | 'silence'

export interface FaultyDoor {
  origin: string
  /** For the next requests, one each; what follows is passed on */
  faults: Fault[]
  /** Every request that came: `POST /client/user <Idempotency-Key>` */
  asked: string[]
  /** Statuses that the host behind it has answered with */
  answered: number[]
  close(): Promise<void>
}

/** Stands between a client and a host as a proxy does, and fails as it is told. */
export async function openDoor(host: string): Promise<FaultyDoor> {
  const faults: Fault[] = []
  const asked: string[] = []
  const answered: number[] = []
  const handle = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const { method = '', url = '', headers } = request
    asked.push([method, url, headers['idempotency-key'] ?? []].flat().join(' '))
    const body = await buffer(request)
    const fault = faults.shift()
    if (fault === 'silence') return
    if (fault === 'cut') return void request.socket.destroy()
    if (typeof fault === 'object') {
      response.writeHead(fault.status, fault.headers).end(fault.body)
      return
    }
    const { host: _, connection: __, 'content-length': ___, ...named } = headers
    const { 'transfer-encoding': ____, ...passed } = named
    const answer = await fetch(host + url, {
      method,
      headers: passed as Record<string, string>, // none of those that are sent is repeated
      body: body.length === 0 ? null : body,
      redirect: 'manual',
    })
    const text = await answer.text()
    answered.push(answer.status)
    if (fault === 'lose the answer') return void request.socket.destroy()
    response.writeHead(answer.status, Object.fromEntries(answer.headers)).end(text)
  }
  const server = createServer((request, response) => {
    handle(request, response).catch(() => request.socket.destroy())
  })
  const { origin, close } = await listen(server)
  return { origin, faults, asked, answered, close }
}

/** A problem of Clientele's, as it is sent. */
export function problemOf(status: number, code: string, retryAfter?: string): Fault {
  const detail = 'Said by the door.'
  return {
    status,
    headers: {
      'content-type': 'application/problem+json; charset=utf-8',
      ...(retryAfter !== undefined && { 'retry-after': retryAfter }),
    },
    body: JSON.stringify({
      type: `urn:clientele:problem:${code}`,
      title: code,
      status,
      detail,
      code,
    }),
  }
}
