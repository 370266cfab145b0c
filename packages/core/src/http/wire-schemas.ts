import { z } from 'zod'

// These schemas document responses; they validate nothing.

export const timeSchema = z.iso.datetime().meta({ examples: ['2026-05-05T23:41:45.619Z'] })

/** The number of rows in a list that one response can hold. */
export function countSchema(maximum: number, example: number): z.ZodType<number> {
  return z
    .int()
    .min(0)
    .max(maximum)
    .meta({ format: 'int32', examples: [example] })
}

/** The number of rows in a table. */
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
