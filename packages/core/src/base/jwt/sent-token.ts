import type { TokenSubject, UserTokenSubject } from '../call/token-subject.ts'
import type { ClienteleError } from '../errors.ts'
import type { ParsedToken } from './parse-token.ts'

/** A well-formed JWT, and the user that it names. Neither is verified. */
export interface ClaimingToken {
  parsed: ParsedToken
  /** Undefined: the token is not one of ours */
  subject: TokenSubject | undefined
}

/** A user's own token, whose checksum is right. Whether there is such a token, a look-up says. */
export interface SentUserToken {
  /** In the token's text */
  accountId: string
  subject: UserTokenSubject
}

/** A token as a request sends it. A malformed token carries its error, so that the API key is checked first. */
export type SentToken = ClaimingToken | SentUserToken | { refusal: ClienteleError }

/** @throws ClienteleError the error that the token carries */
export function assertRead(token: SentToken): ClaimingToken | SentUserToken {
  if ('refusal' in token) throw token.refusal
  return token
}

/** The user that a token names, if it is well-formed and one of ours. */
export function claimedSubject(token: SentToken): TokenSubject | undefined {
  return 'refusal' in token ? undefined : token.subject
}
