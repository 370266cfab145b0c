/** A word has 75 characters at most (RFC 2047, section 2): these bytes in base64, and the characters around them. */
const maxBytes = 45

/**
 * Encodes a subject with `=?` in it as words of RFC 2047: a user's name that looks like such a word would be decoded by
 * the reader. Other subjects stay as they are, and nodemailer encodes them if they need it.
 */
export function encodeSubject(subject: string): string {
  if (!subject.includes('=?')) return subject
  const words: string[] = []
  let word = ''
  // A word must not cut a character in two.
  for (const character of subject.toWellFormed()) {
    if (Buffer.byteLength(word + character) > maxBytes) {
      words.push(word)
      word = ''
    }
    word += character
  }
  return [...words, word]
    .map((each) => `=?UTF-8?B?${Buffer.from(each).toString('base64')}?=`)
    .join(' ')
}
