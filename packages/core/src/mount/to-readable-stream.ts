import { readerPatienceMs } from '../base/runtime/patience.ts'

/**
 * The body of a response with a `stream`. No more parts are made when the caller is gone. It fails when a part fails, or
 * when the caller takes none for 30 seconds: then the host breaks the connection.
 */
export function toReadableStream(
  stream: AsyncIterable<Uint8Array<ArrayBuffer>>,
): ReadableStream<Uint8Array<ArrayBuffer>> {
  const parts = stream[Symbol.asyncIterator]()
  let timer: NodeJS.Timeout | undefined
  return new ReadableStream({
    async pull(controller) {
      clearTimeout(timer)
      const part = await parts.next()
      if (part.done === true) return controller.close()
      controller.enqueue(part.value)
      timer = setTimeout(() => {
        controller.error(new Error('The caller read nothing for 30 seconds.'))
        end()
      }, readerPatienceMs)
    },
    async cancel() {
      clearTimeout(timer)
      await parts.return?.()
    },
  })

  function end(): void {
    // It may be waiting for the database, which fails where it is read.
    parts.return?.().catch(() => {})
  }
}
