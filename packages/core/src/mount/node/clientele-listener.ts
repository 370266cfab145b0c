import type { IncomingMessage, ServerResponse } from 'node:http'
import { ClienteleError } from '../../base/errors.ts'
import { consoleLogger, type Logger } from '../../base/runtime/logger.ts'
import { LoopTurns } from '../../base/runtime/loop-turns.ts'
import type { HttpResponse } from '../../http/message.ts'
import { isGone } from '../../http/node/is-gone.ts'
import { takeTurn } from '../../http/node/take-turns.ts'
import { complete } from '../../http/render.ts'
import { renderError } from '../../http/render-error.ts'
import { checkListenerArguments } from '../mount-arguments.ts'
import type { Mountable } from '../mountable.ts'
import { newRequestId } from '../to-problem.ts'
import { waitAsStranger } from '../wait-as-stranger.ts'
import { sendProblem, sendResponse } from './send-response.ts'
import { toHttpRequest } from './to-http-request.ts'

export interface ListenerOptions {
  /** The prefix of the routes: `/api/v1`. @default none */
  prefix?: string
  /**
   * Returns the caller's address, if you know it; behind a proxy it is not `req.socket.remoteAddress`. @default unknown
   */
  clientAddress?: (req: IncomingMessage) => string | undefined
  /** Returns the body that a parser before the listener has parsed, for instance `req.body`. @default none */
  parsedBody?: (req: IncomingMessage) => unknown
  /** Logs errors outside of Clientele: those that `next` and these functions throw. @default standard error */
  logger?: Logger
}

/** A listener of `node:http`. With `next`, other paths are left to the host. */
export type ClienteleListener = (
  req: IncomingMessage,
  res: ServerResponse,
  next?: () => void,
) => void

// RFC 9112, section 3.2.2: some proxies send the absolute form.
const origin = /^https?:\/\/[^/?#]*/i

/**
 * The routes at and below `/client/user`, `/client/account`, `/client/event` and `/client/webhook` (of a console:
 * `/client/console`), for `node:http` and compatible servers. Other paths get 404 `route_not_found`, or are passed to
 * `next` if it is given.
 *
 * @throws ClienteleError `configuration_invalid` for wrong arguments
 * @example
 * import { createServer } from 'node:http'
 * import { clienteleListener } from '@clientele/core/node'
 *
 * createServer(clienteleListener(clientele, { prefix: '/api/v1' })).listen(3000)
 */
export function clienteleListener(
  clientele: Mountable,
  options: ListenerOptions = {},
): ClienteleListener {
  checkListenerArguments(clientele, options)
  const { clientAddress, parsedBody, logger = consoleLogger } = options
  const strangersTurns = new LoopTurns(() => false)
  const prefix = (options.prefix ?? '').replace(/\/+$/, '')

  /** Undefined: the host handles the path. */
  function answer(
    req: IncomingMessage,
    res: ServerResponse,
  ): Promise<HttpResponse | undefined> | undefined {
    const { url = '' } = req
    const target = url.startsWith('/') ? url : url.replace(origin, '')
    if (!target.startsWith(prefix)) return undefined
    return clientele.handle(
      toHttpRequest(req, res, {
        url: target.slice(prefix.length),
        mountPath: prefix,
        parsedBody: parsedBody?.(req),
        clientAddress: clientAddress?.(req),
      }),
    )
  }

  function renderFault(error: unknown): HttpResponse {
    const requestId = newRequestId()
    return complete(renderError({ logger }, error, requestId), requestId)
  }

  async function respond(
    req: IncomingMessage,
    res: ServerResponse,
    next: (() => void) | undefined,
  ): Promise<void> {
    try {
      let response: HttpResponse | undefined
      try {
        response = await answer(req, res)
      } catch (error) {
        response = renderFault(error)
      }
      if (response !== undefined) sendResponse(res, response)
      else if (next !== undefined) next()
      else {
        await waitAsStranger(strangersTurns, () => isGone(res))
        sendProblem(res, new ClienteleError('route_not_found'))
      }
    } catch (error) {
      logger.error({ error }, 'A request could not be answered.')
      res.destroy()
    }
  }

  return (req, res, next) => takeTurn(req, res, () => void respond(req, res, next))
}
