import { costOfBcrypt } from './hash-cost.ts'
import { type HashFormat, readNumber, type StoredHash, unreadable } from './hash-format.ts'

/** 2^15 rounds take about two seconds. */
const maxCost = 15
const comparedBytes = 72
const pattern =
  /^(\$2[aby]\$(\d\d)\$[./A-Za-z0-9]{21})([./A-Za-z0-9])([./A-Za-z0-9]{30})([./A-Za-z0-9])$/
const alphabet = './ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789'

/** bcrypt: `$2b$12$` and 53 characters. As in every bcrypt only the first 72 bytes of the password count. */
export const bcryptFormat: HashFormat = {
  looksLike: /^\$2[aby]\$/,
  read: (stored) => ({
    ...readBcrypt(stored, (password) => password),
    isExact: (password) => Buffer.byteLength(password) <= comparedBytes,
  }),
}

/** bcrypt of a digest of the password: some systems hash the password first, so that more than 72 bytes of it count. */
export function readBcrypt(stored: string, prepare: (password: string) => string): StoredHash {
  const [, head = '', cost = '', saltEnd = '', digest = '', end = ''] =
    pattern.exec(stored) ?? unreadable('it is not a complete bcrypt hash')
  const hash = head + clear(saltEnd, 0b110000) + digest + clear(end, 0b111100)
  const logRounds = readNumber(cost.replace(/^0/, ''), 'cost', 4, maxCost)
  return {
    cost: costOfBcrypt(logRounds),
    verify: async (password) => {
      // Loaded on first use: most applications never import such a hash.
      const { verifyBcrypt } = await import('./verify-bcrypt.ts')
      return verifyBcrypt(prepare(password), hash)
    },
  }
}

/** Some systems have set bits behind the 128 of the salt and the 184 of the digest. Others ignore them, the library does not. */
function clear(character: string, mask: number): string {
  return alphabet.charAt(alphabet.indexOf(character) & mask)
}
