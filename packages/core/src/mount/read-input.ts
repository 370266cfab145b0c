import {
  ClienteleError,
  type HttpErrorCode,
  type InputIssue,
  invalidInput,
} from '../base/errors.ts'
import type { InputResult } from '../base/input/input.ts'
import { isAbsentCode } from '../http/problem-details.ts'
import type { Route, RouteInput } from '../http/route.ts'
import { checkBy } from './receive-body.ts'

/**
 * The input of a route, checked by its schemas.
 *
 * @throws ClienteleError `validation_failed` with all issues; the code of a path that names nothing
 */
export function readInput(
  route: Route,
  parameters: Record<string, string>,
  query: { values: Record<string, string>; issues: InputIssue[] },
  body: InputResult<unknown>,
): RouteInput<unknown, unknown, unknown> {
  const issues = [...query.issues]
  let absent: HttpErrorCode | undefined
  const take = (result: InputResult<unknown>): unknown => {
    if ('data' in result) return result.data
    const known = new Set(issues.map((issue) => issue.pointer))
    for (const issue of result.issues) {
      if (isAbsentCode(issue.code)) absent ??= issue.code
      else if (!known.has(issue.pointer)) issues.push(issue)
    }
    return undefined
  }
  const input = {
    // Path parameters are opaque: any text that cannot be an id is an unknown id.
    path: take(checkBy(route.pathSchema, parameters, false)),
    query: take(checkBy(route.querySchema, query.values)),
    body: take(body),
  }
  if (issues.length > 0) throw invalidInput(issues)
  if (absent !== undefined) throw new ClienteleError(absent)
  return input
}
