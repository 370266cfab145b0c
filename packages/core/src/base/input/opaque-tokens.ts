import { z } from 'zod'
import { codePoints } from './input.ts'
import { secretMark } from './secret-mark.ts'

const opaqueExample = 'Zk0pQ2cXy8rW5uL1vT7sN3bH9dJ4fA6gE0iM8oK2qRY'
const refreshExample =
  'AZ364mpNfD6bHy9KXG1-jwAAAABQ2FjgmF7Mf2BBiq8MxatYf0LCVwqIQJWp6Mys0PZUXPD2aL9hDlz58R0qpQ-SSto'

/** A challenge as we issue it: 32 random bytes. */
export const opaqueTokenSchema = z
  .string()
  .length(43)
  .meta({ ...secretMark, examples: [opaqueExample] })

/** A refresh token as we issue it: its session, its number within the session, 32 random bytes, a MAC. */
export const refreshTokenSchema = z
  .string()
  .length(91)
  .meta({ ...secretMark, examples: [refreshExample] })

const jwtPattern = /^[\w-]+\.[\w-]+\.[\w-]+$/

/** A challenge or an e-mail token as a caller sends it. A token of another length is treated as unknown. */
export const givenOpaqueTokenSchema = codePoints(z.string(), 1, 200).meta({
  ...secretMark,
  examples: [opaqueExample],
})
/** A refresh token, or the token of a device, as a caller sends it */
export const givenRefreshTokenSchema = codePoints(
  z.string().refine((text) => !jwtPattern.test(text), {
    abort: true,
    params: { code: 'value' },
    message: 'must be a refresh token: this is a JWT, such as the access token beside it',
  }),
  1,
  200,
).meta({ ...secretMark, examples: [refreshExample] })
