import { createHash } from 'node:crypto'
import { argon2Format } from './argon2-format.ts'
import { bcryptFormat, readBcrypt } from './bcrypt-format.ts'
import {
  type HashFormat,
  maxHashBytes,
  minHashBytes,
  readBase64,
  readTextSalt,
  unreadable,
} from './hash-format.ts'
import { pbkdf2Hash } from './pbkdf2-format.ts'
import { readLogN, readScryptCosts, scryptHash } from './scrypt-format.ts'

/**
 * The formats of Django's hashers, which begin with the algorithm's name: `pbkdf2_sha256$600000$salt$hash`,
 * `argon2$argon2id$v=19$…`, `bcrypt$$2b$12$…`, `bcrypt_sha256$$2b$12$…`, `scrypt$16384$salt$8$1$hash`. The salt is used
 * as text.
 */
export const djangoFormat: HashFormat = {
  looksLike: /^(?:pbkdf2_sha1|pbkdf2_sha256|argon2|bcrypt|bcrypt_sha256|scrypt)\$|^!/,
  read: (stored) => {
    if (stored.startsWith('!')) unreadable('it is the mark of a Django user without a password')
    const end = stored.indexOf('$')
    const [algorithm, rest] = [stored.slice(0, end), stored.slice(end + 1)]
    if (algorithm === 'argon2') return argon2Format.read(`$${rest}`)
    if (algorithm === 'bcrypt') return bcryptFormat.read(rest)
    if (algorithm === 'bcrypt_sha256') return readBcrypt(rest, hexOfSha256)
    const parts = rest.split('$')
    if (algorithm === 'scrypt') {
      if (parts.length !== 5) unreadable("it is not an scrypt hash in Django's form")
      const [n, salt = '', blockSize, lanes, hash = ''] = parts
      const costs = readScryptCosts(readLogN(n), blockSize, lanes)
      const expected = readBase64(hash, minHashBytes, maxHashBytes)
      return scryptHash(costs, readTextSalt(salt), expected)
    }
    if (parts.length !== 3) unreadable("it is not a PBKDF2 hash in Django's form")
    const [iterations, salt = '', hash = ''] = parts
    const expected = readBase64(hash, minHashBytes, maxHashBytes)
    const digest = algorithm.slice('pbkdf2_'.length)
    return pbkdf2Hash(digest, iterations, readTextSalt(salt), expected)
  },
}

/** SHA-256 in hexadecimal, which some systems pass to bcrypt instead of the password. */
export function hexOfSha256(password: string): string {
  return createHash('sha256').update(password).digest('hex')
}
