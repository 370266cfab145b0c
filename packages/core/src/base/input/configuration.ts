import { z } from 'zod'
import { ClienteleError } from '../errors.ts'
import { toInputIssues } from './input.ts'
import { namesOf } from './names-of.ts'

const minBeginning = 5

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
  const known = schema instanceof z.ZodObject ? Object.keys(schema.shape) : []
  const faults = issues.map(({ pointer, code, message }) => {
    const isGuessed = code !== 'unrecognized' || message.includes('(')
    const hint = isGuessed ? '' : describeKnown(pointer.slice(1).split('/'), schema)
    return `options${pointer.replaceAll('/', '.')} ${message}${hint}.`
  })
  const lastUnknown = issues.findLastIndex(
    ({ pointer, code }) => code === 'unrecognized' && /^\/[^/]*$/.test(pointer),
  )
  if (lastUnknown !== -1 && known.length > 0) {
    faults.splice(lastUnknown + 1, 0, `Known names: ${known.join(', ')}.`)
  }
  throw new ClienteleError('configuration_invalid', faults.join(' '))
}

/** For an unknown name that is near to none. All names of the options themselves follow after their faults. */
function describeKnown(path: readonly string[], schema: z.ZodType): string {
  const known = namesOf(schema, path.slice(0, -1))
  if (path.length === 1) return describeSimilar(path[0] ?? '', known)
  return known.length === 0 ? '' : ` (known names: ${known.join(', ')})`
}

/** Names that begin as an unknown one that is near to none: `tokens` for `tokenTtlSeconds`. */
function describeSimilar(name: string, known: readonly string[]): string {
  const beginning = name.slice(0, minBeginning)
  const similar = known.filter(
    (each) => beginning.length === minBeginning && each.startsWith(beginning),
  )
  return similar.length === 0 ? '' : ` (did you mean ${similar.join(' or ')}?)`
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
