import { type HeaderField, type HeaderName, headerFields } from '../header-fields.ts'

/** Describes these header fields, and the one that every response has. */
export function describeHeaders(names: readonly HeaderName[] = []): Record<string, HeaderField> {
  const all = new Set<HeaderName>([...names, 'X-Request-Id'])
  return Object.fromEntries([...all].map((name) => [name, headerFields[name]]))
}
