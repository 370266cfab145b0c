/** Clientele's routes and guard for Express 4 and 5. @module */
import type { BodyFault, GuardedUser, GuardOptions, Mountable, Verifier } from '@clientele/core'
import { checkRoutesArguments, createGuard, makeRefusals } from '@clientele/core'
import { type HostRequest, sendResponse, toHttpRequest } from '@clientele/core/node'
import type { ErrorRequestHandler, Request, RequestHandler, Response } from 'express'

declare global {
  namespace Express {
    interface Request extends Partial<GuardedUser> {}
  }
}

export interface RoutesOptions {
  /** The caller's address, if you know it (behind a proxy: `(req) => req.ip` with `trust proxy`). @default unknown */
  clientAddress?: (req: Request) => string | undefined
}

/** Error codes by the `type` of body-parser's error */
const bodyFaults: Record<string, BodyFault> = {
  'entity.parse.failed': 'malformed_json',
  'entity.too.large': 'body_too_large',
  'parameters.too.many': 'body_too_large',
  'charset.unsupported': 'media_type_unsupported',
  'encoding.unsupported': 'media_type_unsupported',
  'querystring.parse.rangeError': 'body_too_large',
}

/** The fault of a body, or its text, from an error of body-parser; undefined: it is another error. */
function readRefusal(error?: Record<string, unknown>): Refusal | undefined {
  // It may be JSON that only a strict parser refuses.
  if (error?.type === 'entity.parse.failed' && typeof error.body === 'string')
    return { parsedBody: error.body }
  // Codes of zlib's errors: body-parser passes them on without a `type`. No operation takes a compressed body.
  if (/^(?:Z_|ERR__ERROR_|ZSTD_)/.test(String(error?.code)))
    return { bodyFault: 'media_type_unsupported' }
  const bodyFault = bodyFaults[String(error?.type)]
  return bodyFault && { bodyFault }
}
type Refusal = Pick<HostRequest, 'parsedBody' | 'bodyFault'>

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
  const answer = (req: Request, res: Response, refusal?: Refusal) => {
    const { baseUrl, originalUrl } = req
    // Express 4 takes one slash too many off `req.url` when two of them follow the mount path.
    const isShortened = baseUrl !== '' && originalUrl === `${baseUrl}/${req.url}`
    const url = isShortened ? `/${req.url}` : req.url
    // Express 4's parsers set `{}` if they have parsed nothing.
    const parsedBody = req.readableDidRead ? req.body : undefined
    const clientAddress = options.clientAddress?.(req)
    const host = { url, mountPath: baseUrl, parsedBody, clientAddress, ...refusal }
    return clientele.handle(toHttpRequest(req, res, host))
  }
  const routes: RequestHandler = (req, res, next) => {
    answer(req, res)
      .then((response) => (response === undefined ? next() : sendResponse(res, response)))
      .catch(next)
  }
  const afterParser: ErrorRequestHandler = (error, req, res, next) => {
    const refusal = readRefusal(error)
    if (refusal === undefined) return next(error)
    answer(req, res, refusal)
      .then((response) => (response === undefined ? next(error) : sendResponse(res, response)))
      .catch(next)
  }
  return [routes, afterParser]
}

/**
 * Lets a request pass that carries a valid token of a client user (`Authorization: Bearer <JWT>`), and puts the user on
 * `req.clientUser`, the user's id on `req.clientUserId`; answers any other with 401 problem details. It takes a
 * Clientele, or a validator, which knows only the id.
 *
 * @throws ClienteleError `configuration_invalid` when it is called wrongly
 * @example app.get('/me', requireUser(clientele), (req, res) => res.json(req.clientUser))
 */
export function requireUser(source: Verifier, options?: GuardOptions<Request>): RequestHandler {
  const guard = createGuard(source, options)
  return (req, res, next) => {
    guard(req, req)
      .then((result) => {
        if ('response' in result) return sendResponse(res, result.response)
        Object.assign(req, result)
        next()
      })
      .catch(next)
  }
}

/**
 * Answers the errors of Clientele's methods that your routes do not catch, as Clientele's routes answer them: a
 * `validation_failed` with 422 and the broken rules, a `user_not_found` with 404. Faults (500 and above) and all other errors
 * go on to the next error handler. Use it after your routes.
 *
 * @throws ClienteleError `configuration_invalid` when it is given arguments: it was not called
 * @example app.use(clienteleErrors())
 */
export function clienteleErrors(...given: never[]): ErrorRequestHandler {
  const toRefusal = makeRefusals(given)
  return (error, _req, res, next) => {
    const response = toRefusal(error)
    if (response === undefined || res.headersSent) next(error)
    else sendResponse(res, response)
  }
}
