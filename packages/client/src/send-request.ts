import type { OutgoingRequest } from './build-request.ts'
import type { ClientSettings } from './client-options.ts'
import type { Failure, Problem, Result } from './result.ts'

/** Sends a request once. */
export async function sendRequest(
  { url, method, headers, body, signal, timeoutMs }: OutgoingRequest,
  settings: ClientSettings,
): Promise<Result<unknown, string>> {
  signal?.throwIfAborted()
  const controller = new AbortController()
  const stop = () => controller.abort(signal?.reason)
  signal?.addEventListener('abort', stop)
  let hasTimedOut = false
  const timer = setTimeout(() => {
    hasTimedOut = true
    controller.abort()
  }, timeoutMs)
  try {
    const response = await settings.fetch(url, {
      method,
      headers,
      body,
      signal: controller.signal,
      // A redirected POST would become a GET, and the API key must not go to another host.
      redirect: 'manual',
    })
    return readAnswer(response, await response.text())
  } catch (cause) {
    signal?.throwIfAborted()
    return hasTimedOut
      ? fail('timed_out', `No answer came within ${timeoutMs / 1000} seconds.`)
      : fail('no_answer', 'No answer came: see cause.', { cause })
  } finally {
    clearTimeout(timer)
    signal?.removeEventListener('abort', stop)
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
  if (!/^application\/([\w.-]+\+)?json\b/.test(response.headers.get('content-type') ?? '')) return
  try {
    return JSON.parse(text)
  } catch {
    // An invalid JSON body is as unexpected as an HTML page.
    return
  }
}

function isProblem(body: unknown): body is Problem {
  return typeof Object(body).code === 'string'
}

function fail(
  code: 'no_answer' | 'timed_out' | 'unexpected_answer',
  detail: string,
  { response, cause }: { response?: Response; cause?: unknown } = {},
): Failure<string> {
  const title = code.replace('_', ' ')
  const status = response?.status ?? 0
  const problem: Problem = { type: `urn:clientele:problem:${code}`, title, status, detail, code }
  if (cause !== undefined) problem.cause = cause
  return { problem, response }
}
