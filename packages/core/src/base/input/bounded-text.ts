import { z } from 'zod'
import { codePoints, countCodePoints } from './input.ts'

/**
 * How many UTF-16 units a counted character may have: at most four become one code point in NFC. Normalising takes
 * quadratic time, so longer texts are refused before it.
 */
const unitsPerCharacter = 4
/** NFC merges two or three marks into their letter. This tolerance is larger than any letter needs. */
const joinedMarks = 10
const marks = /\p{M}+/gu

/**
 * A text that is normalised before its code points are counted. A far too long text is refused before it is normalised.
 * So is a text with a long run of combining marks, because NFC takes quadratic time to sort a run.
 */
export function boundedText(
  normalize: (text: string) => string,
  minimum: number,
  maximum: number,
): z.ZodString {
  const bounded = z.string().check((context) => {
    const { length } = context.value
    if (length <= unitsPerCharacter * maximum && !hasLongRun(context.value, maximum + joinedMarks))
      return
    // Without `continue` no later check sees the value.
    context.issues.push({
      code: 'too_big',
      origin: 'string',
      maximum,
      input: context.value,
    })
  })
  return codePoints(bounded.overwrite(normalize), minimum, maximum)
}

function hasLongRun(text: string, maximum: number): boolean {
  if (text.length <= maximum) return false
  const runs = text.match(marks) ?? []
  return runs.some((run) => run.length > maximum && countCodePoints(run) > maximum)
}

// C0, DEL, C1, and the line and paragraph separators.
const controls = /[\p{Cc}\u2028\u2029]/u

/** Text that people read in lists: trimmed, NFC, without control characters. */
export function createLabelSchema(minimum: number, maximum: number): z.ZodString {
  const trimmed = boundedText((text) => text.trim().normalize('NFC'), minimum, maximum)
  return withoutControls(trimmed).meta({ minLength: minimum, maxLength: maximum })
}

export function withoutControls(schema: z.ZodString): z.ZodString {
  return schema.refine((text) => !controls.test(text), {
    params: { code: 'text_not_allowed' },
    message: 'must not contain control characters',
  })
}

/** The name of an account, a key or another thing that an operator names. */
export const labelSchema = createLabelSchema(1, 100)
