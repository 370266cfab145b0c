import { type HashFormat, readHex, unreadable } from './hash-format.ts'
import { type ScryptCosts, scryptHash } from './scrypt-format.ts'

const costs: ScryptCosts = { logN: 14, blockSize: 16, lanes: 1 }
const hashBytes = 64

/**
 * better-auth's format: `salt:hash`, both hexadecimal, of scrypt with N = 16384, r = 16, p = 1. The salt is the text of
 * its digits, and the password is normalised to NFKC.
 */
export const betterAuthFormat: HashFormat = {
  looksLike: /^[0-9A-Fa-f]{32}:/,
  read: (stored) => {
    const parts = stored.split(':')
    if (parts.length !== 2) unreadable("it is not a hash in better-auth's form")
    const [salt = '', hash = ''] = parts
    const { verify, cost } = scryptHash(
      costs,
      Buffer.from(salt),
      readHex(hash, hashBytes, hashBytes),
    )
    return {
      cost,
      verify: (password) => verify(password.normalize('NFKC')),
      isExact: (password) => password.normalize('NFKC') === password,
    }
  },
}
