import { createCipheriv, timingSafeEqual } from 'node:crypto'
import {
  type HashFormat,
  maxHashBytes,
  maxSaltBytes,
  minHashBytes,
  readBase64,
  readParameters,
  unreadable,
} from './hash-format.ts'
import { computeScrypt, costOfScryptWith, readScryptCosts } from './scrypt-format.ts'

const ourParameters = ['ln', 'r', 'ss', 'sk']
const supabaseParameters = ['v', 'n', 'r', 'p', 'ss', 'sk']

/**
 * Firebase Authentication's modified scrypt, in a PHC-like form of our own, since Firebase exports a project's
 * parameters apart from its users:
 *
 * `$firebase-scrypt$ln=<mem_cost>,r=<rounds>,ss=<base64_salt_separator>,sk=<base64_signer_key>$<salt>$<passwordHash>`
 *
 * All four texts are base64 as Firebase writes them. The password's scrypt key encrypts the project's signer key, and
 * the result is the hash. Supabase stores the hashes of imported Firebase users in its own format, which is supported,
 * too: `$fbscrypt$v=1,n=14,r=8,p=1,ss=…,sk=…$salt$hash`.
 */
export const firebaseFormat: HashFormat = {
  looksLike: /^\$(?:firebase-scrypt|fbscrypt)\$/,
  read: (stored) => {
    const parts = stored.split('$')
    if (parts.length !== 5) unreadable('it does not have the form of a Firebase hash')
    const [, name, parameters = '', salt = '', hash = ''] = parts
    const isSupabase = name === 'fbscrypt'
    const names = isSupabase ? supabaseParameters : ourParameters
    const values = readParameters(parameters, names)
    if (isSupabase && values.get('v') !== '1') unreadable('its version is not known')
    const logN = values.get(isSupabase ? 'n' : 'ln')
    const costs = readScryptCosts(logN, values.get('r'), values.get('p') ?? '1')
    const separator = readBase64(values.get('ss') ?? '', 0, maxSaltBytes)
    const signerKey = readBase64(values.get('sk') ?? '', minHashBytes, maxHashBytes)
    const saltBytes = Buffer.concat([readBase64(salt, 1, maxSaltBytes), separator])
    const expected = readBase64(hash, minHashBytes, maxHashBytes)
    if (expected.length !== signerKey.length)
      unreadable('its hash and its signer key differ in length')
    return {
      cost: costOfScryptWith(costs),
      verify: async (password) => {
        const key = await computeScrypt(password, saltBytes, 32, costs)
        const cipher = createCipheriv('aes-256-ctr', key, Buffer.alloc(16))
        return timingSafeEqual(Buffer.concat([cipher.update(signerKey), cipher.final()]), expected)
      },
    }
  },
}
