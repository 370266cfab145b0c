/** Clientele's routes and guard for Express 4 and 5. @module */
import type {
  BodyFault,
  GuardedUser,
  GuardOptions,
  HttpResponse,
  Mountable,
  Verifier,
} from '@clientele/core'
import { checkRoutesArguments, createGuard } from '@clientele/core'
import { sendResponse, toHttpRequest } from '@clientele/core/node'
import type { ErrorRequestHandler, Request, RequestHandler, Response } from 'express'

declare global {
  namespace Express {
    interface Request extends Partial<GuardedUser> {}
  }
}

export interface RoutesOptions {
  /** The caller's address, where you know it (behind a proxy: `(req) => req.ip` with `trust proxy`). @default unknown */
  clientAddress?: (req: Request) => string | undefined
}

/** Error codes by the `type` of body-parser's error */
const bodyFaults: Record<string, BodyFault> = {
  'entity.parse.failed': 'malformed_json',
  'entity.too.large': 'body_too_large',
  'parameters.too.many': 'body_too_large',
  'charset.unsupported': 'media_type_unsupported',
  'encoding.unsupported': 'media_type_unsupported',
}

/**
 * The routes at and below `/client/user`, `/client/account`, `/client/event` and `/client/webhook`, to mount under any
 * path; every other request goes on to the next handler. They work with or without a body parser: the errors of
 * `express.json()` are answered by the routes, with problem details.
 *
 * @throws ClienteleError `configuration_invalid` when it is called wrongly
 * @example app.use('/api/v1', clienteleRoutes(clientele))
 */
export function clienteleRoutes(
  clientele: Mountable,
  options: RoutesOptions = {},
): (RequestHandler | ErrorRequestHandler)[] {
  checkRoutesArguments(clientele, options)
  function answer(
    req: Request,
    res: Response,
    bodyFault?: BodyFault,
  ): Promise<HttpResponse | undefined> {
    const { baseUrl, originalUrl } = req
    // Express 4 takes one slash too many off `req.url` when two of them follow the mount path.
    const url = originalUrl.startsWith(baseUrl) ? originalUrl.slice(baseUrl.length) : req.url
    // Express 4's parsers set `{}` if they have parsed nothing.
    const parsedBody = req.readableDidRead ? req.body : undefined
    const clientAddress = options.clientAddress?.(req)
    const host = { url, mountPath: baseUrl, parsedBody, bodyFault, clientAddress }
    return clientele.handle(toHttpRequest(req, res, host))
  }
  const routes: RequestHandler = (req, res, next) => {
    answer(req, res)
      .then((response) => (response === undefined ? next() : sendResponse(res, response)))
      .catch(next)
  }
  const afterParser: ErrorRequestHandler = (error, req, res, next) => {
    const bodyFault = bodyFaults[error?.type]
    if (bodyFault === undefined) return next(error)
    answer(req, res, bodyFault)
      .then((response) => (response === undefined ? next(error) : sendResponse(res, response)))
      .catch(next)
  }
  return [routes, afterParser]
}

/**
 * Lets a request pass that carries a valid token of a client user (`Authorization: Bearer <JWT>`), and puts the user
 * on `req.clientUser`, the user's id on `req.clientUserId`; answers any other with 401 problem details. It takes a
 * Clientele, or a validator, which knows the id alone.
 *
 * @throws ClienteleError `configuration_invalid` when it is called wrongly
 * @example app.get('/me', requireUser(clientele), (req, res) => res.json(req.clientUser))
 */
export function requireUser(source: Verifier, options?: GuardOptions): RequestHandler {
  const guard = createGuard(source, options)
  return (req, res, next) => {
    guard(req)
      .then((result) => {
        if ('response' in result) return sendResponse(res, result.response)
        Object.assign(req, result)
        next()
      })
      .catch(next)
  }
}
