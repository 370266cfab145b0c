import { system } from '../base/call/call.ts'
import { ClienteleError } from '../base/errors.ts'
import { readBearer } from '../base/input/bearer.ts'
import { guardOptionsSchema } from '../base/input/call-options.ts'
import { checkConfiguration } from '../base/input/configuration.ts'
import {
  toValidatedToken,
  type ValidatedToken,
  validateToken,
} from '../capabilities/tokens/validate-token.ts'
import type { HttpRequest, HttpResponse } from '../http/message.ts'
import { complete } from '../http/render.ts'
import { renderError } from '../http/render-error.ts'
import { readRequestId } from '../http/request-id.ts'
import type { UserRole } from '../user-model/host-schemas.ts'
import { readAuthorization } from './authenticate.ts'
import type { MountServices } from './services.ts'

/** Options of `requireUser`; `HostRequest` is the framework's own request. */
export interface GuardOptions<HostRequest = unknown> {
  /** Admits only users of this account. Absent: the account that the verified token names */
  accountId?: string
  /**
   * Admits only users with one of these roles; any other valid token gets 403 `role_required`. The roles are the user's
   * current ones. They are not in the token, so a guard of a validator refuses this option. @default every user
   */
  roles?: readonly UserRole[]
  /**
   * Reads the user's token from the framework's request, where it is not in `Authorization`: from a cookie, for instance
   * `(req) => req.cookies.token`. Undefined, null, false or an empty text: the request has none. @default the header
   * `Authorization`
   */
  token?: (request: HostRequest) => string | null | undefined | false
}

/** The parts of a request that a guard needs */
export type GuardedRequest = Pick<HttpRequest, 'headers' | 'rawHeaders'>

/** The user of a request's token, or the response to send instead. */
export type GuardResult = ValidatedToken | { response: HttpResponse }

/** A Clientele: checks the users' tokens of requests. */
export interface UserGuard {
  /**
   * For adapters: checks the user's token of a request to a route of the host's. Returns the user, or the response to
   * send instead. It never throws.
   */
  guard(request: GuardedRequest, options?: GuardOptions): Promise<GuardResult>
}

/** Checks the token in `Authorization: Bearer <JWT>` of a request to a route of the host's. */
export async function guardRequest(
  services: MountServices,
  request: GuardedRequest,
  options?: GuardOptions,
): Promise<GuardResult> {
  const requestId = readRequestId(services, request)
  try {
    // A misspelt option would admit the users of every account.
    const { accountId, roles } = checkConfiguration(guardOptionsSchema, options)
    const token = readUserToken(request)
    const call =
      accountId === undefined
        ? undefined
        : { accountId, actor: system, requestId, clientAddress: undefined }
    const validated = toValidatedToken(await validateToken(services, call, token))
    if (roles?.some((role) => validated.user.roles.includes(role)) === false)
      throw new ClienteleError('role_required')
    return validated
  } catch (error) {
    return completeRefusal(renderError(services, error, requestId), requestId)
  }
}

/**
 * Reads the user's token of a request to a route of the host's.
 *
 * @throws ClienteleError `header_repeated`, `token_missing`, `token_malformed`
 */
export function readUserToken(request: GuardedRequest): string {
  const header = readAuthorization(request) ?? ''
  const token = readBearer(header)
  if (token !== undefined) return token
  throw new ClienteleError(/^bearer +./i.test(header) ? 'token_malformed' : 'token_missing')
}

/** Creates the response of a guard that refuses a request. */
export function completeRefusal(
  problem: HttpResponse,
  requestId: string,
): { response: HttpResponse } {
  const response = complete(problem, requestId)
  if (response.status === 401) response.headers['www-authenticate'] = 'Bearer'
  return { response }
}
