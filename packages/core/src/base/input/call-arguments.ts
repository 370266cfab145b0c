import { z } from 'zod'
import { withoutControls } from './bounded-text.ts'
import { idSchema, isId } from './id.ts'
import { codePoints, parseArgument } from './input.ts'

/** Checks an id that the host passes, under the argument's name: `readId({ userId })`. */
export function readId(argument: Record<string, string>): string {
  const [[name, value] = ['', undefined]] = Object.entries(argument)
  // A fast path: the schema takes several times as long for a valid id.
  return isId(value) ? value : parseArgument(name, idSchema, value)
}

const textSchema = z.string()

/** Checks a text that the host passes, under the argument's name: `readText({ token })`. */
export function readText(argument: Record<string, unknown>): string {
  const [[name, value] = ['', undefined]] = Object.entries(argument)
  return parseArgument(name, textSchema, value)
}

const keyIdSchema = withoutControls(codePoints(z.string(), 1, 100))

/** Checks the id of a signing key, which is not a UUID. */
export function readSigningKeyId(keyId: unknown): string {
  return parseArgument('keyId', keyIdSchema, keyId)
}

export function readOptions<T>(schema: z.ZodType<T>, options: unknown): T {
  return parseArgument('options', schema, options)
}
