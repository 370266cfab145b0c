import { closestMatch } from 'leven'

/** A shorter name is near to any other. */
const minLength = 3
/** A longer name is not compared: the time grows with the product of the lengths. */
const maxLength = 64

/** Finds the known name that was probably meant; undefined if none is near. */
export function suggestName(name: string, known: readonly string[]): string | undefined {
  if (name.length < minLength || name.length > maxLength) return undefined
  return closestMatch(name, known, { maxDistance: name.length === minLength ? 1 : 2 })
}
