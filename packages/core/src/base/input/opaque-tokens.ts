import { z } from 'zod'
import { codePoints } from './input.ts'

const opaqueExample = 'Zk0pQ2cXy8rW5uL1vT7sN3bH9dJ4fA6gE0iM8oK2qRY'
const refreshExample =
  'AZ364mpNfD6bHy9KXG1-jwAAAABQ2FjgmF7Mf2BBiq8MxatYf0LCVwqIQJWp6Mys0PZUXPD2aL9hDlz58R0qpQ-SSto'

/** A challenge, as it is handed out: 32 random bytes. */
export const opaqueTokenSchema = z
  .string()
  .length(43)
  .meta({ examples: [opaqueExample] })

/** A refresh token, as it is handed out: its session, its place among that session's tokens, 32 random bytes, a MAC. */
export const refreshTokenSchema = z
  .string()
  .length(91)
  .meta({ examples: [refreshExample] })

/** Such a token as somebody sends it: one of another length is one that nobody has, and answered as that. */
function givenTokenSchema(example: string): z.ZodString {
  return codePoints(z.string(), 1, 200).meta({ examples: [example] })
}

/** A challenge or an e-mail token, as somebody sends it. */
export const givenOpaqueTokenSchema = givenTokenSchema(opaqueExample)
export const givenRefreshTokenSchema = givenTokenSchema(refreshExample)
