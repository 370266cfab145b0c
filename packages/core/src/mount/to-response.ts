import type { HttpRequest, HttpResponse } from '../http/message.ts'
import { toReadableStream } from './to-readable-stream.ts'

/**
 * For adapters of the Fetch API: the `Response` of a response, also of one with a `stream`.
 *
 * @example
 * import { type HttpRequest, toResponse } from '@clientele/core'
 *
 * async function answer(request: HttpRequest): Promise<Response | undefined> {
 *   const response = await clientele.handle(request)
 *   return response && toResponse(request, response)
 * }
 */
export function toResponse(
  { method }: Pick<HttpRequest, 'method'>,
  { status, headers, body, bytes, stream }: HttpResponse,
): Response {
  const whole = stream === undefined ? (bytes ?? body ?? null) : toReadableStream(stream)
  return new Response(method === 'HEAD' ? null : whole, { status, headers })
}
