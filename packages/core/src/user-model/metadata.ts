import { z } from 'zod'
import { countCodePoints } from '../base/input/input.ts'
import { isPlainObject, type JsonObject } from '../base/input/json.ts'

const maxMetadataEntries = 5
const maxMetadataBytes = 8 * 1024

function isMetadataKey(key: string): boolean {
  return key !== '' && key.length <= 2 * 64 && countCodePoints(key) <= 64
}

/** The rules of metadata. Their values are JSON; with `isTextOnly` they are text. */
function createMetadataSchema<Values extends JsonObject>(
  isTextOnly = false,
): z.ZodType<Values, Values> {
  return (
    z
      // The values are JSON already: parseInput has checked every one of them.
      .custom<Values>(isPlainObject, {
        message: 'must be an object',
        params: { code: 'type', isNeeded: true },
        abort: true,
      })
      .check((context) => {
        const report = (code: string, message: string, key?: string): void => {
          const path = key === undefined ? [] : [key]
          context.issues.push({
            code: 'custom',
            params: { code },
            message,
            path,
            input: context.value,
            continue: true,
          })
        }
        const keys = Object.keys(context.value)
        if (keys.length > maxMetadataEntries)
          report('too_many', `must have at most ${maxMetadataEntries} entries`)
        for (const key of keys) {
          if (!isMetadataKey(key))
            report('name_length', 'must have a name of 1 to 64 characters', key)
          if (isTextOnly && typeof context.value[key] !== 'string')
            report('type', 'must be a string', key)
        }
        if (Buffer.byteLength(JSON.stringify(context.value)) > maxMetadataBytes) {
          report('too_long', `must be at most ${maxMetadataBytes} bytes as JSON`)
        }
      })
      .meta({
        type: 'object',
        maxProperties: maxMetadataEntries,
        propertyNames: { minLength: 1, maxLength: 64 },
        additionalProperties: isTextOnly ? { type: 'string' } : true,
        description: `${isTextOnly ? 'Text' : 'Any JSON'} values, at most 8 KiB as JSON.`,
        examples: [{ plan: 'pro' }],
      })
  )
}

export const metadataSchema = createMetadataSchema<JsonObject>()

/** Metadata with the same rules whose values are text. */
export const textMetadataSchema = createMetadataSchema<Record<string, string>>(true)

/** The metadata in a patch: its members are merged, and the result is checked. */
export const metadataPatchSchema = z
  .custom<JsonObject>(isPlainObject, { message: 'must be an object', params: { code: 'type' } })
  .meta({ type: 'object', additionalProperties: true })
