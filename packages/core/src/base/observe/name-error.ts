import { ClienteleError } from '../errors.ts'

/** Names a fault in one word: our code, or the name of the error's class; never its message. */
export function nameError(error: unknown): string {
  if (error instanceof ClienteleError) return error.code
  return error instanceof Error ? error.name : 'unknown'
}
