type Bytes = Uint8Array<ArrayBuffer>

/**
 * Encodes the lines of a body: values that are there become a text, values and bytes that are still to come a stream.
 *
 * @throws TypeError when they are neither
 */
export function encodeLines(lines: unknown): string | ReadableStream<Bytes> {
  if (typeof lines === 'string') return lines
  if (lines instanceof ReadableStream) return lines
  if (isIterable(lines)) return Array.from(lines, encodeLine).join('')
  if (isAsyncIterable(lines)) return streamLines(lines)
  throw new TypeError('The lines must be a list, an iterable, a text or a stream')
}

function streamLines(lines: AsyncIterable<unknown>): ReadableStream<Bytes> {
  const iterator = lines[Symbol.asyncIterator]()
  const encoder = new TextEncoder()
  return new ReadableStream({
    async pull(controller) {
      const { done, value } = await iterator.next()
      if (done === true) controller.close()
      else controller.enqueue(encoder.encode(encodeLine(value)))
    },
    async cancel() {
      await iterator.return?.()
    },
  })
}

function encodeLine(value: unknown): string {
  return `${JSON.stringify(value)}\n`
}

function isIterable(value: unknown): value is Iterable<unknown> {
  return typeof Object(value)[Symbol.iterator] === 'function'
}

function isAsyncIterable(value: unknown): value is AsyncIterable<unknown> {
  return typeof Object(value)[Symbol.asyncIterator] === 'function'
}
