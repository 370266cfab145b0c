import type { HttpRequest, HttpResponse } from '../http/message.ts'

/** A shorter body fits into what the system holds of a connection in any case, in characters. */
const mostOfShort = 8 * 1024

/** Tells the host whose a large response is, and what it takes until the caller has read it. */
export function noteSize(
  request: HttpRequest,
  accountId: string,
  { body, bytes, heldBytes }: HttpResponse,
): void {
  if (heldBytes !== undefined) request.noteResponse?.(accountId, heldBytes)
  else if (bytes !== undefined) request.noteResponse?.(accountId, bytes.byteLength)
  else if (body !== undefined && body.length > mostOfShort)
    request.noteResponse?.(accountId, Buffer.byteLength(body))
}
