import { system } from '../base/call/call.ts'
import { ClienteleError } from '../base/errors.ts'
import { readBearer } from '../base/input/bearer.ts'
import { guardOptionsSchema } from '../base/input/call-options.ts'
import { checkConfiguration } from '../base/input/configuration.ts'
import { hasScopes } from '../base/input/scope-text.ts'
import {
  isAuthenticatedEnough,
  isImpersonated,
  type RequiredAuthentication,
} from '../base/jwt/authentication-claims.ts'
import { validateToken } from '../capabilities/tokens/validate-token.ts'
import { toValidatedToken, type ValidatedToken } from '../capabilities/tokens/validated-token.ts'
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
   * The maximum time since the user last showed a password or a second factor, in whole seconds; after that the answer is
   * 401 `reauthentication_required` (RFC 9470), and `auth/reauthenticate` gives a token that passes. @default any time
   */
  maxAge?: number
  /**
   * Admits only sign-ins by one of these methods (RFC 8176): with any other the answer is 401 `reauthentication_required`.
   * `['mfa', 'user']`: any second factor, or a passkey that signs in alone. `otp` is a mailed code, too. @default every method
   */
  amr?: readonly string[]
  /**
   * `refuse`: a person who acts as the user (the claim `act`, RFC 8693) gets 403 `impersonation_refused`. @default 'allow'
   */
  impersonation?: 'allow' | 'refuse'
  /**
   * Admits only tokens with all of these scopes, by the claim `scope`; any other valid token gets 403 `scope_insufficient`,
   * also that of a sign-in, which has none. @default every token
   */
  scopes?: readonly string[]
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

/** Checks the token in `Authorization: Bearer <token>` of a request to a route of the host's. */
export async function guardRequest(
  services: MountServices,
  request: GuardedRequest,
  options?: GuardOptions,
): Promise<GuardResult> {
  const requestId = readRequestId(services, request)
  let required: RequiredAuthentication = {}
  try {
    // A misspelt option would admit the users of every account.
    const { accountId, roles, impersonation, scopes, ...given } = checkConfiguration(
      guardOptionsSchema,
      options,
    )
    required = given
    const token = readUserToken(request)
    const call =
      accountId === undefined
        ? undefined
        : { accountId, actor: system, requestId, clientAddress: undefined }
    const validated = toValidatedToken(await validateToken(services, call, token))
    assertOwnToken(validated.claims, impersonation)
    if (roles?.some((role) => validated.user.roles.includes(role)) === false)
      throw new ClienteleError('role_required')
    assertScopes(validated.claims, scopes)
    assertAuthenticatedEnough(validated.claims, required, services.clock())
    return validated
  } catch (error) {
    const problem = renderError(services, error, requestId)
    return completeRefusal(problem, requestId, challengeOf(error, required))
  }
}

/** @throws ClienteleError `impersonation_refused` */
export function assertOwnToken(claims: object, impersonation: GuardOptions['impersonation']): void {
  if (impersonation === 'refuse' && isImpersonated(claims))
    throw new ClienteleError('impersonation_refused')
}

/** @throws ClienteleError `scope_insufficient` */
export function assertScopes(claims: object, scopes: readonly string[] | undefined): void {
  if (hasScopes(claims, scopes)) return
  const wanted = scopes?.join(' ') ?? ''
  throw new ClienteleError('scope_insufficient', `This needs a token with the scopes: ${wanted}.`, {
    headers: { 'www-authenticate': `Bearer error="insufficient_scope", scope="${wanted}"` },
  })
}

/** @throws ClienteleError `reauthentication_required` */
export function assertAuthenticatedEnough(
  claims: object,
  required: RequiredAuthentication,
  now: number,
): void {
  if (isAuthenticatedEnough(claims, required, now)) return
  const { maxAge, amr } = required
  const isStrong = isAuthenticatedEnough(claims, { amr }, now)
  const wanted = isStrong
    ? `a password or second factor that was shown in the last ${maxAge} seconds`
    : `a sign-in by one of the methods ${amr?.join(', ')}`
  throw new ClienteleError('reauthentication_required', `This needs ${wanted}.`)
}

/** `WWW-Authenticate` of a refusal (RFC 9470, section 3). */
export function challengeOf(error: unknown, { maxAge }: RequiredAuthentication): string {
  if (!(error instanceof ClienteleError) || error.code !== 'reauthentication_required')
    return 'Bearer'
  const age = maxAge === undefined ? '' : `, max_age=${maxAge}`
  return `Bearer error="insufficient_user_authentication"${age}`
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
  challenge = 'Bearer',
): { response: HttpResponse } {
  const response = complete(problem, requestId)
  if (response.status === 401) response.headers['www-authenticate'] = challenge
  return { response }
}
