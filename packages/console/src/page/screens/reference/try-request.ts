import { noAnswerCode, Problem } from '../../api/problem.ts'
import { request } from '../../api/request.ts'
import { english } from '../../english.ts'
import type { Method } from './open-api.ts'

/** A request from the form. */
export interface TriedRequest {
  method: Method
  /** Below the mount: `/client/user?page=2` */
  target: string
  headers: Readonly<Record<string, string>>
  contentType: string | undefined
  body: string | undefined
}

export interface TriedAnswer {
  status: number
  headers: readonly (readonly [name: string, value: string])[]
  /** JSON is indented */
  text: string
  durationMs: number
}

const shownHeaders = [
  'content-type',
  'etag',
  'location',
  'link',
  'retry-after',
  'ratelimit',
  'idempotent-replayed',
  'x-request-id',
]

/**
 * Sends the request, and returns any response: an error response is a result too.
 *
 * @throws Problem if there is no response
 */
export async function tryRequest(tried: TriedRequest, accountId: string): Promise<TriedAnswer> {
  const { method, target, headers, contentType, body } = tried
  const begun = performance.now()
  let response: Response
  let text: string
  try {
    response = await fetch(`api${target}`, {
      method,
      headers: {
        ...headers,
        'clientele-console': '1',
        'clientele-account': accountId,
        ...(contentType !== undefined && { 'content-type': contentType }),
      },
      ...(body !== undefined && { body }),
      credentials: 'same-origin',
      cache: 'no-store',
    })
    text = await response.text()
  } catch {
    throw new Problem({ status: 0, code: noAnswerCode, detail: english.problems.noAnswer })
  }
  const durationMs = Math.round(performance.now() - begun)
  if (response.status === 401 && text.includes('"console_session_missing"')) {
    // This request waits until the user has signed in again.
    await request('session')
    return tryRequest(tried, accountId)
  }
  const shown = shownHeaders.flatMap((name) => {
    const value = response.headers.get(name)
    return value === null ? [] : [[name, value] as const]
  })
  return { status: response.status, headers: shown, text: setInLines(text), durationMs }
}

function setInLines(text: string): string {
  try {
    return JSON.stringify(JSON.parse(text), null, 2)
  } catch {
    return text
  }
}
