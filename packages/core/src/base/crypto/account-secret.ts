import * as crypto from 'node:crypto'
import * as zlib from 'node:zlib'
import { lowestId } from '../input/id.ts'

const alphabet = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'
const accountLength = 22 // 128 bits in base62
const secretLength = 43 // 256 bits in base62
const checksumLength = 6 // 32 bits in base62

/** The kinds of secrets that name their account: API keys, and tokens that belong to users */
export type AccountSecretKind = 'cu' | 'cut'

/** Older API keys have no account in their text. */
const patterns: Record<AccountSecretKind, RegExp> = {
  cu: /^cu_[a-z]{1,16}_(?:[0-9A-Za-z]{22})?[0-9A-Za-z]{49}$/,
  cut: /^cut_[a-z]{1,16}_[0-9A-Za-z]{71}$/,
}

/**
 * A new secret: its kind, the environment, the account's id and 32 random bytes in base62, and their checksum. The account
 * is in the text, so that a distributed database is asked in one place.
 */
export function createAccountSecret(
  kind: AccountSecretKind,
  environment: string,
  accountId: string,
): string {
  const account = toBase62(BigInt(`0x${accountId.replaceAll('-', '')}`), accountLength)
  const secret = toBase62(BigInt(`0x${crypto.randomBytes(32).toString('hex')}`), secretLength)
  const body = `${kind}_${environment}_${account}${secret}`
  return body + checksumOf(body)
}

/** Whether a text can be a secret of this kind: the checksum spares a look-up for a typo. */
export function isAccountSecret(kind: AccountSecretKind, text: string): boolean {
  return (
    patterns[kind].test(text) &&
    checksumOf(text.slice(0, -checksumLength)) === text.slice(-checksumLength)
  )
}

/**
 * The account in the text of a secret; undefined for an older API key. Digits that are no id yield the lowest id, which no
 * account has.
 */
export function accountOfSecret(secret: string): string | undefined {
  const start = secret.lastIndexOf('_') + 1
  if (secret.length - start === secretLength + checksumLength) return undefined
  const digits = fromBase62(secret.slice(start, start + accountLength)).toString(16)
  if (digits.length > 32) return lowestId
  const hex = digits.padStart(32, '0')
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`
}

/** The stored hash, by which a secret is found. */
export function hashAccountSecret(secret: string): string {
  return crypto.hash('sha256', secret, 'base64url')
}

/** The prefix by which people tell secrets apart: six characters of the random part, which leave 220 bits unknown. */
export function prefixOfSecret(secret: string): string {
  return `${secret.slice(0, secret.length - secretLength - checksumLength + 6)}…`
}

/** `crc32` is not imported by name: on an old Node without it the import would fail before the message about Node. */
function checksumOf(body: string): string {
  let rest = zlib.crc32(body)
  let text = ''
  while (text.length < checksumLength) {
    text = alphabet.charAt(rest % 62) + text
    rest = Math.floor(rest / 62)
  }
  return text
}

function toBase62(value: bigint, length: number): string {
  let rest = value
  let text = ''
  while (text.length < length) {
    text = alphabet.charAt(Number(rest % 62n)) + text
    rest /= 62n
  }
  return text
}

/** Eight digits at a time fit into a number: that takes fewer steps with large ones. */
function fromBase62(text: string): bigint {
  let value = 0n
  for (let at = 0; at < text.length; at += 8) {
    const part = text.slice(at, at + 8)
    let rest = 0
    for (const digit of part) rest = rest * 62 + alphabet.indexOf(digit)
    value = value * 62n ** BigInt(part.length) + BigInt(rest)
  }
  return value
}
