import { argon2Format } from './argon2-format.ts'
import { bcryptFormat } from './bcrypt-format.ts'
import {
  type HashFormat,
  maxHashBytes,
  maxSaltBytes,
  minHashBytes,
  readBase64,
  readHex,
  type StoredHash,
  unreadable,
} from './hash-format.ts'
import { pbkdf2Hash } from './pbkdf2-format.ts'
import { readScryptCosts, scryptHash } from './scrypt-format.ts'

const hashBytes = 32
const weak = ['MD4', 'MD5', 'SHA-1', 'SHA-256', 'sha256', 'ldap']

/**
 * The encoder of each id in `PasswordEncoderFactories`. The text does not contain PBKDF2's costs: Spring's defaults
 * apply.
 */
const readers = new Map<string, (text: string) => StoredHash>([
  ['bcrypt', (text) => bcryptFormat.read(text)],
  ['argon2', (text) => argon2Format.read(text)],
  ['argon2@SpringSecurity_v5_8', (text) => argon2Format.read(text)],
  ['scrypt', readScrypt],
  ['scrypt@SpringSecurity_v5_8', readScrypt],
  ['pbkdf2', (text) => readPbkdf2(text, 'sha1', '185000', 8)],
  ['pbkdf2@SpringSecurity_v5_8', (text) => readPbkdf2(text, 'sha256', '310000', 16)],
])

/** Spring Security's DelegatingPasswordEncoder: the encoder's id in braces, then its hash: `{bcrypt}$2a$10$…`. */
export const springFormat: HashFormat = {
  looksLike: /^\{[A-Za-z]/,
  read: (stored) => {
    const end = stored.indexOf('}')
    const id = stored.slice(1, end)
    if (id === 'noop') unreadable('{noop} is no hash but the password itself')
    if (weak.includes(id)) unreadable(`{${id}} is too weak to be kept`)
    const read = readers.get(id) ?? unreadable("it has none of the ids of Spring's encoders")
    return read(stored.slice(end + 1))
  },
}

/** `$e0801$salt$hash`: the costs are hexadecimal: log2 N, then r and p with 8 bits each. */
function readScrypt(text: string): StoredHash {
  const match = /^\$([0-9a-f]{5,6})\$([^$]+)\$([^$]+)$/.exec(text)
  const [, parameters = '', salt = '', hash = ''] =
    match ?? unreadable("it is not an scrypt hash in Spring's form")
  const packed = Number.parseInt(parameters, 16)
  const parts = [packed >> 16, (packed >> 8) & 255, packed & 255].map(String)
  const costs = readScryptCosts(parts[0], parts[1], parts[2])
  const saltBytes = readBase64(salt, 1, maxSaltBytes)
  return scryptHash(costs, saltBytes, readBase64(hash, minHashBytes, maxHashBytes))
}

function readPbkdf2(
  text: string,
  digest: string,
  iterations: string,
  saltBytes: number,
): StoredHash {
  const bytes = readHex(text, saltBytes + hashBytes, saltBytes + hashBytes)
  const [salt, hash] = [bytes.subarray(0, saltBytes), bytes.subarray(saltBytes)]
  return pbkdf2Hash(digest, iterations, salt, hash)
}
