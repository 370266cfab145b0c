import * as crypto from 'node:crypto'
import * as zlib from 'node:zlib'

const alphabet = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'
const secretLength = 43 // 256 bits in base62
const checksumLength = 6 // 32 bits in base62
const pattern = /^cu_[a-z]{1,16}_[0-9A-Za-z]{49}$/

/** The secret of a new API key: `cu_`, the environment, `_`, 32 random bytes in base62 and their checksum. */
export function createApiKeySecret(environment: string): string {
  const body = `cu_${environment}_${toBase62(BigInt(`0x${crypto.randomBytes(32).toString('hex')}`), secretLength)}`
  return body + checksumOf(body)
}

/** Whether a text can be an API key: the checksum spares a look-up for a typo. */
export function isApiKeySecret(text: string): boolean {
  return (
    pattern.test(text) && checksumOf(text.slice(0, -checksumLength)) === text.slice(-checksumLength)
  )
}

/** The stored hash, by which a key is found. */
export function hashApiKeySecret(secret: string): string {
  return crypto.hash('sha256', secret, 'base64url')
}

/** The prefix by which people tell keys apart: six characters of the secret, which leave 220 bits unknown. */
export function prefixOfApiKeySecret(secret: string): string {
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
