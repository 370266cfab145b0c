import { createHash, randomInt } from 'node:crypto'
import type { Encryptor } from '../../base/crypto/encryptor.ts'

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
 * The stored form of an e-mailed code or token. The challenge is not stored, and who asked for the code knows it: the secret
 * protects so short a code against guessing by a reader of the database.
 */
export function digestMailCode(encryptor: Encryptor, challenge: string, code: string): string {
  return encryptor.digest(plainCode(code), mailPurposeOf(challenge))
}

/** Whether it is the code of this challenge that was stored */
export function isMailCode(
  encryptor: Encryptor,
  digest: string,
  challenge: string,
  code: string,
): boolean {
  return encryptor.isDigestOf(digest, plainCode(code), mailPurposeOf(challenge))
}

function mailPurposeOf(challenge: string): string {
  return `mailed code ${challenge}`
}

function plainCode(code: string): string {
  return code.replaceAll(/\s/g, '')
}
