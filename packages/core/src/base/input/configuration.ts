import { z } from 'zod'
import { ClienteleError } from '../errors.ts'
import { toInputIssues } from './input.ts'

/**
 * Checks the options that a host passes, before any of them is used.
 *
 * @param example a correct call, for the message when the argument is not an object
 * @throws ClienteleError `configuration_invalid`, which names every wrong or unknown option and no value
 */
export function checkConfiguration<T>(schema: z.ZodType<T>, options: unknown, example?: string): T {
  if (example !== undefined && (typeof options !== 'object' || options === null)) {
    throw new ClienteleError('configuration_invalid', `Pass an object with options: ${example}.`)
  }
  const result = schema.safeParse(options)
  if (result.success) return result.data
  const issues = toInputIssues(result.error.issues, options, schema)
  const faults = issues.map(
    ({ pointer, message }) => `options${pointer.replaceAll('/', '.')} ${message}.`,
  )
  const lastUnknown = issues.findLastIndex(
    ({ pointer, code }) => code === 'unrecognized' && /^\/[^/]*$/.test(pointer),
  )
  if (lastUnknown !== -1 && schema instanceof z.ZodObject) {
    faults.splice(lastUnknown + 1, 0, `Known names: ${Object.keys(schema.shape).join(', ')}.`)
  }
  throw new ClienteleError('configuration_invalid', faults.join(' '))
}

export function aFunction(): z.ZodType {
  return z.custom((value) => typeof value === 'function', refusal('must be a function'))
}

/** An object with these methods, `close` or `storage.close`. Other members are not checked. */
export function objectWith(methods: readonly string[], name: string): z.ZodType {
  return z.custom(
    (value) => {
      return methods.every((method) => typeof find(value, method.split('.')) === 'function')
    },
    {
      error: ({ input }) =>
        isPromise(input) ? `must be ${name}, and is a promise: await it` : `must be ${name}`,
      params: { code: 'type' },
    },
  )
}

/** Whether a value is a promise. A thenable with members of its own, such as a Fastify app, is not. */
export function isPromise(value: unknown): boolean {
  return typeof value === 'object' && value !== null && 'then' in value && 'catch' in value
}

function find(value: unknown, path: readonly string[]): unknown {
  const [name, ...rest] = path
  if (name === undefined) return value
  return typeof value === 'object' && value !== null
    ? find(Reflect.get(value, name), rest)
    : undefined
}

/** A value that matches one of these schemas; the message names all of them. */
export function anyOf(forms: readonly z.ZodType[], rule: string): z.ZodType {
  return z.custom((value) => forms.some((form) => form.safeParse(value).success), refusal(rule))
}

/** Requires exactly one of two options. */
export function eitherOf(first: string, second: string, schema: z.ZodObject): z.ZodType {
  return schema.refine(
    (options) => first in options !== second in options,
    refusal(`must have either ${first} or ${second}`),
  )
}

function refusal(message: string) {
  return { message, params: { code: 'type' } }
}
