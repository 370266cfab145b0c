import { randomBytes, randomInt, randomUUID } from 'node:crypto'
import { createAccountSecret, isAccountSecret } from '../../base/crypto/account-secret.ts'

const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-([0-9a-f])[0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12}$/i
const jwt = /^(eyJ[\w-]+)\.([\w-]+\.[\w-]+)$/
const minLength = 8
const digits = '0123456789'
const lower = 'abcdefghijklmnopqrstuvwxyz'
const kinds = [/^\p{Lu}$/u, /^\p{Ll}$/u, /^\p{Lo}$/u, /^\p{Nd}$/u]
/** So near in Unicode are letters of the same script, and all ASCII letters of the same case. */
const nearby = 32

/**
 * Makes a value of the same form as an object's that exists nowhere: its response shows what "not found" looks like. A long
 * text without letters and digits is returned as it is.
 */
export function makeAbsent(value: string): string {
  // With a right checksum, as a token of another account has
  if (isAccountSecret('cut', value)) return createAccountSecret('cut', 'live', randomUUID())
  const version = uuid.exec(value)?.[1]
  if (version !== undefined)
    return `${randomUUID().slice(0, 14)}${version}${randomUUID().slice(15)}`
  const [, head, rest] = jwt.exec(value) ?? []
  if (head !== undefined) return `${withOtherKey(head)}.${rest}`
  if (/^\d+$/.test(value)) return `9${pick(digits, Math.max(minLength, value.length - 1))}`
  if (/^[0-9a-f]{16,}$/.test(value))
    return randomBytes(value.length).toString('hex').slice(0, value.length)
  const [, start = '', middle = '', end = ''] = /^((?:[a-z]+_)*)([^@]*)(@.*)?$/s.exec(value) ?? []
  const replaced = Array.from(middle, replaceCharacter).join('')
  return `${start}${replaced}${pick(lower, Math.max(0, minLength - replaced.length))}${end}`
}

/** A token with an unknown key id has no valid signature. */
function withOtherKey(head: string): string {
  const { kid, ...header } = JSON.parse(Buffer.from(head, 'base64url').toString())
  const other = { ...header, kid: makeAbsent(String(kid ?? '')) }
  return Buffer.from(JSON.stringify(other)).toString('base64url')
}

/** Another letter of the same script and case, or another digit; other characters stay. */
function replaceCharacter(character: string): string {
  const kind = kinds.find((one) => one.test(character))
  if (kind === undefined) return character
  const point = character.codePointAt(0) ?? 0
  const others = Array.from({ length: 2 * nearby + 1 }, (_, index) =>
    String.fromCodePoint(Math.max(0, point - nearby + index)),
  ).filter((other) => other !== character && kind.test(other) && other.normalize() === other)
  return others[randomInt(Math.max(1, others.length))] ?? character
}

function pick(alphabet: string, count: number): string {
  return Array.from({ length: count }, () => alphabet[randomInt(alphabet.length)]).join('')
}
