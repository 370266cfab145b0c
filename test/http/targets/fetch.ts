import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { consoleRoutes } from '@clientele/console'
import { clienteleHandler, requireUser } from '@clientele/fetch'
import { scimRoutes } from '@clientele/scim'
import { normalizedPaths } from './normalized-paths.ts'
import { listen, prefixOf, sayRequestUser, type Target } from './target.ts'

/** The bare function behind Node's own server. */
export const bareFetch: Target = {
  name: 'fetch',
  deviations: normalizedPaths,
  start(clientele, mounting, validator) {
    const prefix = prefixOf(mounting)
    const routes = clienteleHandler(clientele, { prefix })
    const page = clienteleHandler(consoleRoutes(clientele), { prefix })
    const scim = clienteleHandler(scimRoutes(clientele), { prefix })
    const guard = validator === undefined ? requireUser(clientele) : requireUser(validator)
    async function answer(request: Request): Promise<Response> {
      if (mounting === 'parsed') await request.clone().text()
      const response = (await routes(request)) ?? (await page(request)) ?? (await scim(request))
      if (response !== undefined) return response
      const { pathname } = new URL(request.url)
      if (pathname === '/host') return new Response('the host')
      if (pathname !== '/me') return new Response('nothing here', { status: 404 })
      return new Response(sayRequestUser(await guard(request)))
    }
    const server = createServer((incoming, outgoing) => {
      answer(toRequest(incoming))
        .catch((error: unknown) => {
          if (error instanceof Response) return error
          console.error(error)
          return new Response('the host', { status: 500 })
        })
        .then((response) => sendFetched(outgoing, response))
    })
    return listen(server, mounting)
  },
}

/** A Node request as a fetch request. The body is read only when it is used. */
function toRequest(incoming: IncomingMessage): Request {
  const { method = '', url, headersDistinct } = incoming
  const headers = new Headers()
  for (const [name, values] of Object.entries(headersDistinct))
    for (const value of values ?? []) headers.append(name, value)
  const body = method === 'GET' || method === 'HEAD' ? null : ReadableStream.from(incoming)
  return new Request(`http://127.0.0.1${url}`, { method, headers, body, duplex: 'half' })
}

async function sendFetched(outgoing: ServerResponse, response: Response): Promise<void> {
  outgoing.setHeader('x-host', 'fetch')
  outgoing.writeHead(response.status, Object.fromEntries(response.headers))
  outgoing.end(response.body === null ? undefined : await response.text())
}
