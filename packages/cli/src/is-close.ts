/**
 * Letters have changed places, or one is wrong, missing or too much. A package that compares names would be loaded for
 * each command.
 */
export function isClose(word: string, text: string): boolean {
  const sort = (letters: string): string => [...letters].sort().join('')
  return sort(word) === sort(text) || isOneLetterOff(word, text) || isOneLetterOff(text, word)
}

/** Whether the first is the second with another letter in one place, or without one. */
function isOneLetterOff(one: string, other: string): boolean {
  let start = 0
  while (start < one.length && one[start] === other[start]) start++
  const rest = other.slice(start + 1)
  const isReplaced = one.length === other.length && one.slice(start + 1) === rest
  return isReplaced || one.slice(start) === rest
}
