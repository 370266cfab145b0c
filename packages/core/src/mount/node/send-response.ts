import type { ServerResponse } from 'node:http'
import type { ClienteleError } from '../../base/errors.ts'
import type { HttpResponse } from '../../http/message.ts'
import { toProblem } from '../to-problem.ts'
import { toReadable } from './to-readable.ts'

/** For a shorter text, the bytes would take longer than they spare memory. In characters. */
const mostOfShort = 8 * 1024

/** Sends a response of Clientele's. Header fields that the host has set stay, unless the response has them, too. */
export function sendResponse(
  res: ServerResponse,
  { status, headers, body, bytes, stream }: HttpResponse,
): void {
  // One call for all fields: setting each field checks, stores and looks it up, which takes longer than sending.
  if (res.getHeaderNames().length === 0) res.writeHead(status, headers)
  else {
    res.statusCode = status
    for (const [name, value] of Object.entries(headers)) setField(res, name, value)
  }
  if (stream !== undefined) toReadable(res, stream)?.pipe(res)
  else if (bytes !== undefined) res.end(bytes)
  // As many bytes as characters: the body is ASCII and needs no encoding.
  else if (headers['content-length'] === String(body?.length)) res.end(body, 'latin1')
  // Of a text that is not ASCII, Node holds three bytes for a character.
  else res.end(body !== undefined && body.length > mostOfShort ? Buffer.from(body) : body)
}

function setField(res: ServerResponse, name: string, value: string): void {
  // The host's own cookies stay. `appendHeader` would change the host's list, which it may use again.
  const own = name === 'set-cookie' ? [res.getHeader(name) ?? []].flat().map(String) : []
  res.setHeader(name, own.length > 0 ? [...own, value] : value)
}

/**
 * Sends an error as problem details (RFC 9457), as Clientele's routes do: for a host's own routes beside them. An error
 * without an HTTP status is sent as `internal_error`.
 *
 * @example sendProblem(res, new ClienteleError('route_not_found'))
 */
export function sendProblem(res: ServerResponse, error: ClienteleError): void {
  sendResponse(res, toProblem(error))
}
