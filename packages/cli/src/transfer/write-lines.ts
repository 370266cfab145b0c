import type { Writable } from 'node:stream'

const chunkLength = 64 * 1024

/**
 * Writes records as NDJSON, at the reader's speed. Returns their number, or undefined when the
 * reader has closed the pipe, as `head` does.
 */
export async function writeLines(
  records: AsyncIterable<object> | Iterable<object>,
  output: Writable,
  signal?: AbortSignal,
): Promise<number | undefined> {
  let count = 0
  let lines = ''
  try {
    for await (const record of records) {
      signal?.throwIfAborted()
      lines += `${JSON.stringify(record)}\n`
      count++
      if (lines.length < chunkLength) continue
      await write(output, lines)
      lines = ''
    }
    if (lines !== '') await write(output, lines)
    return count
  } catch (error) {
    if (isBrokenPipe(error)) return undefined
    throw error
  }
}

/** Whether the error means that the reader has closed the pipe. */
export function isBrokenPipe(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'EPIPE'
}

/** Waits until the text is written, without blocking the event loop. */
function write(output: Writable, text: string): Promise<void> {
  return new Promise((resolve, reject) => {
    output.write(text, (error) => {
      if (error) reject(error)
      else setImmediate(resolve)
    })
  })
}
