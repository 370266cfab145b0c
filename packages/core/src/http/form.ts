import { ClienteleError } from '../base/errors.ts'

/** More fields than any client sends: parsing a body full of fields would delay other callers. */
const maxFields = 2_500

/** Invalid UTF-8 in a form is not refused: the decoded text matches no stored value. */
const decoder = new TextDecoder()

/**
 * Parses a form (`application/x-www-form-urlencoded`): its fields by name; a repeated field becomes a list.
 *
 * @throws ClienteleError `body_too_large`
 */
export function parseForm(bytes: Uint8Array): unknown {
  const text = decoder.decode(bytes)
  if (text.split('&', maxFields + 1).length > maxFields) throw tooManyFields()
  const fields = Map.groupBy(new URLSearchParams(text), ([name]) => name)
  const entries = [...fields].map(([name, found]) => {
    const values = found.map(([, value]) => value)
    return [name, values.length === 1 ? values[0] : values]
  })
  return Object.fromEntries(entries)
}

/**
 * The size that parsed fields have as a form, in bytes.
 *
 * @throws ClienteleError `body_too_large`
 */
export function measureForm(fields: unknown): number {
  if (Object.values(Object(fields)).flat().length > maxFields) throw tooManyFields()
  const pairs = Object.entries(Object(fields)).flatMap(([name, value]) =>
    [value].flat().map((each): [string, string] => [name, String(each)]),
  )
  return new URLSearchParams(pairs).toString().length
}

function tooManyFields(): ClienteleError {
  return new ClienteleError('body_too_large', `The form has more than ${maxFields} fields.`)
}
