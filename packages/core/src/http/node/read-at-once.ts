import type { IncomingMessage } from 'node:http'

/**
 * The body of a request, which has mostly come with its head: then it is read as one, without the iteration of Node's
 * streams, which costs as much as the rest of the reading.
 */
export function readAtOnce(req: IncomingMessage): AsyncIterable<Uint8Array> {
  return {
    [Symbol.asyncIterator]: () => {
      let rest: AsyncIterator<Uint8Array> | undefined
      return {
        next: async () => {
          // What has come in the same packet is handed out before this goes on.
          if (rest === undefined && !req.complete) await null
          if (rest === undefined && req.complete && isUntouched(req)) {
            const bytes: unknown = req.read()
            if (bytes instanceof Uint8Array) return { done: false, value: bytes }
            if (req.readableLength === 0) return { done: true, value: undefined }
          }
          rest ??= req[Symbol.asyncIterator]()
          return rest.next()
        },
      }
    },
  }
}

function isUntouched({ destroyed, readableFlowing, readableEncoding }: IncomingMessage): boolean {
  return !destroyed && readableFlowing === null && readableEncoding === null
}
