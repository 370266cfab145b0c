import { type ClienteleError, invalidInput } from '../base/errors.ts'
import { countLayouts, maxLayouts } from '../base/input/count-layouts.ts'
import { maxJsonDepth, maxJsonValues } from '../base/input/json.ts'
import { cutJsonText, measureJsonText } from '../base/input/measure-json-text.ts'

/** The maximum number of values in a body with a list of items. 4,000 members of a group may have three attributes each. */
const maxValuesOfItems = 4 * maxJsonValues
/** The depth of an item in its body: inside a list inside an object. */
const depthOfItems = 2
/** Deeper JSON is not parsed as a whole, because that takes milliseconds. */
const maxPlacedDepth = 1_000

/**
 * Refuses JSON with too many values or names, or too deep nesting, before it is parsed. In a body of one item the later
 * check reports the place that nests too deeply.
 *
 * @returns the JSON to parse: if it nests far too deeply, the part up to there
 * @throws ClienteleError `validation_failed`
 */
export function boundJson(bytes: Uint8Array, hasItems: boolean): Uint8Array {
  const maxValues = hasItems ? maxValuesOfItems : maxJsonValues
  // Each value takes a byte and, except for the last, a comma.
  if (!hasItems && bytes.length < 2 * maxValues) return bytes
  const { values, depth } = measureJsonText(bytes)
  if (!hasItems && depth > maxPlacedDepth) return cutJsonText(bytes, maxJsonDepth)
  if (!hasItems && depth > maxJsonDepth) return bytes
  if (values > maxValues) throw tooMany(`${maxValues} values`)
  if (hasItems && depth > maxJsonDepth + depthOfItems) {
    const message = `must not nest deeper than ${maxJsonDepth + depthOfItems}`
    throw invalidInput([{ pointer: '', code: 'too_deep', message }])
  }
  if (hasItems && countLayouts(bytes, maxLayouts) > maxLayouts)
    throw tooMany(`${maxLayouts} different member names or orders of names`)
  return bytes
}

function tooMany(what: string): ClienteleError {
  return invalidInput([
    { pointer: '', code: 'too_many', message: `must not hold more than ${what}` },
  ])
}
