import { randomUUID } from 'node:crypto'
import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http'
import { STATUS_CODES } from 'node:http'
import type { Clientele, Logger } from '@clientele/core'

/** What every address of the service begins with. */
export const mountPath = '/api/v1'

/** Answers Clientele's routes below `/api/v1` and the two health checks; anything else is not there. */
export function createRequestListener(clientele: Clientele, logger: Logger): RequestListener {
  async function answer(req: IncomingMessage, res: ServerResponse): Promise<void> {
    const { method = 'GET', headers, rawHeaders } = req
    // RFC 9112, section 3.2.2: some proxies send the absolute form.
    const url = (req.url ?? '/').replace(/^https?:\/\/[^/?#]*/i, '')
    const path = url.split('?', 1)[0]
    if (path === '/health/live' || path === '/health/ready') {
      if (method !== 'GET' && method !== 'HEAD') {
        return sendProblem(res, 405, 'method_not_allowed', 'The route does not have this method.', {
          allow: 'GET, HEAD',
        })
      }
      if (path === '/health/ready' && !(await isReady(clientele))) {
        return sendProblem(res, 503, 'storage_unavailable', 'The database does not answer.', {
          'retry-after': '1',
        })
      }
      return send(res, 200, 'application/json; charset=utf-8', { status: 'ok' })
    }
    const response = url.startsWith(`${mountPath}/`)
      ? await clientele.handle({
          method,
          url: url.slice(mountPath.length),
          mountPath,
          headers,
          rawHeaders,
          body: req,
        })
      : undefined
    if (response === undefined) {
      return sendProblem(res, 404, 'route_not_found', 'No such route.')
    }
    res.writeHead(response.status, response.headers).end(response.body)
  }

  return (req, res) => {
    answer(req, res).catch((error: unknown) => {
      logger.error({ error }, 'A request could not be answered.')
      res.destroy()
    })
  }
}

async function isReady(clientele: Clientele): Promise<boolean> {
  return clientele.ping().then(
    () => true,
    () => false,
  )
}

/** Problem details (RFC 9457), as Clientele's own routes have them. */
function sendProblem(
  res: ServerResponse,
  status: number,
  code: string,
  detail: string,
  headers: Record<string, string> = {},
): void {
  const title = STATUS_CODES[status]
  const problem = { type: `urn:clientele:problem:${code}`, title, status, detail, code }
  send(res, status, 'application/problem+json; charset=utf-8', problem, headers)
}

function send(
  res: ServerResponse,
  status: number,
  type: string,
  content: object,
  headers: Record<string, string> = {},
): void {
  const body = JSON.stringify(content)
  res.writeHead(status, {
    'content-type': type,
    'content-length': Buffer.byteLength(body),
    'cache-control': 'no-store',
    'x-request-id': randomUUID(),
    ...headers,
  })
  res.end(body)
}
