import { z } from 'zod'
import { toIsoText } from './instant.ts'

// TypeScript has camelCase and Date, the wire has snake_case and ISO 8601. These functions convert between them.

/** `isActive` as `is_active` */
export type SnakeCase<Name extends string> = Name extends `${infer First}${infer Rest}`
  ? `${First extends Lowercase<First> ? First : `_${Lowercase<First>}`}${SnakeCase<Rest>}`
  : Name

type WireValue<Value> = Value extends Date ? string : Value

/** An object as the wire has it. Keys inside its members stay as they are: metadata's keys belong to their owner. */
export type Wire<T> = {
  [Name in keyof T as Name extends string ? SnakeCase<Name> : never]: WireValue<T[Name]>
}

/** `isActive` as `is_active`, and `-createdAt` as `-created_at` */
export function toWireName<Name extends string>(name: Name): SnakeCase<Name> {
  return name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`) as SnakeCase<Name> // the type says the same
}

/** `is_active` as `isActive` */
export function fromWireName(name: string): string {
  return name.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase())
}

/**
 * Converts a user, or another result of Clientele, to the form of the HTTP API: names in snake_case, times in ISO 8601.
 * Undefined, as on a request without a user, stays undefined.
 *
 * @example
 * import { toWire } from '@clientele/core'
 *
 * const { user } = await clientele.users.find(accountId, userId)
 * const { is_active, created_at } = toWire(user) // true, '2026-05-05T23:41:45.619Z'
 */
export function toWire<T extends object>(value: T): Wire<T>
export function toWire<T extends object>(value: T | undefined): Wire<T> | undefined
export function toWire<T extends object>(value: T | undefined): Wire<T> | undefined {
  if (value === undefined) return undefined
  const members = Object.entries(value).map(([name, member]: [string, unknown]) => [
    toWireName(name),
    member instanceof Date ? toIsoText(member) : member,
  ])
  return Object.fromEntries(members) as Wire<T> // the type says the same
}

/**
 * The schema of an object on the wire: its members are in snake_case there and in camelCase in the output.
 *
 * @param checks rules about several members, by their wire names
 */
export function wireObject<Shape extends z.ZodRawShape>(
  shape: Shape,
  meta: { id?: string; description?: string } = {},
  ...checks: z.core.$ZodCheck<Record<string, unknown>>[]
) {
  const members = Object.entries(shape).map(([name, schema]) => [toWireName(name), schema])
  const names = new Map(
    Object.keys(shape).map((name): [string, string] => [toWireName(name), name]),
  )
  return z
    .strictObject(Object.fromEntries(members) as z.ZodRawShape) // its own members, renamed
    .check(...checks)
    .meta(meta)
    .transform((checked) => {
      const named: Record<string, unknown> = {}
      for (const [wireName, name] of names) if (wireName in checked) named[name] = checked[wireName]
      return named as z.output<z.ZodObject<Shape>> // each was checked by the shape
    })
}
