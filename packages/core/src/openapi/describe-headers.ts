import type { ZodOpenApiHeaderObject } from 'zod-openapi'
import { type HeaderName, headerFields } from '../http/header-fields.ts'

interface Reference {
  $ref: string
}

/** The components that operations share, by name. */
export interface Components {
  headers: Record<string, ZodOpenApiHeaderObject>
  examples: Record<string, { value: unknown }>
}

/** Refers to these header fields, and to the one of every response. */
export function describeHeaders(
  names: readonly HeaderName[] = [],
  { headers }: Components,
): Record<string, Reference> {
  const all = new Set<HeaderName>([...names, 'X-Request-Id'])
  const entries = [...all].map((name): [string, Reference] => {
    const { description, ...schema } = headerFields[name]
    headers[name] ??= { description, schema }
    return [name, { $ref: `#/components/headers/${name}` }]
  })
  return Object.fromEntries(entries)
}
