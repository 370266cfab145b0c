import { ClienteleError } from '../errors.ts'

/** Says in one word what went wrong: a code of ours, or the name of the error's class; never its message. */
export function nameError(error: unknown): string {
  if (error instanceof ClienteleError) return error.code
  return error instanceof Error ? error.name : 'unknown'
}
