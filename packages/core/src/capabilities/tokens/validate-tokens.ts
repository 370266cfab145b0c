import { setImmediate as endOfTurn } from 'node:timers/promises'
import { z } from 'zod'
import type { Call } from '../../base/call/call.ts'
import { remainAdmitted } from '../../base/call/while-admitted.ts'
import { secretMark } from '../../base/input/secret-mark.ts'
import { catchTokenError, type OrTokenError } from '../../base/jwt/catch-token-error.ts'
import { claimedSubject } from '../../base/jwt/sent-token.ts'
import type { InPlace } from '../../base/runtime/large-responses.ts'
import type { TokensServices } from './services.ts'
import { type CheckedToken, validateSentToken } from './validate-token.ts'

/** The maximum number of tokens in one call. */
export const maxTokens = 100

/** The maximum size of a request with 100 tokens, in bytes: they exceed the usual limit. */
export const maxTokensBytes = 256 * 1024

export const tokenListSchema = z
  .array(z.string().meta({ ...secretMark, maxLength: maxTokensBytes }))
  .min(1)
  .max(maxTokens)

/** This many users of the largest size are read in a few milliseconds. */
const tokensOfGroup = 20

/**
 * The same in groups, one after the other, for an account whose users are expected to be large.
 *
 * @param inPlace reads the users: signatures may wait for long, and must not hold the place of others
 */
export async function validateLargeBatch(
  services: TokensServices,
  call: Call,
  tokens: readonly string[],
  inPlace: InPlace,
): Promise<OrTokenError<CheckedToken>[]> {
  const outcomes: OrTokenError<CheckedToken>[] = []
  for (let start = 0; start < tokens.length; start += tokensOfGroup) {
    const group = tokens.slice(start, start + tokensOfGroup)
    await remainAdmitted(call)
    outcomes.push(...(await validateTokens(services, call, group, inPlace)))
    // An SQLite database answers in the same turn of the event loop.
    await endOfTurn()
  }
  return outcomes
}

/**
 * Validates tokens concurrently: an invalid token does not affect the others. For our own tokens, users and sessions
 * are read in one round trip.
 *
 * @param tokens JWTs, without `Bearer`
 */
export async function validateTokens(
  services: TokensServices,
  call: Call,
  tokens: readonly string[],
  inPlace: InPlace = (read) => read(),
): Promise<OrTokenError<CheckedToken>[]> {
  const { repository, clock, accessTokens } = services
  const sent = tokens.map((text) => accessTokens.read(text))
  const subjects = sent.flatMap((token) => claimedSubject(token) ?? [])
  const states = await inPlace(() =>
    repository.users.findSubjects(call.accountId, clock(), subjects),
  )
  const stateOf = new Map(subjects.map((subject, index) => [subject, states[index]]))
  return Promise.all(
    sent.map((token) => {
      const subject = claimedSubject(token)
      const state = subject && stateOf.get(subject)
      return catchTokenError(() => validateSentToken(services, call, token, state))
    }),
  )
}
