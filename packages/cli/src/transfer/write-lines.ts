import type { Writable } from 'node:stream'

const chunkLength = 64 * 1024

/**
 * Writes records as NDJSON, and never more than the reader takes. Answers with their number, or with undefined when the
 * reader has gone, as `head` does when it has seen enough.
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

/** Whether it says that nobody reads what is written. */
export function isBrokenPipe(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'EPIPE'
}

/** Waits until it is written: whatever else the process has to hear is heard meanwhile. */
function write(output: Writable, text: string): Promise<void> {
  return new Promise((resolve, reject) => {
    output.write(text, (error) => {
      if (error) reject(error)
      else setImmediate(resolve)
    })
  })
}
