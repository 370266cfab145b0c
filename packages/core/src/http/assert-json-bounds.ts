import { invalidInput } from '../base/errors.ts'
import { maxJsonDepth, maxJsonValues } from '../base/input/json.ts'
import { measureJsonText } from '../base/input/measure-json-text.ts'

/** How many values a body of many items may hold: ten times what one item may. */
const maxValuesOfItems = 10 * maxJsonValues
/** The items stand in a list, in an object. */
const depthOfItems = 2

/**
 * Refuses JSON that holds too much before it is parsed. How deep it nests is told only of a body of many items: the check
 * of another one says where it does.
 *
 * @throws ClienteleError `validation_failed`
 */
export function assertJsonBounds(bytes: Uint8Array, hasItems: boolean): void {
  const maxValues = hasItems ? maxValuesOfItems : maxJsonValues
  // Each value takes a byte and, but for the last, a comma.
  if (!hasItems && bytes.length < 2 * maxValues) return
  const { values, depth } = measureJsonText(bytes)
  if (!hasItems && depth > maxJsonDepth) return
  if (values > maxValues) {
    const message = `must not hold more than ${maxValues} values`
    throw invalidInput([{ pointer: '', code: 'too_many', message }])
  }
  if (hasItems && depth > maxJsonDepth + depthOfItems) {
    const message = `must not nest deeper than ${maxJsonDepth + depthOfItems}`
    throw invalidInput([{ pointer: '', code: 'too_deep', message }])
  }
}
