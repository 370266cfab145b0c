import { z } from 'zod'

/** A number in a query: plain decimal digits. */
export function wholeNumber(
  bounds: { minimum?: number; maximum: number; format?: 'int32' | 'int64' },
  example: number,
): z.ZodType<number, string> {
  const { minimum = 1, maximum, format = 'int32' } = bounds
  return z
    .string()
    .regex(/^[0-9]{1,15}$/, 'must be a whole number in decimal digits')
    .transform(Number)
    .pipe(z.int().min(minimum).max(maximum))
    .meta({ type: 'integer', format, minimum, maximum, examples: [example] })
}
