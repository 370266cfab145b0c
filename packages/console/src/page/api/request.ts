import { english } from '../english.ts'
import { noAnswerCode, Problem } from './problem.ts'

export type QueryValues = Readonly<Record<string, string | number | boolean | undefined>>

export interface RequestOptions {
  /** @default 'GET' */
  method?: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  query?: QueryValues
  /** Sent as JSON */
  body?: unknown
  /** The id of the account; undefined for a request without an account */
  accountId?: string | undefined
  headers?: Readonly<Record<string, string>>
  signal?: AbortSignal | undefined
}

export interface Answer<Data> {
  data: Data
  /** The version of the object, for `If-Match` */
  etag: string | undefined
}

/** Called when the session has ended: resolves when a new session is open, and the request is repeated. */
let renewSession: (() => Promise<void>) | undefined

export function onSessionEnded(renew: () => Promise<void>): void {
  renewSession = renew
}

/**
 * Sends a request to the console's own server, relative to the page. If the session has ended meanwhile, it waits for a
 * new session, so that typed input is not lost.
 *
 * @throws Problem for an error response, and if there is no response; DOMException `AbortError`
 */
export async function request<Data>(
  path: string,
  options: RequestOptions = {},
): Promise<Answer<Data>> {
  try {
    return await send<Data>(path, options)
  } catch (error) {
    const hasEnded = error instanceof Problem && error.code === 'console_session_missing'
    if (!hasEnded || renewSession === undefined) throw error
    await renewSession()
    return request(path, options)
  }
}

/** The same without waiting for a new session: for the requests that open, read and end a session. */
export async function send<Data>(path: string, options: RequestOptions): Promise<Answer<Data>> {
  const { method = 'GET', query, body, accountId, headers, signal } = options
  let response: Response
  try {
    response = await fetch(path + toSearch(query), {
      method,
      // A page of another origin cannot send this header. Its value is the path for the cookie.
      headers: {
        'clientele-console': location.pathname,
        accept: 'application/json',
        ...(accountId !== undefined && { 'clientele-account': accountId }),
        ...(body !== undefined && { 'content-type': 'application/json' }),
        ...headers,
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
      ...(signal !== undefined && { signal }),
      credentials: 'same-origin',
      cache: 'no-store',
    })
  } catch (error) {
    if (error instanceof DOMException) throw error
    throw new Problem({ status: 0, code: noAnswerCode, detail: english.problems.noAnswer })
  }
  const text = await response.text()
  if (!response.ok) throw readProblem(response, text)
  const data = (text === '' ? undefined : parse(text)) as Data // by the server's contract for this path
  return { data, etag: response.headers.get('etag') ?? undefined }
}

function toSearch(query: QueryValues = {}): string {
  const given = Object.entries(query).flatMap(([name, value]) =>
    value === undefined || value === '' ? [] : [[name, String(value)]],
  )
  return given.length === 0 ? '' : `?${new URLSearchParams(given)}`
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    throw new Problem({ status: 0, code: noAnswerCode, detail: english.problems.noJson })
  }
}

function readProblem(response: Response, text: string): Problem {
  let told: Record<string, unknown> = {}
  try {
    told = Object(JSON.parse(text))
  } catch {
    // A proxy's page: only the status is useful.
  }
  const seconds = Number(response.headers.get('retry-after'))
  return new Problem({
    status: response.status,
    code: typeof told.code === 'string' ? told.code : `http_${response.status}`,
    detail:
      typeof told.detail === 'string' ? told.detail : english.problems.status(response.status),
    issues: Array.isArray(told.errors) ? told.errors : [],
    requestId: response.headers.get('x-request-id') ?? undefined,
    retryAfterSeconds: seconds > 0 ? seconds : undefined,
  })
}
