import { setImmediate as endOfTurn } from 'node:timers/promises'
import { z } from 'zod'
import type { Call } from '../../base/call/call.ts'
import { remainAdmitted } from '../../base/call/while-admitted.ts'
import { secretMark } from '../../base/input/secret-mark.ts'
import { catchTokenError, type OrTokenError } from '../../base/jwt/catch-token-error.ts'
import { assertRead } from '../../base/jwt/sent-token.ts'
import type { InPlace } from '../../base/runtime/large-responses.ts'
import { type ProvedToken, proveToken } from './prove-token.ts'
import type { TokensServices } from './services.ts'
import type { CheckedToken } from './validated-token.ts'

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

type Proved = OrTokenError<ProvedToken>

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
): Promise<OrTokenError<CheckedToken>[]> {
  return finishTokens(services, call, await proveTokens(services, call, tokens))
}

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
  const proved = await proveTokens(services, call, tokens)
  const outcomes: OrTokenError<CheckedToken>[] = []
  for (let start = 0; start < proved.length; start += tokensOfGroup) {
    const group = proved.slice(start, start + tokensOfGroup)
    await remainAdmitted(call)
    outcomes.push(...(await finishTokens(services, call, group, inPlace)))
    // An SQLite database answers in the same turn of the event loop.
    await endOfTurn()
  }
  return outcomes
}

function proveTokens(
  services: TokensServices,
  { accountId }: Call,
  tokens: readonly string[],
): Promise<Proved[]> {
  return Promise.all(
    tokens.map((text) =>
      catchTokenError(() =>
        proveToken(services, accountId, assertRead(services.accessTokens.read(text))),
      ),
    ),
  )
}

async function finishTokens(
  { repository, clock }: TokensServices,
  { accountId }: Call,
  proved: readonly Proved[],
  inPlace: InPlace = (read) => read(),
): Promise<OrTokenError<CheckedToken>[]> {
  const subjects = proved.flatMap((each) => ('code' in each ? [] : (each.value.subject ?? [])))
  const states = await inPlace(() => repository.users.findSubjects(accountId, clock(), subjects))
  const stateOf = new Map(subjects.map((subject, index) => [subject, states[index]]))
  return Promise.all(
    proved.map((each) => {
      if ('code' in each) return each
      const { subject, finish } = each.value
      return catchTokenError(() => finish(subject && stateOf.get(subject)))
    }),
  )
}
