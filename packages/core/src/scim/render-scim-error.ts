import { type ClienteleError, type ErrorCode, getHttpStatus } from '../base/errors.ts'
import type { HttpResponse } from '../http/message.ts'
import { renderProblem } from '../http/problem-details.ts'
import { type RenderError, toHttpError } from '../http/render-error.ts'
import { scimType } from './scim-path.ts'

/** `scimType` of RFC 7644, section 3.12 */
const types: Partial<Record<ErrorCode, string>> = {
  malformed_json: 'invalidSyntax',
  scim_filter_invalid: 'invalidFilter',
  scim_path_invalid: 'invalidPath',
  scim_no_target: 'noTarget',
  scim_value_invalid: 'invalidValue',
  scim_too_many: 'tooMany',
  validation_failed: 'invalidValue',
  email_taken: 'uniqueness',
  scim_user_name_taken: 'uniqueness',
  scim_group_taken: 'uniqueness',
}

/** Input that breaks a rule is 400 in SCIM. */
const statuses: Partial<Record<ErrorCode, number>> = { validation_failed: 400 }

/** The attributes of SCIM that become our fields */
const attributes = new Map([
  ['name', 'displayName'],
  ['email', 'emails'],
  ['roles', 'displayName'],
])

/** Converts a thrown error to an error of SCIM (RFC 7644, section 3.12). Faults are logged in full. */
export const renderScimError: RenderError = ({ logger }, error, requestId, route): HttpResponse => {
  const known = toHttpError(logger, error, requestId, route)
  const status = statuses[known.code] ?? getHttpStatus(known.code) ?? 500
  const { headers } = renderProblem(known)
  const type = types[known.code]
  return {
    status,
    headers: { ...headers, 'content-type': scimType },
    body: JSON.stringify({
      schemas: ['urn:ietf:params:scim:api:messages:2.0:Error'],
      status: String(status),
      ...(type !== undefined && { scimType: type }),
      detail: describe(known),
    }),
  }
}

function describe({ detail, issues }: ClienteleError): string {
  if (issues.length === 0) return detail
  return issues
    .slice(0, 10)
    .map(({ pointer, message }) => {
      const [, first = ''] = pointer.split('/')
      // A group gives one role: its name is no fault of the list.
      const attribute = pointer === '/roles' ? 'groups of a member' : attributes.get(first)
      return `${attribute ?? first} ${message}`.trim()
    })
    .join('; ')
}
