import { z } from 'zod'
import type { Call } from '../../base/call/call.ts'
import type { TokenSubject } from '../../base/call/token-subject.ts'
import { catchTokenError, type OrTokenError } from '../../base/jwt/catch-token-error.ts'
import type { ParsedToken } from '../../base/jwt/parse-token.ts'
import type { TokensServices } from './services.ts'
import { type CheckedToken, claimedSubject, validateParsedToken } from './validate-token.ts'

/** So many tokens are validated together at most. */
export const maxTokens = 100

/** How long all of them may be together over HTTP: a hundred do not fit into what is enough elsewhere. */
export const maxTokensBytes = 256 * 1024

export const tokenListSchema = z
  .array(z.string().meta({ maxLength: maxTokensBytes }))
  .min(1)
  .max(maxTokens)

interface ClaimingToken {
  parsed: ParsedToken
  /** Undefined: it is none of ours */
  subject: TokenSubject | undefined
}

/**
 * Validates tokens beside each other: one that is not valid spoils no other. Of ours, users and sessions are looked up
 * together, in one round trip.
 *
 * @param tokens JWTs, without `Bearer`
 */
export async function validateTokens(
  services: TokensServices,
  call: Call,
  tokens: readonly string[],
): Promise<OrTokenError<CheckedToken>[]> {
  const { repository, clock } = services
  const read = await Promise.all(
    tokens.map((text) => catchTokenError(() => readClaims(services, text))),
  )
  const subjects = read.flatMap((each) => ('value' in each ? (each.value.subject ?? []) : []))
  const states = await repository.users.findSubjects(call.accountId, clock(), subjects)
  const stateOf = new Map(subjects.map((subject, index) => [subject, states[index]]))
  return Promise.all(
    read.map(async (each) => {
      if ('code' in each) return each
      const { parsed, subject } = each.value
      const state = subject && stateOf.get(subject)
      return catchTokenError(() => validateParsedToken(services, call, parsed, state))
    }),
  )
}

function readClaims({ accessTokens }: TokensServices, text: string): ClaimingToken {
  const parsed = accessTokens.parse(text)
  return { parsed, subject: claimedSubject(parsed) }
}
