import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { buffer } from 'node:stream/consumers'
import { consoleRoutes } from '@clientele/console'
import { createGuard, type Guard } from '@clientele/core'
import { clienteleListener, sendResponse } from '@clientele/core/node'
import { scimRoutes } from '@clientele/scim'
import { listen, prefixOf, sayWho, type Target } from './target.ts'

/** The core behind Node's own server, without any framework: what the others are held against. */
export const bare: Target = {
  name: 'bare',
  deviations: [],
  start(clientele, mounting, validator) {
    const guard = createGuard(validator ?? clientele)
    const parsed = new WeakMap<IncomingMessage, unknown>()
    const options = {
      prefix: prefixOf(mounting),
      parsedBody: (request: IncomingMessage) => parsed.get(request),
    }
    const routes = clienteleListener(clientele, options)
    const page = clienteleListener(consoleRoutes(clientele), options)
    const scim = clienteleListener(scimRoutes(clientele), options)
    const server = createServer(async (request, response) => {
      response.setHeader('x-host', 'bare')
      if (mounting === 'parsed') parsed.set(request, await parse(request))
      const next = (): void => {
        answer(guard, request, response).catch((error: unknown) => {
          console.error(error)
          response.writeHead(500).end()
        })
      }
      const further = () => scim(request, response, next)
      routes(request, response, () => page(request, response, further))
    })
    return listen(server, mounting)
  },
}

/** The host's own. */
async function answer(
  guard: Guard,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  if (request.url === '/host') return void response.end('the host')
  if (request.url !== '/me') return void response.writeHead(404).end('nothing here')
  const result = await guard(request)
  if ('response' in result) return sendResponse(response, result.response)
  response.end(sayWho(result))
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
