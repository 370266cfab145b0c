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
