import { z } from 'zod'
import type { Call } from '../../base/call/call.ts'
import type { TokenSubject } from '../../base/call/token-subject.ts'
import { ClienteleError } from '../../base/errors.ts'
import { bearerPattern } from '../../base/input/bearer.ts'
import { isId } from '../../base/input/id.ts'
import { secretMark } from '../../base/input/secret-mark.ts'
import { exampleToken } from '../../base/jwt/example-token.ts'
import {
  assertRead,
  type ClaimingToken,
  type SentToken,
  type SentUserToken,
} from '../../base/jwt/sent-token.ts'
import { freshMs, type SubjectState } from '../../user-model/subject-state.ts'
import { assertNamedAccount } from './assert-named-account.ts'
import { proveToken } from './prove-token.ts'
import type { TokensServices } from './services.ts'
import type { CheckedToken } from './validated-token.ts'

export const validateTokenSchema = z
  .strictObject({
    token: z
      .string()
      .min(6)
      .regex(bearerPattern, 'must have the form: Bearer <JWT or cut_…>')
      .meta({
        ...secretMark,
        pattern: '^[Bb][Ee][Aa][Rr][Ee][Rr] +[^ ]+$',
        examples: [`Bearer ${exampleToken}`],
      }),
  })
  .meta({ id: 'ValidateToken' })

/**
 * Validates a token and finds its user: signature and claims, then key, user and session in their present state. A user's
 * own token is found by its hash.
 *
 * @param call the account that validates; undefined: the account that the token names, whose key must verify it
 * @param token the JWT, or the user's own token, without `Bearer`
 * @throws ClienteleError one of the `token_*` codes
 */
export async function validateToken(
  services: TokensServices,
  call: Call | undefined,
  token: string,
): Promise<CheckedToken> {
  const read = assertRead(services.accessTokens.read(token))
  const accountId = call?.accountId ?? readAccountId(read)
  if (call === undefined) await assertNamedAccount(services, accountId)
  const trustsIssuers = call !== undefined
  const { subject, finish } = await proveToken(services, accountId, read, { trustsIssuers })
  return finish(subject && (await findState(services, accountId, subject)))
}

/** The same when the state of the claimed subject was read before. */
export async function validateSentToken(
  services: TokensServices,
  { accountId }: Call,
  token: SentToken,
  state: SubjectState | undefined,
): Promise<CheckedToken> {
  const read = assertRead(token)
  const since = performance.now()
  const { subject, finish } = await proveToken(services, accountId, read, { known: state })
  const isFresh = subject === undefined || performance.now() - since < freshMs
  return finish(isFresh ? state : await findState(services, accountId, subject))
}

function findState(
  { repository, clock }: TokensServices,
  accountId: string,
  subject: TokenSubject,
): Promise<SubjectState | undefined> {
  return repository.users.findSubject(accountId, clock(), subject)
}

/** The account that an unverified token names. */
function readAccountId(read: ClaimingToken | SentUserToken): string {
  if ('accountId' in read) return read.accountId
  const { aud } = read.parsed.payload
  if (!isId(aud)) throw new ClienteleError('token_unknown_key')
  return aud
}
