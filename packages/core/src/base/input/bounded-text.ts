import { z } from 'zod'
import { codePoints, countCodePoints } from './input.ts'

/**
 * So many UTF-16 units a code point that counts: what NFC makes one code point of has at most four. Normalising takes
 * time by the square of the length of what is written for it, so that nothing longer may come so far.
 */
const unitsPerCharacter = 4
/** What NFC can take at most out of a run of marks: a letter is joined with two or three. */
const joinedMarks = 10
const marks = /\p{M}+/gu

/**
 * A text that is normalised before its code points are counted; one that is far too long is refused unread, and so is one
 * with a run of marks that is too long in whichever order: ordering a run takes time by its square.
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
    // Without `continue` nothing after it looks at the value.
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

// C0, DEL and C1, and the two separators that end lines too.
const controls = /[\p{Cc}\u2028\u2029]/u

/** What people are to read in a list: trimmed, NFC, without control characters. */
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

/** The name of an account or a key, and whatever else an operator calls something. */
export const labelSchema = createLabelSchema(1, 100)
