import { argon2Format } from './argon2-format.ts'
import { readBcrypt } from './bcrypt-format.ts'
import { hexOfSha256 } from './django-format.ts'
import type { HashFormat } from './hash-format.ts'

const mark = '$meteor'

/**
 * Meteor's hashes, in a form of our own: `$meteor` before what Meteor stores (`$meteor$2b$10$…`, `$meteor$argon2id$…`).
 * Meteor hashes the SHA-256 of the password in hexadecimal, and nothing in its hash says so.
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
