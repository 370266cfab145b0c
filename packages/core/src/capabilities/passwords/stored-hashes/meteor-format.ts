import { argon2Format } from './argon2-format.ts'
import { readBcrypt } from './bcrypt-format.ts'
import { hexOfSha256 } from './django-format.ts'
import type { HashFormat } from './hash-format.ts'

const mark = '$meteor'

/**
 * Meteor's hashes, in a format of our own: `$meteor` before Meteor's hash (`$meteor$2b$10$…`, `$meteor$argon2id$…`).
 * Meteor hashes the password's SHA-256 in hexadecimal, which its format does not show.
 */
export const meteorFormat: HashFormat = {
  looksLike: /^\$meteor\$/,
  read: (stored) => {
    const inner = stored.slice(mark.length)
    if (!argon2Format.looksLike.test(inner)) return readBcrypt(inner, hexOfSha256)
    const { verify, cost } = argon2Format.read(inner)
    return { cost, verify: (password) => verify(hexOfSha256(password)) }
  },
}
