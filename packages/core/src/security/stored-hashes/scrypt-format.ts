import { scrypt, timingSafeEqual } from 'node:crypto'
import {
  type HashFormat,
  maxHashBytes,
  maxSaltBytes,
  minHashBytes,
  readBase64,
  readNumber,
  readParameters,
  unreadable,
} from './hash-format.ts'

/** What 128 · N · r · p may come to: the memory of one lane and the work of all. 1 GiB takes about three seconds. */
const maxWorkBytes = 1024 ** 3

export interface ScryptCosts {
  /** Binary logarithm of N */
  logN: number
  blockSize: number
  lanes: number
}

/** scrypt (RFC 7914) as PHC and passlib write it: `$scrypt$ln=16,r=8,p=1$salt$hash`. */
export const scryptFormat: HashFormat = {
  prefixes: ['$scrypt$'],
  read: (stored) => {
    const parts = stored.split('$')
    if (parts.length !== 5) unreadable('it is not an scrypt hash in PHC string format')
    const [, , parameters = '', salt = '', hash = ''] = parts
    const values = readParameters(parameters, ['ln', 'r', 'p'])
    const costs = readScryptCosts(values.get('ln'), values.get('r'), values.get('p'))
    const saltBytes = readBase64(salt, 1, maxSaltBytes)
    const expected = readBase64(hash, minHashBytes, maxHashBytes)
    return async (password) =>
      timingSafeEqual(await computeScrypt(password, saltBytes, expected.length, costs), expected)
  },
}

/** @throws UnreadableHash when the costs are not allowed */
export function readScryptCosts(
  logN: string | undefined,
  blockSize: string | undefined,
  lanes: string | undefined,
): ScryptCosts {
  const costs = {
    logN: readNumber(logN, 'ln', 1, 24),
    blockSize: readNumber(blockSize, 'r', 1, 64),
    lanes: readNumber(lanes, 'p', 1, 64),
  }
  const work = 128 * 2 ** costs.logN * costs.blockSize * costs.lanes
  if (work > maxWorkBytes) unreadable('it costs more than is allowed')
  return costs
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
