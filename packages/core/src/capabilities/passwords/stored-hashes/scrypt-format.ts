import { scrypt, timingSafeEqual } from 'node:crypto'
import { costOfScrypt, type HashCost } from './hash-cost.ts'
import {
  type HashFormat,
  maxHashBytes,
  maxSaltBytes,
  minHashBytes,
  readBase64,
  readNumber,
  readParameters,
  type StoredHash,
  unreadable,
} from './hash-format.ts'

/** The limit for 128 · N · r · p, the memory of one lane times the lanes. 1 GiB takes about three seconds. */
const maxWorkBytes = 1024 ** 3
const maxLogN = 24

export interface ScryptCosts {
  /** Binary logarithm of N */
  logN: number
  blockSize: number
  lanes: number
}

/** scrypt (RFC 7914) in the format of PHC and passlib: `$scrypt$ln=16,r=8,p=1$salt$hash`. */
export const scryptFormat: HashFormat = {
  looksLike: /^\$scrypt\$/,
  read: (stored) => {
    const parts = stored.split('$')
    if (parts.length !== 5) unreadable('it is not an scrypt hash in PHC string format')
    const [, , parameters = '', salt = '', hash = ''] = parts
    const values = readParameters(parameters, ['ln', 'r', 'p'])
    const costs = readScryptCosts(values.get('ln'), values.get('r'), values.get('p'))
    const saltBytes = readBase64(salt, 1, maxSaltBytes)
    return scryptHash(costs, saltBytes, readBase64(hash, minHashBytes, maxHashBytes))
  },
}

/** @throws UnreadableHash when the costs are too high */
export function readScryptCosts(
  logN: string | undefined,
  blockSize: string | undefined,
  lanes: string | undefined,
): ScryptCosts {
  const costs = {
    logN: readNumber(logN, 'ln', 1, maxLogN),
    blockSize: readNumber(blockSize, 'r', 1, 64),
    lanes: readNumber(lanes, 'p', 1, 64),
  }
  // RFC 7914, section 2: N is less than 2^(128 · r / 8).
  if (costs.logN >= 16 * costs.blockSize)
    unreadable('its N is too large for its r, and no scrypt computes that')
  if (memoryOf(costs) * costs.lanes > maxWorkBytes) unreadable('it costs more than is allowed')
  return costs
}

/** The binary logarithm of a decimal N, as text. */
export function readLogN(text: string | undefined): string {
  const logN = Math.log2(readNumber(text, 'N', 2, 2 ** maxLogN))
  if (!Number.isInteger(logN)) unreadable('its N is not a power of two')
  return String(logN)
}

export function scryptHash(costs: ScryptCosts, salt: Buffer, expected: Buffer): StoredHash {
  return {
    verify: async (password) =>
      timingSafeEqual(await computeScrypt(password, salt, expected.length, costs), expected),
    cost: costOfScryptWith(costs),
  }
}

export function costOfScryptWith(costs: ScryptCosts): HashCost {
  return costOfScrypt(memoryOf(costs), costs.lanes)
}

/** Of one lane, in bytes */
function memoryOf({ logN, blockSize }: ScryptCosts): number {
  return 128 * 2 ** logN * blockSize
}

export function computeScrypt(
  password: string,
  salt: Buffer,
  length: number,
  { logN, blockSize, lanes }: ScryptCosts,
): Promise<Buffer> {
  const options = { N: 2 ** logN, r: blockSize, p: lanes, maxmem: 2 * maxWorkBytes }
  return new Promise((resolve, reject) => {
    scrypt(password, salt, length, options, (error, key) => {
      if (error === null) resolve(key)
      else reject(error)
    })
  })
}
