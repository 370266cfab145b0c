import { createHash, createHmac, randomInt, timingSafeEqual } from 'node:crypto'

// Crockford's base32: it avoids characters that look alike.
const alphabet = '0123456789abcdefghjkmnpqrstvwxyz'
const recoveryCodeCount = 10

/** Ten recovery codes of 80 bits: `7k3m-…`, four groups of four. */
export function createRecoveryCodes(): string[] {
  return Array.from({ length: recoveryCodeCount }, () => {
    const letters = Array.from({ length: 16 }, () => alphabet.charAt(randomInt(alphabet.length)))
    return letters.join('').replace(/(.{4})(?=.)/g, '$1-')
  })
}

/** The stored form of a recovery code: bound to its user; spaces, hyphens and case do not matter. */
export function hashRecoveryCode(userId: string, code: string): string {
  const plain = code
    .toLowerCase()
    .replaceAll(/[\s-]/g, '')
    .replaceAll('o', '0')
    .replaceAll(/[il]/g, '1')
  return createHash('sha256').update(`${userId} ${plain}`).digest('base64url')
}

/** The digits of a code for an e-mail. */
export function createMailCode(digits = 6): string {
  return String(randomInt(10 ** digits)).padStart(digits, '0')
}

/**
 * The stored form of an e-mailed code or token. The challenge, which is not stored, protects so short a code against guessing.
 */
export function hashMailCode(challenge: string, code: string): string {
  return createHmac('sha256', challenge).update(code.replaceAll(/\s/g, '')).digest('base64url')
}

export function isSameHash(left: string, right: string): boolean {
  return left.length === right.length && timingSafeEqual(Buffer.from(left), Buffer.from(right))
}
