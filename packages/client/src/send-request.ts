import type { OutgoingRequest } from './build-request.ts'
import type { ClientSettings } from './client-options.ts'
import { readLines } from './read-lines.ts'
import { fail, type Problem, type Result } from './result.ts'
import { TimeLimit } from './time-limit.ts'

/** Sends a request once. */
export async function sendRequest(
  { url, method, headers, body, signal, timeoutMs, answersLines }: OutgoingRequest,
  settings: ClientSettings,
): Promise<Result<unknown, string>> {
  signal?.throwIfAborted()
  const limit = new TimeLimit(signal, timeoutMs)
  let isStreaming = false
  try {
    const response = await settings.fetch(url, {
      method,
      headers,
      body,
      signal: limit.signal,
      // A redirected POST would become a GET, and the API key must not go to another host.
      redirect: 'manual',
      // Fetch asks for it with a stream; the types lack it.
      ...(body instanceof ReadableStream && { duplex: 'half' }),
    })
    if (answersLines && response.ok && isOfType(response, /^application\/x-ndjson\b/)) {
      isStreaming = true
      return { data: readLines(response, limit), response }
    }
    return readAnswer(response, await response.text())
  } catch (cause) {
    return limit.explain(cause)
  } finally {
    if (!isStreaming) limit.end()
  }
}

function readAnswer(response: Response, text: string): Result<unknown, string> {
  const { status } = response
  if (status === 204 || status === 304 || (status === 202 && text === '')) {
    return { data: undefined, response }
  }
  const body = readJson(response, text)
  if (response.ok && body !== undefined) return { data: body, response }
  if (!response.ok && isProblem(body)) return { problem: body, response }
  return fail('unexpected_answer', `The answer ${status} is not Clientele's.`, { response })
}

function readJson(response: Response, text: string): unknown {
  if (!isOfType(response, /^application\/([\w.-]+\+)?json\b/)) return
  try {
    return JSON.parse(text)
  } catch {
    // An invalid JSON body is as unexpected as an HTML page.
    return
  }
}

function isOfType(response: Response, type: RegExp): boolean {
  return type.test(response.headers.get('content-type') ?? '')
}

function isProblem(body: unknown): body is Problem {
  return typeof Object(body).code === 'string'
}
