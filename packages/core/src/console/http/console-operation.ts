import type { Scope } from '../../base/call/scope.ts'
import { ClienteleError, invalidInput } from '../../base/errors.ts'
import { toWireName } from '../../base/input/wire-names.ts'
import { defineRoute, type Route } from '../../http/route.ts'
import { consolePath } from './console-path.ts'

/** Who may ask for something. */
export interface Access {
  /**
   * `page`: whoever asks, from wherever. `everybody`: whoever is at the page. `visitors`: whoever has a session.
   * `operators`: operators.
   */
  of: 'page' | 'everybody' | 'visitors' | 'operators'
  /** What an account's API key must allow; operators may do everything */
  scopes: readonly Scope[]
  /** Whether it is about an account */
  isOfAccount: boolean
  /** Whether the account must not be disabled */
  needsEnabled: boolean
}

export const page: Access = { of: 'page', scopes: [], isOfAccount: false, needsEnabled: false }
export const everybody: Access = { ...page, of: 'everybody' }
export const operators: Access = { ...page, of: 'operators' }
export const operatorsOfAccount: Access = { ...operators, isOfAccount: true }

export function visitorsWith(...scopes: Scope[]): Access {
  return { of: 'visitors', scopes, isOfAccount: true, needsEnabled: false }
}

/** Of a route of the customers' API: what an API key needs, and what is public to whoever has a session. */
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

/** One line of the console's own table. Its path stands below `/client/console`. It is in no OpenAPI document. */
export function defineOperation<Path, Query, Body>(
  access: Access,
  given: Given<Path, Query, Body>,
): ConsoleOperation {
  const [scope] = access.scopes
  const route = defineRoute({
    ...given,
    path: `${consolePath}${given.path}`,
    tag: { name: 'Console', description: 'What the page of the console asks for.' },
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

/** The console names members as the wire does, and so says what is wrong with them, where an action says it. */
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
