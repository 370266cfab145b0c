import { verify } from '@node-rs/argon2'
import { costOfArgon2 } from './hash-cost.ts'
import {
  type HashFormat,
  maxHashBytes,
  minHashBytes,
  readBase64,
  readNumber,
  toUnpadded,
  unreadable,
} from './hash-format.ts'

const maxMemoryKiB = 1024 * 1024
const maxPasses = 64
const maxLanes = 16
/** Passes over 4 GiB in total take some seconds. */
const maxWorkKiB = 4 * maxMemoryKiB
const pattern =
  /^\$(argon2(?:id|i|d))\$(?:v=(16|19)\$)?(m=(\d+),t=(\d+),p=(\d+))\$([^$]+)\$([^$]+)$/

/** Argon2 in PHC string format (RFC 9106): `$argon2id$v=19$m=19456,t=2,p=1$salt$hash`; without `v` it is version 16. */
export const argon2Format: HashFormat = {
  looksLike: /^\$argon2(?:id|i|d)\$/,
  read: (stored) => {
    const [, type, version, parameters, memory, passes, lanes, salt, hash] =
      pattern.exec(stored) ?? unreadable('it is not an Argon2 hash in PHC string format')
    const memoryKiB = readNumber(memory, 'memory', 8, maxMemoryKiB)
    const passCount = readNumber(passes, 'number of passes', 1, maxPasses)
    if (memoryKiB * passCount > maxWorkKiB) unreadable('it costs more than is allowed')
    if (readNumber(lanes, 'number of lanes', 1, maxLanes) * 8 > memoryKiB)
      unreadable('its memory is too small for its lanes')
    const texts = [
      readBase64(salt ?? '', 8, 64),
      readBase64(hash ?? '', minHashBytes, maxHashBytes),
    ].map(toUnpadded)
    const whole = `$${type}$v=${version ?? '16'}$${parameters}$${texts.join('$')}`
    return {
      verify: (password) => verify(whole, password),
      cost: costOfArgon2(memoryKiB, passCount),
    }
  },
}
