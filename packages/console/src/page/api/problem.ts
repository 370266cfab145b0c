/** One member of the input that breaks a rule. */
export interface FieldIssue {
  /** A JSON pointer (RFC 6901): `/email` */
  pointer: string
  message: string
  code?: string
}

/** The server's error response (RFC 9457). */
export class Problem extends Error {
  override readonly name = 'Problem'
  readonly status: number
  readonly code: string
  readonly issues: readonly FieldIssue[]
  readonly requestId: string | undefined
  readonly retryAfterSeconds: number | undefined

  constructor(about: {
    status: number
    code: string
    detail: string
    issues?: readonly FieldIssue[] | undefined
    requestId?: string | undefined
    retryAfterSeconds?: number | undefined
  }) {
    super(about.detail)
    this.status = about.status
    this.code = about.code
    this.issues = about.issues ?? []
    this.requestId = about.requestId
    this.retryAfterSeconds = about.retryAfterSeconds
  }

  /** The message beside the field of that name, if there is one. */
  issueOf(member: string): string | undefined {
    const pointer = `/${member}`
    const found = this.issues.find(
      (issue) => issue.pointer === pointer || issue.pointer.startsWith(`${pointer}/`),
    )
    return found?.message
  }
}

/** No answer came: the network, the server or the browser gave up. */
export const noAnswerCode = 'no_answer'

/** Makes a problem from any thrown value. */
export function toProblem(error: unknown): Problem {
  if (error instanceof Problem) return error
  const detail = error instanceof Error ? error.message : String(error)
  return new Problem({ status: 0, code: noAnswerCode, detail })
}

/** Whether an error says that the page itself gave the request up. */
export function isAbort(error: unknown): boolean {
  return error instanceof DOMException && error.name === 'AbortError'
}
