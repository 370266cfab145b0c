import type { z } from 'zod'
import { ClienteleError } from '../base/errors.ts'
import { findJsonIssues, isPlainObject } from '../base/input/json.ts'
import type { FieldIssue, FieldResult, FieldSchema } from './host-schemas.ts'

type Path = readonly PropertyKey[]
type Payload = z.core.ParsePayload

/** Adds the host's schema of metadata to ours: it validates the output of ours. */
export function narrowMetadata<S extends z.ZodType>(schema: S, host: FieldSchema<unknown>): S {
  return schema.check((context) => {
    if (context.issues.length > 0) return
    const given = context.value
    const value = applySchema('metadata', host, given, [], context)
    if (context.issues.length > 0) return
    if (findJsonIssues({ value }).length > 0)
      throw fault('metadata', 'returns a value that is not JSON')
    reportLost(given, value, [], context)
    // The host's schema may have added members beyond our limits.
    const made = schema.safeParse(value)
    if (made.success)
      context.value = made.data as z.core.output<S> // the output of our schema
    else context.issues.push(...made.error.issues.map(toRaw))
  })
}

/** Adds the host's schema of each role. */
export function narrowRoles<S extends z.ZodType>(schema: S, host: FieldSchema<unknown>): S {
  return schema.check((context) => {
    if (context.issues.length > 0 || !Array.isArray(context.value)) return
    for (const [index, role] of context.value.entries()) {
      const made = applySchema('roles', host, role, [index], context)
      // A transformation could merge two roles, or give a role that was not requested.
      if (made !== undefined && made !== role)
        report(context, [index], 'value', 'must be written as the schema of roles writes it')
    }
  })
}

/** The schema's output for a value; undefined when the value is invalid. */
function applySchema(
  name: 'metadata' | 'roles',
  host: FieldSchema<unknown>,
  value: unknown,
  path: Path,
  context: Payload,
): unknown {
  const result = validate(name, host, value)
  if (result.issues === undefined) return result.value
  for (const issue of result.issues) {
    const whole = [...path, ...stepsOf(issue)]
    if (host['~standard'].vendor === 'zod') {
      // Reported like the issues of our own schemas.
      const found = issue as z.core.$ZodIssue // in the shape of zod's issues
      context.issues.push({ ...toRaw(found), path: whole })
    } else report(context, whole, 'invalid', issue.message)
  }
  return undefined
}

function toRaw(issue: z.core.$ZodIssue): z.core.$ZodRawIssue {
  return { input: undefined, ...issue, continue: true }
}

function report(context: Payload, path: Path, code: string, message: string): void {
  const input = context.value
  const issue = { code: 'custom' as const, params: { code }, path: [...path], message, input }
  context.issues.push({ ...issue, continue: true })
}

/** A value whose check throws is invalid. */
function validate(
  name: 'metadata' | 'roles',
  host: FieldSchema<unknown>,
  value: unknown,
): FieldResult<unknown> {
  const asynchronous = 'has a check that answers with a promise: it must be synchronous'
  try {
    // The standard's method turns a thrown error into a promise, too.
    if (isZod(host)) {
      const { success, data, error } = host.safeParse(value)
      return success ? { value: data } : { issues: error?.issues ?? [] }
    }
    const result = host['~standard'].validate(value)
    if (!(result instanceof Promise)) return result
    result.catch(() => {})
  } catch (error) {
    if (!isAsync(error)) return { issues: [{ message: 'is not valid: its check failed' }] }
  }
  throw fault(name, asynchronous)
}

/** Also recognises another copy of zod */
function isAsync(error: unknown): boolean {
  return error instanceof Error && error.constructor.name === '$ZodAsyncError'
}

interface ZodSchema {
  safeParse(value: unknown): { success: boolean; data?: unknown; error?: z.core.$ZodError }
}

function isZod(host: object): host is ZodSchema {
  return typeof Reflect.get(host, 'safeParse') === 'function'
}

function stepsOf({ path = [] }: FieldIssue): PropertyKey[] {
  return path.map((step) => (typeof step === 'object' ? step.key : step))
}

/** Without this a member that the schema drops would be lost silently. */
function reportLost(given: unknown, made: unknown, path: Path, context: Payload): void {
  if (Array.isArray(given) && Array.isArray(made)) {
    for (const [index, item] of given.entries())
      reportLost(item, made[index], [...path, index], context)
  }
  if (!isPlainObject(given) || !isPlainObject(made)) return
  for (const [name, member] of Object.entries(given)) {
    if (Object.hasOwn(made, name)) reportLost(member, made[name], [...path, name], context)
    else if (member !== undefined)
      report(context, [...path, name], 'unrecognized', 'is not known here')
  }
}

function fault(name: 'metadata' | 'roles', what: string): ClienteleError {
  return new ClienteleError('configuration_invalid', `The schema of ${name} ${what}.`)
}
