import { ClienteleError, tokenErrorCodes } from '../base/errors.ts'
import { createIdGenerator } from '../base/runtime/create-id-generator.ts'
import type { ValidatedToken } from '../capabilities/tokens/validate-token.ts'
import type { HttpResponse } from '../http/message.ts'
import { isHttpErrorCode, renderProblem } from '../http/problem-details.ts'
import type { ClientUser } from '../user-model/client-user.ts'
import {
  completeRefusal,
  type GuardedRequest,
  type GuardOptions,
  readUserToken,
  type UserGuard,
} from './guard-request.ts'
import { checkGuardArguments } from './mount-arguments.ts'

/**
 * What a guard needs to tell valid tokens from others, where there is no Clientele in the process. The validator of
 * `@clientele/validator` is one.
 */
export interface TokenValidator {
  /**
   * Says whose token it is, if it is valid now.
   *
   * @param token the JWT, without `Bearer`
   * @throws an error whose `code` is one of Clientele's `token_*` codes, or `validator_unavailable`. What else it throws
   *   is a fault, and goes to the host's own error handler
   */
  validate(token: string): Promise<{ user: { id: string }; claims: ValidatedToken['claims'] }>
}

/** Who can say whose token it is: a guard asks it. */
export type Verifier = UserGuard | TokenValidator

/** What a guard puts on a request that it lets pass. */
export interface GuardedUser {
  /** The id of the client user whom the guard let pass */
  clientUserId: string
  /** The whole user; undefined where a `TokenValidator` let the request pass: it knows no profiles */
  clientUser: ClientUser | undefined
  /** What the verified token says; `aud` is the account's id */
  clientClaims: ValidatedToken['claims']
}

/** Checks the user's token of a request: answers with what to put on the request, or with the response to give instead. */
export type Guard = (request: GuardedRequest) => Promise<GuardedUser | { response: HttpResponse }>

const newRequestId = createIdGenerator(Date.now)

/**
 * For adapters: makes what stands behind `requireUser`.
 *
 * @throws ClienteleError `configuration_invalid` when it is called wrongly; a misspelt option would let others pass
 * @example const guard = createGuard(clientele, { accountId })
 */
export function createGuard(source: Verifier, options: GuardOptions = {}): Guard {
  checkGuardArguments(source, options)
  if ('validate' in source) return (request) => guardByValidator(source, request, options)
  return async (request) => {
    const result = await source.guard(request, options)
    if ('response' in result) return result
    const { user, claims } = result
    return { clientUserId: user.id, clientUser: user, clientClaims: claims }
  }
}

async function guardByValidator(
  validator: TokenValidator,
  request: GuardedRequest,
  { accountId }: GuardOptions,
): Promise<GuardedUser | { response: HttpResponse }> {
  try {
    const { user, claims } = await validator.validate(readUserToken(request))
    // As a Clientele answers: this account has no key that verifies it.
    if (accountId !== undefined && claims.aud !== accountId)
      throw new ClienteleError('token_unknown_key')
    return { clientUserId: user.id, clientUser: undefined, clientClaims: claims }
  } catch (error) {
    return completeRefusal(renderProblem(toHttpError(error)), newRequestId())
  }
}

/** Reads an error by its code. What has none of ours is a fault, which the host has to hear of. */
function toHttpError(error: unknown): ClienteleError {
  if (error instanceof ClienteleError && isHttpErrorCode(error.code)) return error
  const { code } = Object(error)
  if (code === 'validator_unavailable')
    return new ClienteleError(code, undefined, { cause: error, retryAfterSeconds: 1 })
  const tokenCode = tokenErrorCodes.find((each) => each === code)
  if (tokenCode === undefined) throw error
  return new ClienteleError(tokenCode, undefined, { cause: error })
}
