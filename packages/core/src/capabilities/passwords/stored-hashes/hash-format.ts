import type { HashCost } from './hash-cost.ts'

/** Compares a password with the hash, outside of the event loop. */
export type VerifyPassword = (password: string) => Promise<boolean>

/** A parsed password hash that can be computed. */
export interface StoredHash {
  verify: VerifyPassword
  /** The cost of one comparison */
  cost: HashCost
  /** What a typed password may have been hashed as; each is compared. Absent: as it was typed */
  textsOf?(password: string): readonly string[]
  /**
   * Whether exactly this password matches the hash. In some formats several texts match: bcrypt compares 72 bytes,
   * WordPress trims, better-auth folds compatible letters. Absent: only one text matches.
   */
  isExact?(password: string): boolean
}

/** A family of password hash formats. */
export interface HashFormat {
  /** The pattern of this family, at least of its beginning */
  looksLike: RegExp
  /**
   * Parses a stored hash and its costs, without computing it.
   *
   * @throws UnreadableHash
   */
  read(stored: string): StoredHash
}

/** A stored hash that cannot or must not be computed. The message gives the reason and contains nothing of the hash. */
export class UnreadableHash extends Error {
  override readonly name = 'UnreadableHash'
}

export function unreadable(reason: string): never {
  throw new UnreadableHash(reason)
}

function unpad(base64: string): string {
  return base64.replace(/={1,2}$/, '')
}

/** Base64 without the padding `=`. */
export function toUnpadded(bytes: Buffer): string {
  return unpad(bytes.toString('base64'))
}

/** The bytes of a base64 text with or without padding, in the usual alphabet or passlib's, which has `.` for `+`. */
export function readBase64(text: string, minBytes: number, maxBytes: number): Buffer {
  const usual = unpad(text.replaceAll('.', '+'))
  const bytes = Buffer.from(usual, 'base64')
  if (toUnpadded(bytes) !== usual) unreadable('its base64 is not valid')
  return checkLength(bytes, minBytes, maxBytes)
}

/** The bytes of a hexadecimal text. */
export function readHex(text: string, minBytes: number, maxBytes: number): Buffer {
  if (!/^(?:[0-9A-Fa-f]{2})*$/.test(text)) unreadable('a part of it is not hexadecimal')
  return checkLength(Buffer.from(text, 'hex'), minBytes, maxBytes)
}

/** The bytes of a salt that is used as text. */
export function readTextSalt(text: string): Buffer {
  return checkLength(Buffer.from(text), 1, maxSaltBytes)
}

export function checkLength(bytes: Buffer, minBytes: number, maxBytes: number): Buffer {
  if (bytes.length < minBytes || bytes.length > maxBytes) {
    unreadable(`a part of it is not ${minBytes} to ${maxBytes} bytes long`)
  }
  return bytes
}

/** A whole number within bounds, without sign or leading zero. */
export function readNumber(
  text: string | undefined,
  what: string,
  minimum: number,
  maximum: number,
): number {
  if (text === undefined || !/^[1-9]\d{0,9}$/.test(text)) unreadable(`its ${what} is not a number`)
  const value = Number(text)
  if (value < minimum || value > maximum)
    unreadable(`its ${what} is not from ${minimum} to ${maximum}`)
  return value
}

/** Parses `ln=14,r=8,p=1` to a map; each name may occur once. */
export function readParameters(text: string, names: readonly string[]): Map<string, string> {
  const parameters = new Map<string, string>()
  for (const part of text.split(',')) {
    const [name = '', ...value] = part.split('=')
    if (!names.includes(name) || parameters.has(name)) unreadable('its parameters are not known')
    parameters.set(name, value.join('='))
  }
  return parameters
}

/** Shorter hashes could match by chance. */
export const minHashBytes = 16
export const maxHashBytes = 128
export const maxSaltBytes = 256
