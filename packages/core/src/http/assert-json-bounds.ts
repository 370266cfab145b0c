import { invalidInput } from '../base/errors.ts'
import { maxJsonDepth, maxJsonValues } from '../base/input/json.ts'
import { measureJsonText } from '../base/input/measure-json-text.ts'

/** How many values a body of many items may hold: ten times what one item may. */
const maxValuesOfItems = 10 * maxJsonValues
/** The items stand in a list, in an object. */
const depthOfItems = 2
/** What nests deeper is not parsed to find out where: that takes milliseconds. */
const maxPlacedDepth = 1_000

/**
 * Refuses JSON that holds too much, or nests far too deep, before it is parsed. Where a body of one item nests a little too deep
 * its check says the place.
 *
 * @throws ClienteleError `validation_failed`
 */
export function assertJsonBounds(bytes: Uint8Array, hasItems: boolean): void {
  const maxValues = hasItems ? maxValuesOfItems : maxJsonValues
  // Each value takes a byte and, but for the last, a comma.
  if (!hasItems && bytes.length < 2 * maxValues) return
  const { values, depth } = measureJsonText(bytes)
  const maxDepth = hasItems ? maxJsonDepth + depthOfItems : maxJsonDepth
  if (depth > (hasItems ? maxDepth : maxPlacedDepth)) {
    const message = `must not nest deeper than ${maxDepth}`
    throw invalidInput([{ pointer: '', code: 'too_deep', message }])
  }
  if (depth > maxDepth || values <= maxValues) return
  const message = `must not hold more than ${maxValues} values`
  throw invalidInput([{ pointer: '', code: 'too_many', message }])
}
