import { pbkdf2, timingSafeEqual } from 'node:crypto'
import { costOfPbkdf2, type Pbkdf2Digest } from './hash-cost.ts'
import {
  type HashFormat,
  maxHashBytes,
  maxSaltBytes,
  minHashBytes,
  readBase64,
  readNumber,
  readParameters,
  type StoredHash,
  unreadable,
  type VerifyPassword,
} from './hash-format.ts'

/** Takes some seconds; Django's default exceeded one million in 2024. */
const maxIterations = 10_000_000
const digestBytes: Record<Pbkdf2Digest, number> = { sha1: 20, sha256: 32, sha512: 64 }

/**
 * PBKDF2 (RFC 8018) in PHC string format (`$pbkdf2-sha256$i=600000,l=32$salt$hash`) and in passlib's
 * (`$pbkdf2-sha256$29000$salt$hash`; `$pbkdf2$` is SHA-1).
 */
export const pbkdf2Format: HashFormat = {
  looksLike: /^\$pbkdf2[$-]/,
  read: (stored) => {
    const match = /^\$pbkdf2(?:-(sha1|sha256|sha512))?\$([^$]+)\$([^$]+)\$([^$]+)$/.exec(stored)
    const [, digest = 'sha1', costs = '', salt = '', hash = ''] =
      match ?? unreadable('it is not a PBKDF2 hash with SHA-1, SHA-256 or SHA-512')
    const expected = readBase64(hash, minHashBytes, maxHashBytes)
    let iterations: string | undefined = costs
    if (costs.includes('=')) {
      const values = readParameters(costs, ['i', 'l'])
      iterations = values.get('i')
      const length = values.get('l')
      if (length !== undefined && length !== String(expected.length))
        unreadable('its length differs from the stated one')
    }
    const saltBytes = readBase64(salt, 1, maxSaltBytes)
    return pbkdf2Hash(digest, iterations, saltBytes, expected)
  },
}

/** @throws UnreadableHash when the digest is unknown or the costs are too high */
export function pbkdf2Hash(
  digest: string,
  iterationsText: string | undefined,
  salt: Buffer,
  expected: Buffer,
): StoredHash {
  if (!isDigest(digest)) unreadable('its digest is not known')
  const iterations = readNumber(iterationsText, 'number of iterations', 1, maxIterations)
  // Each block of output costs all iterations again.
  const blocks = Math.ceil(expected.length / digestBytes[digest])
  if (iterations * blocks > maxIterations) unreadable('it costs more than is allowed')
  const verify: VerifyPassword = (password) =>
    new Promise((resolve, reject) => {
      pbkdf2(password, salt, iterations, expected.length, digest, (error, key) => {
        if (error === null) resolve(timingSafeEqual(key, expected))
        else reject(error)
      })
    })
  return { verify, cost: costOfPbkdf2(digest, iterations, blocks) }
}

function isDigest(name: string): name is Pbkdf2Digest {
  return Object.hasOwn(digestBytes, name)
}
