import { randomUUID } from 'node:crypto'
import type { RequestListener, ServerResponse } from 'node:http'
import { consoleRoutes } from '@clientele/console'
import { type Clientele, ClienteleError, type Logger } from '@clientele/core'
import {
  clienteleListener,
  type ListenerOptions,
  sendProblem,
  sendResponse,
} from '@clientele/core/node'
import { scimRoutes } from '@clientele/scim'
import { findClientAddress } from './find-client-address.ts'
import type { Settings } from './settings/setting-table.ts'

/** The prefix of every path of the service. */
export const mountPath = '/api/v1'

const consolePath = `${mountPath}/client/console`
const scimPath = `${mountPath}/scim/v2`

/** RFC 8414, section 3.1: the well-known part stands between the origin and the path of the issuer. */
const metadataName = 'oauth-authorization-server'

const unavailable = new ClienteleError('storage_unavailable', undefined, { retryAfterSeconds: 1 })

/**
 * Answers Clientele's routes, its console and SCIM below `/api/v1`, the issuers' metadata at the origin (RFC 8414), and the two
 * health checks. Any other path is 404.
 */
export function createRequestListener(
  clientele: Clientele,
  logger: Logger,
  {
    publicUrl,
    trustProxy,
    servesConsole,
  }: Pick<Settings, 'publicUrl' | 'trustProxy' | 'servesConsole'>,
): RequestListener {
  const options: ListenerOptions = {
    prefix: mountPath,
    logger,
    // Unknown unless TRUST_PROXY is set: callers are servers, often behind one address.
    ...(trustProxy && { clientAddress: (req) => findClientAddress(req, trustProxy) }),
  }
  const routes = clienteleListener(clientele, options)
  const page = servesConsole ? clienteleListener(consoleRoutes(clientele), options) : routes
  const scim = clienteleListener(scimRoutes(clientele), options)
  const inserted = `/.well-known/${metadataName}${publicUrl === undefined ? mountPath : readPublicPath(publicUrl)}`
  return (req, res) => {
    // A URL and not a path: some proxies send the absolute form (RFC 9112, section 3.2.2).
    const path = readPath(req.url ?? '')
    if (path?.startsWith(`${inserted}/client/account/`)) {
      req.url = `${mountPath}${path.slice(inserted.length)}/.well-known/${metadataName}`
      return routes(req, res)
    }
    if (path?.startsWith(consolePath)) return page(req, res)
    if (path?.startsWith(scimPath)) return scim(req, res)
    if (path !== '/health/live' && path !== '/health/ready') return routes(req, res)
    if (req.method !== 'GET' && req.method !== 'HEAD') {
      const headers = { allow: 'GET, HEAD' }
      return sendProblem(res, new ClienteleError('method_not_allowed', undefined, { headers }))
    }
    if (path === '/health/live') return sendOk(res)
    clientele.ping().then(
      () => sendOk(res),
      () => sendProblem(res, unavailable),
    )
  }
}

/** A path in which a URL parser changes nothing: to parse every one took 2 % of a validation. */
const plainPath = /^\/(?:[\w-][\w/-]*)?$/

/** Of a longer path only the routes are asked: to parse thousands of segments takes longer than to refuse them. */
const maxParsed = 2_000

function readPath(target: string): string | undefined {
  const end = target.indexOf('?')
  const path = end === -1 ? target : target.slice(0, end)
  if (path.length > maxParsed) return undefined
  return plainPath.test(path) ? path : URL.parse(target, 'http://host')?.pathname
}

/** The path of a URL, without a slash at its end. */
function readPublicPath(url: string): string {
  return new URL(url).pathname.replace(/\/+$/, '')
}

function sendOk(res: ServerResponse): void {
  sendResponse(res, {
    status: 200,
    headers: {
      'content-type': 'application/json; charset=utf-8',
      'content-length': '15',
      'cache-control': 'no-store',
      'x-request-id': randomUUID(),
    },
    body: '{"status":"ok"}',
  })
}
