import { z } from 'zod'

// What answers are made of. These schemas document; nothing is checked by them.

export const timeSchema = z.iso.datetime().meta({ examples: ['2026-05-05T23:41:45.619Z'] })

/** How many there are of what an answer can hold in full. */
export function countSchema(maximum: number, example: number): z.ZodType<number> {
  return z
    .int()
    .min(0)
    .max(maximum)
    .meta({ format: 'int32', examples: [example] })
}

/** How many there are of what only the database can hold. */
export function largeCountSchema(minimum: number, example: number): z.ZodType<number> {
  return z
    .int()
    .min(minimum)
    .max(Number.MAX_SAFE_INTEGER)
    .meta({ format: 'int64', examples: [example] })
}

const maxInt32 = 2_147_483_647

export function secondsSchema(example: number): z.ZodType<number> {
  return countSchema(maxInt32, example).describe('Seconds')
}

/** What a refresh token is: its session, its place among that session's tokens, 32 random bytes and a seal. */
export const refreshTokenSchema = z
  .string()
  .length(91)
  .meta({
    examples: [
      'AZ364mpNfD6bHy9KXG1-jwAAAABQ2FjgmF7Mf2BBiq8MxatYf0LCVwqIQJWp6Mys0PZUXPD2aL9hDlz58R0qpQ-SSto',
    ],
  })

/** A challenge: 32 random bytes. */
export const opaqueTokenSchema = z
  .string()
  .length(43)
  .meta({
    examples: ['Zk0pQ2cXy8rW5uL1vT7sN3bH9dJ4fA6gE0iM8oK2qRY'],
  })
