import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { buffer } from 'node:stream/consumers'
import type { Clientele, HttpResponse } from '@clientele/core'
import { listen, type Mounting, prefixOf, type Target } from './target.ts'

/** The core called directly, without any framework: what the others are held against. */
export const bare: Target = {
  name: 'bare',
  deviations: [],
  start(clientele, mounting) {
    const server = createServer((request, response) => {
      response.setHeader('x-host', 'bare')
      answer(clientele, mounting, request, response).catch((error: unknown) => {
        console.error(error)
        response.writeHead(500).end()
      })
    })
    return listen(server, mounting)
  },
}

async function answer(
  clientele: Clientele,
  mounting: Mounting,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const { method = '', url = '', headers, rawHeaders } = request
  const mountPath = prefixOf(mounting)
  const handled = url.startsWith(mountPath)
    ? await clientele.handle({
        ...{ method, url: url.slice(mountPath.length), mountPath, headers, rawHeaders },
        ...{ body: request, parsedBody: mounting === 'parsed' ? await parse(request) : undefined },
      })
    : undefined
  if (handled !== undefined) return send(response, handled)
  if (url === '/host') return void response.end('the host')
  if (url !== '/me') return void response.writeHead(404).end('nothing here')
  const result = await clientele.guard(request)
  if ('response' in result) return send(response, result.response)
  response.end(result.user.email)
}

/** A parser that hands over the text of what it can't read, and of texts. */
async function parse(request: IncomingMessage): Promise<unknown> {
  const bytes = await buffer(request)
  try {
    const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })
    const parsed: unknown = JSON.parse(decoder.decode(bytes))
    return typeof parsed === 'string' ? bytes : parsed
  } catch {
    return bytes
  }
}

function send(response: ServerResponse, { status, headers, body }: HttpResponse): void {
  response.statusCode = status
  for (const [name, value] of Object.entries(headers)) response.setHeader(name, value)
  response.end(body)
}
