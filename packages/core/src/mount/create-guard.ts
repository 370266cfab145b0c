import { ClienteleError, tokenErrorCodes } from '../base/errors.ts'
import { isPromise } from '../base/input/configuration.ts'
import { describeMistake } from '../base/jwt/parse-token.ts'
import { isUserTokenText } from '../capabilities/tokens/user-token-text.ts'
import type { ValidatedToken } from '../capabilities/tokens/validated-token.ts'
import type { HttpResponse } from '../http/message.ts'
import { isHttpErrorCode, renderProblem } from '../http/problem-details.ts'
import type { ClientUser } from '../user-model/client-user.ts'
import {
  assertAuthenticatedEnough,
  assertOwnToken,
  assertScopes,
  challengeOf,
  completeRefusal,
  type GuardedRequest,
  type GuardOptions,
  readUserToken,
  type UserGuard,
} from './guard-request.ts'
import { checkGuardArguments } from './mount-arguments.ts'
import { newRequestId } from './to-problem.ts'

/** Validates tokens for a guard in a process without a Clientele. The validator of `@clientele/validator` is one. */
export interface TokenValidator {
  /**
   * Finds the user of a token, if the token is valid now.
   *
   * @param token the JWT, without `Bearer`
   * @throws an error whose `code` is one of Clientele's `token_*` codes, or `validator_unavailable`. Any other error is
   *   a fault and goes to the host's error handler
   */
  validate(token: string): Promise<{ user: { id: string }; claims: ValidatedToken['claims'] }>
}

/** Validates tokens for a guard. */
export type Verifier = UserGuard | TokenValidator

/** The properties that a guard sets on an admitted request. */
export interface GuardedUser {
  /** The id of the client user */
  clientUserId: string
  /** The whole user; undefined with a `TokenValidator`, which has no profile data */
  clientUser: ClientUser | undefined
  /** The claims of the verified token, as its issuer has set them; in a token of ours `aud` is the account's id */
  clientClaims: ValidatedToken['claims']
}

/**
 * Checks the user's token of a request; `host` is the framework's own request. Returns the properties for the request, or
 * the response to send instead.
 */
export type Guard<HostRequest = GuardedRequest> = (
  request: GuardedRequest,
  host?: HostRequest,
) => Promise<GuardedUser | { response: HttpResponse }>

/**
 * For adapters: creates the guard behind `requireUser`.
 *
 * @throws ClienteleError `configuration_invalid` for wrong arguments; a misspelt option could admit other users
 * @example const guard = createGuard(clientele, { accountId })
 */
export function createGuard<HostRequest = GuardedRequest>(
  source: Verifier,
  given: GuardOptions<HostRequest> = {},
): Guard<HostRequest> {
  checkGuardArguments(source, given)
  const { token, ...options } = given
  const read = (request: GuardedRequest, host: HostRequest | undefined): GuardedRequest =>
    // Without a host's request it is the same one.
    token === undefined ? request : withToken(request, token(host ?? (request as HostRequest)))
  if ('validate' in source)
    return async (request, host) => guardByValidator(source, read(request, host), options)
  return async (request, host) => {
    const result = await source.guard(read(request, host), options)
    if ('response' in result) return result
    const { user, claims } = result
    return { clientUserId: user.id, clientUser: user, clientClaims: claims }
  }
}

/** The request as if its token were in `Authorization`. Other credentials of the request are ignored. */
function withToken(request: GuardedRequest, token: unknown): GuardedRequest {
  if (isPromise(token))
    throw new ClienteleError(
      'configuration_invalid',
      'options.token of requireUser must return a text, and returned a promise.',
    )
  const { authorization: _, ...headers } = request.headers
  // A parser of cookies may make an object of what a caller sends: that is no token.
  const text = typeof token === 'string' || !token ? token : '{}'
  const fields = text ? { authorization: `Bearer ${text}` } : {}
  return { headers: { ...headers, ...fields }, rawHeaders: Object.entries(fields).flat() }
}

async function guardByValidator(
  validator: TokenValidator,
  request: GuardedRequest,
  { accountId, maxAge, amr, impersonation, scopes }: GuardOptions,
): Promise<GuardedUser | { response: HttpResponse }> {
  let token: string | undefined
  try {
    token = readUserToken(request)
    const { user, claims } = await validator.validate(token)
    // The same answer as Clientele's: this account has no key that verifies the token.
    if (accountId !== undefined && claims.aud !== accountId.toLowerCase())
      throw new ClienteleError('token_unknown_key')
    assertOwnToken(claims, impersonation)
    assertScopes(claims, scopes)
    assertAuthenticatedEnough(claims, { maxAge, amr }, Date.now())
    return { clientUserId: user.id, clientUser: undefined, clientClaims: claims }
  } catch (error) {
    const refusal = toHttpError(error, token)
    return completeRefusal(renderProblem(refusal), newRequestId(), challengeOf(refusal, { maxAge }))
  }
}

/** Reads an error's code. An error without one of our codes is a fault, which the host must handle. */
function toHttpError(error: unknown, token = ''): ClienteleError {
  if (error instanceof ClienteleError && isHttpErrorCode(error.code)) return error
  const { code } = Object(error)
  if (code === 'validator_unavailable')
    return new ClienteleError(code, undefined, { cause: error, retryAfterSeconds: 1 })
  const tokenCode = tokenErrorCodes.find((each) => each === code)
  if (tokenCode === undefined) throw error
  // Its text is the validator's: what it says to its host may not be for callers.
  const detail = tokenCode === 'token_malformed' ? describeSent(token) : undefined
  return new ClienteleError(tokenCode, detail, { cause: error })
}

function describeSent(token: string): string | undefined {
  if (!isUserTokenText(token)) return describeMistake(token)
  return "This is a user's own token, cut_…: exchange it for a JWT at auth/token/exchange."
}
