import { closestMatch } from 'leven'

/** A shorter name is near to any other. */
const minLength = 3
/** A longer name is not compared: the time grows with the product of the lengths. */
const maxLength = 64

/** The shortest beginning of a name that tells which is meant */
const minBeginning = 5

/** Finds the known name that was probably meant: the only one that begins so, or one that is near; undefined: none is. */
export function suggestName(name: string, known: readonly string[]): string | undefined {
  if (name.length < minLength || name.length > maxLength) return undefined
  const longer = known.filter((each) => each.startsWith(name))
  if (name.length >= minBeginning && longer.length === 1) return longer[0]
  return closestMatch(name, known, { maxDistance: name.length === minLength ? 1 : 2 })
}
