const finalSigma = /\u03c2/g
const letter = /[\p{L}\p{N}]/u
const blank = /\s/u
const inside = /[\p{L}\p{N}\p{M}]/u

/**
 * The form in which names are searched and sorted: NFC, lower case, one sigma, so that neither case nor a letter's
 * position in its word matters.
 */
export function toSearchKey(text: string): string {
  return text.normalize('NFC').toLowerCase().normalize('NFC').replaceAll(finalSigma, '\u03c3')
}

/**
 * Further texts for prefix searches, in addition to a user's name and e-mail: the name from each of its later words on,
 * and the e-mail if its search key differs. A word begins at a letter or digit after another character, and at any
 * character after a blank.
 */
export function searchWordsOf({ name, email }: { name: string; email: string }): string[] {
  const words = new Set<string>()
  const key = toSearchKey(name)
  let before = ''
  let index = 0
  for (const character of key) {
    const begins = blank.test(before)
      ? !blank.test(character)
      : letter.test(character) && !inside.test(before)
    if (index > 0 && begins) words.add(key.slice(index))
    before = character
    index += character.length
  }
  const emailKey = toSearchKey(email)
  if (emailKey !== email) words.add(emailKey)
  return [...words]
}
