import { invalidInput } from '../base/errors.ts'
import { maxJsonDepth, maxJsonValues } from '../base/input/json.ts'
import { cutJsonText, measureJsonText } from '../base/input/measure-json-text.ts'

/** How many values a body of many items may hold: ten times what one item may. */
const maxValuesOfItems = 10 * maxJsonValues
/** The items stand in a list, in an object. */
const depthOfItems = 2
/** What nests deeper is not parsed whole: that takes milliseconds. */
const maxPlacedDepth = 1_000

/**
 * Refuses JSON that holds too much before it is parsed. Where a body of one item nests too deep its check says the place.
 *
 * @returns what to parse: a body that nests far too deep up to there
 * @throws ClienteleError `validation_failed`
 */
export function boundJson(bytes: Uint8Array, hasItems: boolean): Uint8Array {
  const maxValues = hasItems ? maxValuesOfItems : maxJsonValues
  // Each value takes a byte and, but for the last, a comma.
  if (!hasItems && bytes.length < 2 * maxValues) return bytes
  const { values, depth } = measureJsonText(bytes)
  if (!hasItems && depth > maxPlacedDepth) return cutJsonText(bytes, maxJsonDepth)
  if (!hasItems && depth > maxJsonDepth) return bytes
  if (values > maxValues) {
    const message = `must not hold more than ${maxValues} values`
    throw invalidInput([{ pointer: '', code: 'too_many', message }])
  }
  if (hasItems && depth > maxJsonDepth + depthOfItems) {
    const message = `must not nest deeper than ${maxJsonDepth + depthOfItems}`
    throw invalidInput([{ pointer: '', code: 'too_deep', message }])
  }
  return bytes
}
