import type { ServerResponse } from 'node:http'
import { Readable } from 'node:stream'
import { readerPatienceMs } from '../../base/runtime/patience.ts'
import { breakOff } from '../../http/node/break-off.ts'
import { isGone, streamOf } from '../../http/node/is-gone.ts'
import { countUnread, noteProgress } from '../../http/node/unread-responses.ts'

/**
 * For adapters of frameworks on `node:http`: the body of a response with a `stream`, for `res`. No more parts are made
 * when the caller is gone. The connection is broken when a part fails, or when the caller takes none for 30 seconds.
 * Undefined: the response has no `stream`.
 *
 * @example
 * import type { HttpResponse } from '@clientele/core'
 * import { toReadable } from '@clientele/core/node'
 *
 * function send({ body, bytes, stream }: HttpResponse): void {
 *   const whole = toReadable(res, stream)
 *   if (whole === undefined) res.end(bytes ?? body)
 *   else whole.pipe(res)
 * }
 */
export function toReadable(
  res: ServerResponse,
  stream: AsyncIterable<Uint8Array> | undefined,
): Readable | undefined {
  if (stream === undefined) return undefined
  const readable = Readable.from(takeParts(stream), { objectMode: false, highWaterMark: 1 })

  async function* takeParts(
    parts: AsyncIterable<Uint8Array>,
  ): AsyncGenerator<Uint8Array, void, undefined> {
    for await (const part of parts) {
      const timer = setTimeout(giveUp, readerPatienceMs)
      try {
        yield part
      } finally {
        clearTimeout(timer)
        noteProgress(res)
      }
    }
  }

  function giveUp(): void {
    breakConnection(res)
    readable.destroy()
  }

  countUnread(res, giveUp)
  readable.on('error', () => breakConnection(res))
  res.on('close', () => readable.destroy())
  if (isGone(res)) readable.destroy()
  return readable
}

/** The code of a fault (RFC 9113, section 7). The constants of `node:http2` would load all of it. */
const http2InternalError = 2

/** By a fault: a stream that just ends over HTTP/2 ends a complete response. */
function breakConnection(res: ServerResponse): void {
  if (res.req.httpVersionMajor !== 1) streamOf(res)?.close(http2InternalError)
  else if (res.socket) breakOff(res.socket)
  res.destroy()
}
