import {
  type HashFormat,
  maxHashBytes,
  minHashBytes,
  readHex,
  readTextSalt,
  unreadable,
} from './hash-format.ts'
import { pbkdf2Hash } from './pbkdf2-format.ts'
import { readLogN, readScryptCosts, scryptHash } from './scrypt-format.ts'

/**
 * Werkzeug, which Flask applications use: `scrypt:32768:8:1$salt$hex` and `pbkdf2:sha256:600000$salt$hex`. The salt is
 * used as text.
 */
export const werkzeugFormat: HashFormat = {
  looksLike: /^(?:scrypt|pbkdf2):/,
  read: (stored) => {
    const parts = stored.split('$')
    if (parts.length !== 3) unreadable("it is not a hash in Werkzeug's form")
    const [method = '', salt = '', hash = ''] = parts
    const [name, ...costs] = method.split(':')
    const saltBytes = readTextSalt(salt)
    const expected = readHex(hash, minHashBytes, maxHashBytes)
    if (name === 'scrypt' && costs.length === 3) {
      const [n, blockSize, lanes] = costs
      const scryptCosts = readScryptCosts(readLogN(n), blockSize, lanes)
      return scryptHash(scryptCosts, saltBytes, expected)
    }
    if (name !== 'pbkdf2' || costs.length !== 2) unreadable('its method is incomplete')
    const [digest = '', iterations] = costs
    return pbkdf2Hash(digest, iterations, saltBytes, expected)
  },
}
