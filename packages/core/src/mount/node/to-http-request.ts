import type { IncomingMessage, ServerResponse } from 'node:http'
import type { BodyFault, HttpHeaders, HttpRequest } from '../../http/message.ts'
import { isGone, streamOf } from '../../http/node/is-gone.ts'
import { readAtOnce } from '../../http/node/read-at-once.ts'
import { noteResponse } from '../../http/node/unread-responses.ts'

/** The parts of a request that only the framework of a host knows */
export type HostRequest = Pick<
  HttpRequest,
  'url' | 'mountPath' | 'parsedBody' | 'bodyFault' | 'clientAddress'
>

/**
 * Converts a request of `node:http` to the form that `handle` of a Clientele takes, with its body and `isGone`, which
 * tells whether the caller has disconnected. For adapters of frameworks on `node:http`.
 *
 * @example
 * import { createServer } from 'node:http'
 * import { sendResponse, toHttpRequest } from '@clientele/core/node'
 *
 * createServer(async (req, res) => {
 *   const request = toHttpRequest(req, res, { url: req.url ?? '', mountPath: '' })
 *   const response = await clientele.handle(request)
 *   if (response === undefined) res.writeHead(404).end() // no route of Clientele
 *   else sendResponse(res, response)
 * }).listen(3000)
 */
export function toHttpRequest(
  req: IncomingMessage,
  res: ServerResponse,
  host: HostRequest,
): HttpRequest {
  return new ReceivedRequest(req, res, host)
}

/** A class, as an accessor on the object of each request took a few per cent of a validation. */
class ReceivedRequest implements HttpRequest {
  readonly method: string
  readonly url: string
  readonly mountPath: string
  readonly headers: HttpHeaders
  readonly rawHeaders: readonly string[]
  readonly body: AsyncIterable<Uint8Array>
  readonly parsedBody: unknown
  readonly bodyFault: BodyFault | undefined
  readonly clientAddress: string | undefined
  private readonly res: ServerResponse

  constructor(req: IncomingMessage, res: ServerResponse, host: HostRequest) {
    this.method = req.method ?? ''
    this.url = host.url
    this.mountPath = host.mountPath
    this.headers = req.headers
    this.rawHeaders = req.rawHeaders
    this.body = readAtOnce(req)
    this.parsedBody = host.parsedBody
    this.bodyFault = host.bodyFault
    this.clientAddress = host.clientAddress
    this.res = res
  }

  get signal(): AbortSignal {
    return signalOf(this.res)
  }

  noteResponse(accountId: string, bytes: number): void {
    noteResponse(this.res, accountId, bytes)
  }

  isGone(): boolean {
    return isGone(this.res)
  }
}

/** Aborts when the caller disconnects. It is created on first use: most requests are answered at once. */
function signalOf(res: ServerResponse): AbortSignal {
  if (isGone(res)) return AbortSignal.abort()
  const controller = new AbortController()
  res.once('close', () => {
    // Aborting takes longer than most requests. Over HTTP/2 a response that was broken off counts as finished.
    if (!(streamOf(res) === undefined ? res.writableFinished : res.writableEnded))
      controller.abort()
  })
  return controller.signal
}
