/** The result of a call: `data` if it succeeded, `problem` if it failed. Check `problem` first. */
export type Result<Data, Code extends string> = Success<Data> | Failure<Code>

export interface Success<Data> {
  /** The body; undefined: the answer has none */
  data: Data
  problem?: undefined
  /** The response of fetch, for its status and header fields; its body has been read */
  response: Response
}

export interface Failure<Code extends string> {
  data?: undefined
  problem: Problem<Code>
  /** Undefined: no answer came */
  response: Response | undefined
}

/** Problem details (RFC 9457). Decide by `code`: the sentences may change. */
export interface Problem<Code extends string = string> {
  type: string
  title: string
  /** The HTTP status; 0: no answer came */
  status: number
  detail: string
  code: Code | ClientCode
  /** The broken rules of the input, with `validation_failed` */
  errors?: ProblemIssue[]
  /** On problems of a token that was to be validated */
  isValid?: false
  /** The error of fetch, with `no_answer` */
  cause?: unknown
}

/** A rule that the input breaks. */
export interface ProblemIssue {
  /** JSON Pointer (RFC 6901): `/name` */
  pointer: string
  code: string
  message: string
}

/**
 * The codes that any call can have, besides those of its operation:
 *
 * - `no_answer`: fetch failed, or the connection broke
 * - `timed_out`: no whole answer within `timeoutSeconds`
 * - `unexpected_answer`: the answer is not Clientele's, as a proxy's page is not
 * - `route_not_found`, `method_not_allowed`: `baseUrl` leads elsewhere, or the server is older than the client
 */
export type ClientCode =
  | 'no_answer'
  | 'timed_out'
  | 'unexpected_answer'
  | 'route_not_found'
  | 'method_not_allowed'

/** A problem as an error to throw. */
export class ProblemError<Code extends string = string> extends Error {
  override readonly name = 'ProblemError'
  readonly problem: Problem<Code>
  readonly response: Response | undefined

  constructor({ problem, response }: Failure<Code>) {
    super(`${problem.code}: ${problem.detail}`, { cause: problem.cause })
    this.problem = problem
    this.response = response
  }
}

/**
 * The data of a result.
 *
 * @throws ProblemError when the result has a problem
 * @example
 * import { createClient, dataOf } from '@clientele/client'
 *
 * const client = createClient({ baseUrl: 'https://api.example.com/api/v1', apiKey: 'cu_live_…' })
 * const user = dataOf(await client.findUser('019dfae2-6a4d-7c3e-9b1f-2f4a5c6d7e8f'))
 */
export function dataOf<Data>(result: Result<Data, string>): Data {
  if (result.problem !== undefined) throw new ProblemError(result)
  return result.data
}

/** Makes the failure of a call that got no answer of Clientele's. */
export function fail(
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
