/** A schema of zod's, or a part of one, as far as its names are concerned */
interface Schema {
  shape?: Record<string, Schema>
  element?: Schema
  /** Of a pipe */
  in?: Schema
  unwrap?: () => Schema
}

/**
 * The names of the members that a schema knows at a path; empty where it is no object.
 *
 * @param path of the object in the value
 */
export function namesOf(schema: unknown, path: readonly PropertyKey[] = []): string[] {
  let inner = unwrapped(schema as Schema | undefined) // any schema has these members or not
  for (const key of path)
    inner = unwrapped(typeof key === 'number' ? inner?.element : inner?.shape?.[String(key)])
  return Object.keys(inner?.shape ?? {})
}

function unwrapped(schema: Schema | undefined): Schema | undefined {
  let inner = schema
  while (inner !== undefined && inner.shape === undefined && inner.element === undefined) {
    const next = inner.in ?? inner.unwrap?.()
    if (next === undefined) return undefined
    inner = next
  }
  return inner
}
