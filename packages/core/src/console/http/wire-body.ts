import { z } from 'zod'
import { ClienteleError, invalidInput } from '../../base/errors.ts'
import { checkInput } from '../../base/input/input.ts'
import { fromWireName, toWireName } from '../../base/input/wire-names.ts'

/** An object of which a schema of the library's own knows the members. */
export const objectSchema = z.record(z.string(), z.unknown())

/**
 * Checks the members of a body by the schema that the library checks them by: they are named in snake_case here.
 *
 * @throws ClienteleError `validation_failed`, in the words of the body
 */
export function parseWireBody<T>(schema: z.ZodType<T>, body: Record<string, unknown>): T {
  const entries = Object.entries(body)
  // No other spelling of a name passes.
  const misspelt = entries.filter(([name]) => toWireName(fromWireName(name)) !== name)
  if (misspelt.length > 0) {
    throw invalidInput(
      misspelt.map(([name]) => {
        const pointer = `/${name.replaceAll('~', '~0').replaceAll('/', '~1')}`
        return { pointer, code: 'unrecognized', message: 'is not known here' }
      }),
    )
  }
  const named = Object.fromEntries(entries.map(([name, value]) => [fromWireName(name), value]))
  const result = checkInput(schema, named)
  if ('data' in result) return result.data
  throw inWireWords(invalidInput(result.issues))
}

/** Runs an action, and says what is wrong with its input in the words of the body. */
export async function sayInWireWords<T>(action: Promise<T>): Promise<T> {
  try {
    return await action
  } catch (error) {
    throw error instanceof ClienteleError && error.code === 'validation_failed'
      ? inWireWords(error)
      : error
  }
}

function inWireWords({ issues }: ClienteleError): ClienteleError {
  return invalidInput(
    issues.map(({ pointer, code, message }) => ({
      pointer: pointer.replace(/^\/[^/]*/, toWireName),
      code,
      message: message.replace(/\b[a-z]+(?:[A-Z][a-z]+)+\b/g, toWireName),
    })),
  )
}
