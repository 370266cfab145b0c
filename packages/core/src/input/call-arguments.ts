import type { z } from 'zod'
import { idSchema } from '../users/client-user.ts'
import { callerSchema } from './call-options.ts'
import { parseArgument } from './input.ts'

/** Checks an id that the host passes, by the argument's name: `readId({ userId })`. */
export function readId(argument: Record<string, string>): string {
  const [[name, value] = ['', undefined]] = Object.entries(argument)
  return parseArgument(name, idSchema, value)
}

export function readOptions<T>(schema: z.ZodType<T>, options: unknown): T {
  return parseArgument('options', schema, options)
}

export function readAddress(caller: unknown): string | undefined {
  return parseArgument('caller', callerSchema, caller).clientAddress
}
