import { pbkdf2, timingSafeEqual } from 'node:crypto'
import {
  type HashFormat,
  maxHashBytes,
  maxSaltBytes,
  minHashBytes,
  readBase64,
  readNumber,
  readParameters,
  unreadable,
  type VerifyPassword,
} from './hash-format.ts'

/** Some seconds; Django's default passed one million in 2024. */
const maxIterations = 10_000_000
const digests: Record<string, { digest: string; bytes: number }> = {
  '': { digest: 'sha1', bytes: 20 },
  sha1: { digest: 'sha1', bytes: 20 },
  sha256: { digest: 'sha256', bytes: 32 },
  sha512: { digest: 'sha512', bytes: 64 },
}

/**
 * PBKDF2 (RFC 8018) in PHC string format (`$pbkdf2-sha256$i=600000,l=32$salt$hash`) and in passlib's
 * (`$pbkdf2-sha256$29000$salt$hash`; `$pbkdf2$` is SHA-1).
 */
export const pbkdf2Format: HashFormat = {
  prefixes: ['$pbkdf2$', '$pbkdf2-'],
  read: (stored) => {
    const match = /^\$pbkdf2(?:-(sha1|sha256|sha512))?\$([^$]+)\$([^$]+)\$([^$]+)$/.exec(stored)
    const [, digest = '', costs = '', salt = '', hash = ''] =
      match ?? unreadable('it is not a PBKDF2 hash with SHA-1, SHA-256 or SHA-512')
    const expected = readBase64(hash, minHashBytes, maxHashBytes)
    let iterations: string | undefined = costs
    if (costs.includes('=')) {
      const values = readParameters(costs, ['i', 'l'])
      iterations = values.get('i')
      const length = values.get('l')
      if (length !== undefined && length !== String(expected.length))
        unreadable('its length is not the one it names')
    }
    return verifier(digest, iterations, readBase64(salt, 1, maxSaltBytes), expected)
  },
}

/** Django's PBKDF2: `pbkdf2_sha256$600000$salt$hash`; the salt is the text itself. */
export const djangoFormat: HashFormat = {
  prefixes: ['pbkdf2_sha256$', 'pbkdf2_sha1$'],
  read: (stored) => {
    const match = /^pbkdf2_(sha1|sha256)\$(\d+)\$([^$]+)\$([^$]+)$/.exec(stored)
    const [, digest = '', iterations, salt = '', hash = ''] =
      match ?? unreadable("it is not a PBKDF2 hash in Django's form")
    const saltBytes = Buffer.from(salt)
    if (saltBytes.length > maxSaltBytes) unreadable('its salt is too long')
    return verifier(digest, iterations, saltBytes, readBase64(hash, minHashBytes, maxHashBytes))
  },
}

function verifier(
  name: string,
  iterationsText: string | undefined,
  salt: Buffer,
  expected: Buffer,
): VerifyPassword {
  const { digest, bytes } = digests[name] ?? unreadable('its digest is not known')
  const iterations = readNumber(iterationsText, 'number of iterations', 1, maxIterations)
  // Every block of output costs all iterations once more.
  if (iterations * Math.ceil(expected.length / bytes) > maxIterations)
    unreadable('it costs more than is allowed')
  return (password) =>
    new Promise((resolve, reject) => {
      pbkdf2(password, salt, iterations, expected.length, digest, (error, key) => {
        if (error === null) resolve(timingSafeEqual(key, expected))
        else reject(error)
      })
    })
}
