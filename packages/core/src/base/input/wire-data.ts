import { z } from 'zod'
import { toIsoText } from './instant.ts'
import { fromWireName, toWireName } from './wire-names.ts'

// Like `toWire`, but at every depth, following a schema: nested objects have names and dates, too.

const memberNames = new WeakSet<z.core.$ZodType>()

/** A list of member names, which are also translated to the wire's spelling. */
export function namesOf<const Name extends string>(
  names: readonly Name[],
  description: string,
): z.ZodArray<z.ZodEnum<{ [Each in Name]: Each }>> {
  const schema = z.array(z.enum(names as readonly [Name, ...Name[]])).describe(description) // the list is not empty
  memberNames.add(schema)
  return schema as never // an enum of these names
}

/** Writes names and dates as the wire has them. */
export function toWireData(schema: z.core.$ZodType, value: unknown): unknown {
  if (value === null || value === undefined) return value
  if (schema instanceof z.ZodNullable) return toWireData(schema.unwrap(), value)
  if (value instanceof Date) return toIsoText(value)
  if (memberNames.has(schema)) return (value as string[]).map(toWireName) // its schema says so
  if (!(schema instanceof z.ZodObject)) return value
  return renameMembers(schema, value, toWireName, toWireData)
}

/** Reads names and dates as TypeScript has them. */
export function fromWireData(schema: z.core.$ZodType, value: unknown): unknown {
  if (value === null || value === undefined) return value
  if (schema instanceof z.ZodNullable) return fromWireData(schema.unwrap(), value)
  if (schema instanceof z.ZodDate) return new Date(String(value))
  if (memberNames.has(schema)) return (value as string[]).map(fromWireName) // its schema says so
  if (!(schema instanceof z.ZodObject)) return value
  return renameMembers(schema, value, fromWireName, fromWireData)
}

function renameMembers(
  { shape }: z.ZodObject,
  value: object,
  rename: (name: string) => string,
  convert: (schema: z.core.$ZodType, value: unknown) => unknown,
): object {
  const members = Object.entries(value).map(([name, member]: [string, unknown]) => {
    const schema = shape[name] ?? shape[fromWireName(name)]
    return [rename(name), schema === undefined ? member : convert(schema, member)]
  })
  return Object.fromEntries(members)
}
