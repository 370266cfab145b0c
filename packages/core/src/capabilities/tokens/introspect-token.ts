import { z } from 'zod'
import type { Call } from '../../base/call/call.ts'
import { secretMark } from '../../base/input/secret-mark.ts'
import { readAuthentication } from '../../base/jwt/authentication-claims.ts'
import { catchTokenError } from '../../base/jwt/catch-token-error.ts'
import { exampleToken } from '../../base/jwt/example-token.ts'
import type { SentToken } from '../../base/jwt/sent-token.ts'
import type { SubjectState } from '../../user-model/subject-state.ts'
import type { TokensServices } from './services.ts'
import { validateSentToken } from './validate-token.ts'

/** Other fields of the form, such as `token_type_hint`, are ignored (RFC 6749, section 3.2). */
export const introspectSchema = z
  .object({
    token: z
      .preprocess(refuseRepeated, z.string().min(1))
      .meta({
        ...secretMark,
        type: 'string',
        minLength: 1,
        maxLength: 64 * 1024,
        examples: [exampleToken],
      })
      .describe("The JWT, or the user's own token, without `Bearer`"),
  })
  .meta({ id: 'IntrospectToken' })

function refuseRepeated(value: unknown, context: z.RefinementCtx): unknown {
  if (!Array.isArray(value)) return value
  context.addIssue({ code: 'custom', params: { code: 'repeated' }, message: 'must be given once' })
  return z.NEVER
}

const id = '019dfae2-6a4d-7c3e-9b1f-2f4a5c6d7e8f'
const textSchema = z.string().meta({ examples: [id] })

const timeSchema = (example: number) =>
  z
    .int()
    .min(0)
    .max(Number.MAX_SAFE_INTEGER)
    .meta({ format: 'int64', examples: [example] })
    .describe('Seconds since the epoch')

export const actSchema = z
  .object({
    sub: z
      .string()
      .optional()
      .meta({ examples: ['support@example.com'] })
      .describe('Absent where another issuer names them otherwise'),
  })
  .describe('Who acts as the user (RFC 8693, section 4.1); absent: the user')

/** The response about a token (RFC 7662, section 2.2), with its wire names. */
export const introspectionSchema = z
  .union([
    z
      .object({
        active: z.literal(true),
        iss: z.string().meta({ examples: [`urn:clientele:account:${id}`] }),
        sub: textSchema.optional().describe("The user's id, in our own tokens"),
        aud: z
          .union([textSchema, z.array(textSchema).max(1_000)])
          .describe("The account's id, in our own tokens"),
        client_id: textSchema.describe("The account's id, in our own tokens"),
        exp: timeSchema(1_778_031_705)
          .optional()
          .describe("Absent for a user's own token that does not expire"),
        iat: timeSchema(1_778_024_505),
        jti: textSchema.optional(),
        sid: textSchema.optional().describe("The session's id, in our own tokens"),
        auth_time: timeSchema(1_778_024_505)
          .optional()
          .describe(
            'When the user last showed a credential, in seconds since the epoch (RFC 9470)',
          ),
        amr: z
          .array(z.string())
          .optional()
          .meta({ description: 'Authentication methods (RFC 8176)', examples: [['pwd']] }),
        act: actSchema.optional(),
        scope: z
          .string()
          .optional()
          .describe("The scopes of a user's own token, with spaces between them")
          .meta({ examples: ['deploy'] }),
        username: z
          .string()
          .meta({ examples: ['ada@example.com'] })
          .describe("The user's e-mail"),
        token_type: z.literal('Bearer'),
      })
      .meta({ id: 'ActiveToken' }),
    z.object({ active: z.literal(false) }).meta({ id: 'InactiveToken' }),
  ])
  .meta({ id: 'TokenIntrospection' })
export type Introspection = z.output<typeof introspectionSchema>

/**
 * Introspects a token as in RFC 7662: whether it is active, and its claims. About an inactive token it reveals nothing,
 * not even the reason.
 */
export async function introspectToken(
  services: TokensServices,
  call: Call,
  token: SentToken,
  state: SubjectState | undefined,
): Promise<Introspection> {
  const outcome = await catchTokenError(() => validateSentToken(services, call, token, state))
  if ('code' in outcome) return { active: false }
  const { user, claims, accountId } = outcome.value
  const { iss, aud, exp, iat } = claims
  // Only these claims of another issuer's token have been checked; others may be missing.
  const textOf = (name: string): string | undefined => {
    const value: unknown = Reflect.get(claims, name)
    return typeof value === 'string' ? value : undefined
  }
  return {
    active: true,
    iss,
    sub: textOf('sub'),
    // Without `aud`, the claim that was checked instead.
    aud: aud ?? textOf('client_id') ?? textOf('azp') ?? accountId,
    client_id: textOf('client_id') ?? accountId,
    exp,
    iat,
    jti: textOf('jti'),
    sid: textOf('sid'),
    ...readAuthentication(claims),
    scope: textOf('scope'),
    username: user.email,
    token_type: 'Bearer',
  }
}
