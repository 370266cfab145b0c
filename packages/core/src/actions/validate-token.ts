import { z } from 'zod'
import type { ClientUser } from '../domain/client-user.ts'
import { ClienteleError } from '../errors.ts'
import type { SubjectState, TokenSubject } from '../repository.ts'
import type { AccessTokenClaims } from '../security/access-tokens.ts'
import { bearerPattern, type ParsedToken, parseToken } from '../security/parse-token.ts'
import type { Services } from './services.ts'

export const validateTokenSchema = z
  .object({
    token: z
      .string()
      .min(6)
      .regex(bearerPattern, 'must have the form: Bearer <JWT>')
      .meta({
        pattern: '^[Bb][Ee][Aa][Rr][Ee][Rr] +[^ ]+$',
        examples: ['Bearer eyJhbGciOiJFZERTQSIs…'],
      }),
  })
  .meta({ id: 'ValidateToken' })

export interface ValidatedToken {
  user: ClientUser
  /** The account whose user it is */
  accountId: string
  claims: AccessTokenClaims
}

/** Takes the JWT out of `Bearer <JWT>`. */
export function readBearer(text: string): string | undefined {
  return bearerPattern.exec(text)?.[1]
}

/**
 * Whom an unverified token claims to speak of, so that the user can be read in the same round trip as the API key.
 * Undefined when the token is not one of ours.
 */
export function claimedSubject(token: ParsedToken): TokenSubject | undefined {
  const { sub, sid } = token.payload
  return isId(sub) && isId(sid) ? { userId: sub, sessionId: sid } : undefined
}

/**
 * Says whose token it is, if it is valid now: signature and claims, then user and session as they are in the database.
 *
 * @param accountId the account that asks; undefined takes the account that the verified token names
 * @param token the JWT, without `Bearer`
 * @throws ClienteleError one of the `token_*` codes
 */
export async function validateToken(
  services: Services,
  accountId: string | undefined,
  token: string,
): Promise<ValidatedToken> {
  const parsed = parseToken(token)
  const claims = await services.accessTokens.verify(parsed, accountId)
  const subject = { userId: claims.sub, sessionId: claims.sid }
  const state = await services.repository.findSubject(claims.aud, services.clock(), subject)
  return judge(claims, state)
}

/** The same when the state of the claimed subject has been read already. */
export async function validateParsedToken(
  services: Services,
  accountId: string,
  token: ParsedToken,
  state: SubjectState | undefined,
): Promise<ValidatedToken> {
  return judge(await services.accessTokens.verify(token, accountId), state)
}

function judge(claims: AccessTokenClaims, state: SubjectState | undefined): ValidatedToken {
  if (state === undefined) throw new ClienteleError('token_user_not_found')
  if (!state.user.is_active) throw new ClienteleError('token_user_inactive')
  if (!state.hasLiveSession) throw new ClienteleError('token_revoked')
  return { user: state.user, accountId: claims.aud, claims }
}

const idPattern = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/

function isId(value: unknown): value is string {
  return typeof value === 'string' && idPattern.test(value)
}
