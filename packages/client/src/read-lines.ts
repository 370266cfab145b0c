import { fail, ProblemError } from './result.ts'
import type { TimeLimit } from './time-limit.ts'

/**
 * Reads a response line by line.
 *
 * @throws ProblemError `no_answer`, `timed_out` when it breaks off; `unexpected_answer` for a line that is no JSON
 */
export async function* readLines(
  response: Response,
  limit: TimeLimit,
): AsyncGenerator<unknown, void, undefined> {
  const reader = response.body?.getReader()
  const decoder = new TextDecoder()
  let rest = ''
  try {
    for (;;) {
      limit.restart()
      const part = await reader?.read().catch((cause: unknown) => {
        throw new ProblemError(limit.explain(cause))
      })
      // The caller may take its time for these lines.
      limit.pause()
      if (part?.value === undefined) break
      const lines = (rest + decoder.decode(part.value, { stream: true })).split('\n')
      rest = lines.pop() ?? ''
      for (const line of lines) yield parse(line, response)
    }
    if (rest !== '') yield parse(rest, response)
  } finally {
    limit.end()
    // It has ended already, or the caller wants no more.
    reader?.cancel().catch(() => {})
  }
}

function parse(line: string, response: Response): unknown {
  try {
    return JSON.parse(line)
  } catch (cause) {
    throw new ProblemError(
      fail('unexpected_answer', 'A line of the answer is no JSON.', { response, cause }),
    )
  }
}
