/** What is not UTF-8 in a form is text all the same: nobody's. */
const decoder = new TextDecoder()

/** Reads a form (`application/x-www-form-urlencoded`): its fields by name; one that came more than once is a list. */
export function parseForm(bytes: Uint8Array): unknown {
  const fields = Map.groupBy(new URLSearchParams(decoder.decode(bytes)), ([name]) => name)
  const entries = [...fields].map(([name, found]) => {
    const values = found.map(([, value]) => value)
    return [name, values.length === 1 ? values[0] : values]
  })
  return Object.fromEntries(entries)
}

/** What fields that a host has parsed take as a form, in bytes. */
export function measureForm(fields: unknown): number {
  const pairs = Object.entries(Object(fields)).flatMap(([name, value]) =>
    [value].flat().map((each): [string, string] => [name, String(each)]),
  )
  return new URLSearchParams(pairs).toString().length
}
