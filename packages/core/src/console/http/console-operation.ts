import type { Scope } from '../../base/call/scope.ts'
import { ClienteleError, invalidInput } from '../../base/errors.ts'
import { toWireName } from '../../base/input/wire-names.ts'
import { defineRoute, type Route } from '../../http/route.ts'
import { consolePath } from './console-path.ts'

/** Who may use an operation. */
export interface Access {
  /**
   * `page`: any request from any origin. `unauthenticated`: any request from the console's page. `visitors`: requests with a
   * session. `operators`: operators.
   */
  of: 'page' | 'unauthenticated' | 'visitors' | 'operators'
  /** The scope that an account's API key needs; operators may do everything */
  scopes: readonly Scope[]
  /** Whether it is about an account */
  isOfAccount: boolean
  /** Whether it needs an enabled account */
  needsEnabled: boolean
}

export const page: Access = { of: 'page', scopes: [], isOfAccount: false, needsEnabled: false }
export const unauthenticated: Access = { ...page, of: 'unauthenticated' }
export const operators: Access = { ...page, of: 'operators' }
export const operatorsOfAccount: Access = { ...operators, isOfAccount: true }

export function visitorsWith(...scopes: Scope[]): Access {
  return { of: 'visitors', scopes, isOfAccount: true, needsEnabled: false }
}

/** The access to a route of the customers' API: the API key's scope; public routes need a session. */
export function accessToApi({ scope }: Route): Access {
  const isOfAccount = scope !== undefined
  const scopes = isOfAccount ? [scope] : []
  return { of: 'visitors', scopes, isOfAccount, needsEnabled: isOfAccount }
}

export interface ConsoleOperation {
  access: Access
  route: Route
}

type Given<Path, Query, Body> = Pick<
  Route<Path, Query, Body>,
  | 'id'
  | 'method'
  | 'path'
  | 'summary'
  | 'pathSchema'
  | 'querySchema'
  | 'bodySchema'
  | 'maxBodyBytes'
  | 'hasItems'
  | 'handle'
>

/** A route of the console's own. Its path is below `/client/console`. It is in no OpenAPI document. */
export function defineOperation<Path, Query, Body>(
  access: Access,
  given: Given<Path, Query, Body>,
): ConsoleOperation {
  const [scope] = access.scopes
  const route = defineRoute({
    ...given,
    path: `${consolePath}${given.path}`,
    tag: { name: 'Console', description: 'Operations for the page of the console.' },
    ...(scope !== undefined && { scope }),
    responses: {},
    errors: [],
    handle: async (context, input) => {
      try {
        return await given.handle(context, input)
      } catch (error) {
        throw withWireNames(error)
      }
    },
  })
  return { access, route }
}

/** Validation errors of an action name members in camelCase; this translates them to the wire's names. */
function withWireNames(error: unknown): unknown {
  if (!(error instanceof ClienteleError) || error.code !== 'validation_failed') return error
  return invalidInput(
    error.issues.map(({ pointer, code, message }) => ({
      pointer: pointer.replace(/^\/[^/]*/, toWireName),
      code,
      message: message.replace(/\b[a-z]+(?:[A-Z][a-z]+)+\b/g, toWireName),
    })),
  )
}
