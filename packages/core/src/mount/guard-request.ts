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

export interface GuardOptions {
  /** Only users of this account pass. Absent: the account that the verified token names */
  accountId?: string
  /**
   * Only users with one of these roles pass; any other valid token is answered with 403 `role_required`. The roles are those
   * that the user has now: they are not in the token, so a guard of a validator refuses this option. @default every user
   */
  roles?: readonly UserRole[]
}

/** All that a guard looks at */
export type GuardedRequest = Pick<HttpRequest, 'headers' | 'rawHeaders'>

/** Who the request's token says it comes from, or the answer to give instead. */
export type GuardResult = ValidatedToken | { response: HttpResponse }

/** Checks the user's token of requests: a Clientele does. */
export interface UserGuard {
  /**
   * For adapters: checks the user's token of a request to a route of the host's own, and answers with whose it is or
   * with the response to give instead. It throws nothing.
   */
  guard(request: GuardedRequest, options?: GuardOptions): Promise<GuardResult>
}

/** Checks the user's token in `Authorization: Bearer <JWT>` of a request to a route of the host's own. */
export async function guardRequest(
  services: MountServices,
  request: GuardedRequest,
  options?: GuardOptions,
): Promise<GuardResult> {
  const requestId = readRequestId(services, request)
  try {
    // A misspelt option would let every account's users pass.
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
 * Reads the user's token of a request to a route of the host's own.
 *
 * @throws ClienteleError `header_repeated`, `token_missing`, `token_malformed`
 */
export function readUserToken(request: GuardedRequest): string {
  const header = readAuthorization(request) ?? ''
  const token = readBearer(header)
  if (token !== undefined) return token
  throw new ClienteleError(/^bearer +./i.test(header) ? 'token_malformed' : 'token_missing')
}

/** Makes the answer of a guard that lets nobody pass. */
export function completeRefusal(
  problem: HttpResponse,
  requestId: string,
): { response: HttpResponse } {
  const response = complete(problem, requestId)
  if (response.status === 401) response.headers['www-authenticate'] = 'Bearer'
  return { response }
}
