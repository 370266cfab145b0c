import type { z } from 'zod'
import { ClienteleError } from '../errors.ts'
import { findJsonIssues, isPlainObject } from '../input/json.ts'
import type { FieldIssue, FieldSchema } from './host-schemas.ts'

type Path = readonly PropertyKey[]
type Payload = z.core.ParsePayload

/** Adds a schema of the host's to our own of a user's metadata: it looks at what ours has let pass. */
export function narrowMetadata<S extends z.ZodType>(schema: S, host: FieldSchema<unknown>): S {
  return schema.check((context) => {
    if (context.issues.length > 0) return
    const given = context.value
    const value = applySchema('metadata', host, given, [], context)
    if (context.issues.length > 0) return
    // It may have added to it what ours would not have let pass.
    const made = schema.safeParse(value)
    if (!made.success || findJsonIssues({ value }).length > 0)
      throw fault('metadata', 'makes what metadata cannot be')
    reportLost(given, value, [], context)
    context.value = value as z.core.output<S> // ours has let it pass
  })
}

/** Adds a schema of the host's for each role. */
export function narrowRoles<S extends z.ZodType>(schema: S, host: FieldSchema<unknown>): S {
  return schema.check((context) => {
    if (context.issues.length > 0 || !Array.isArray(context.value)) return
    for (const [index, role] of context.value.entries()) {
      const made = applySchema('roles', host, role, [index], context)
      // Two roles could become one, and a role that nobody asked for could be given.
      if (made !== undefined && made !== role)
        throw fault('roles', 'changes a role instead of refusing it')
    }
  })
}

/** What the schema makes of a value; undefined where it refuses it. */
function applySchema(
  name: 'metadata' | 'roles',
  host: FieldSchema<unknown>,
  value: unknown,
  path: Path,
  context: Payload,
): unknown {
  const result = host['~standard'].validate(value)
  if (result instanceof Promise) {
    result.catch(() => {})
    throw fault(name, 'answers with a promise: it must be synchronous')
  }
  if (result.issues === undefined) return result.value
  for (const issue of result.issues) {
    const whole = [...path, ...stepsOf(issue)]
    if (host['~standard'].vendor === 'zod') {
      // Told of as what our own schemas find.
      const found = issue as z.core.$ZodRawIssue // of zod's own, as they come out of it
      context.issues.push({ ...found, path: whole, continue: true })
    } else report(context, whole, 'invalid', issue.message)
  }
  return undefined
}

function report(context: Payload, path: Path, code: string, message: string): void {
  const input = context.value
  const issue = { code: 'custom' as const, params: { code }, path: [...path], message, input }
  context.issues.push({ ...issue, continue: true })
}

function stepsOf({ path = [] }: FieldIssue): PropertyKey[] {
  return path.map((step) => (typeof step === 'object' ? step.key : step))
}

/** A member that the schema leaves out would be lost in silence. */
function reportLost(given: unknown, made: unknown, path: Path, context: Payload): void {
  if (Array.isArray(given) && Array.isArray(made)) {
    for (const [index, item] of given.entries())
      reportLost(item, made[index], [...path, index], context)
  }
  if (!isPlainObject(given) || !isPlainObject(made)) return
  for (const [name, member] of Object.entries(given)) {
    if (name in made) reportLost(member, made[name], [...path, name], context)
    else if (member !== undefined)
      report(context, [...path, name], 'unrecognized', 'is not known here')
  }
}

function fault(name: 'metadata' | 'roles', what: string): ClienteleError {
  return new ClienteleError('configuration_invalid', `The schema of ${name} ${what}.`)
}
