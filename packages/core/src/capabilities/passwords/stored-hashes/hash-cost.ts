/** What computing a hash once is expected to take. It is told by its parameters, and the same on every machine. */
export interface HashCost {
  milliseconds: number
  memoryBytes: number
}

/** How much a hash that is taken in may cost. */
export interface HashLimits {
  milliseconds: number
  mebibytes: number
}

const kibibyte = 1024
const mebibyte = kibibyte ** 2

/**
 * What each algorithm takes on one core of a server of 2022 (2.8 GHz), in nanoseconds of CPU time. With 250 ms these are
 * the bounds: PBKDF2 of 1,470,588 (SHA-1), 1,000,000 (SHA-256) or 250,000 (SHA-512) iterations; bcrypt of cost 12; scrypt
 * of 71 MiB for N · r · p · 128; Argon2 of 488 MiB for memory · passes; phpass of 2^16 rounds.
 */
const nanoseconds = {
  pbkdf2Iteration: { sha1: 170, sha256: 250, sha512: 1_000 },
  bcryptRound: 60_000,
  scryptByte: 3.34,
  argon2Kibibyte: 500,
  phpassRound: 2_500,
}
export type Pbkdf2Digest = keyof typeof nanoseconds.pbkdf2Iteration

/** What may come through the console and by HTTP */
export const defaultHashLimits: HashLimits = { milliseconds: 250, mebibytes: 64 }
/** What the options of an import can raise them to; what costs more than is ever computed is refused before. */
export const hashLimitCeiling: HashLimits = { milliseconds: 10_000, mebibytes: 1_024 }

/** @param blocks how many digests long the output is: each costs all iterations */
export function costOfPbkdf2(digest: Pbkdf2Digest, iterations: number, blocks: number): HashCost {
  return costOf(iterations * blocks * nanoseconds.pbkdf2Iteration[digest], kibibyte)
}

/** @param cost the binary logarithm of the number of rounds */
export function costOfBcrypt(cost: number): HashCost {
  return costOf(2 ** cost * nanoseconds.bcryptRound, 4 * kibibyte)
}

/** @param memoryBytes of one lane */
export function costOfScrypt(memoryBytes: number, lanes: number): HashCost {
  return costOf(memoryBytes * lanes * nanoseconds.scryptByte, memoryBytes)
}

export function costOfArgon2(memoryKiB: number, passes: number): HashCost {
  return costOf(memoryKiB * passes * nanoseconds.argon2Kibibyte, memoryKiB * kibibyte)
}

export function costOfPhpass(rounds: number): HashCost {
  return costOf(rounds * nanoseconds.phpassRound, kibibyte)
}

function costOf(time: number, memoryBytes: number): HashCost {
  return { milliseconds: time / 1_000_000, memoryBytes }
}

/** Why a hash is above limits; undefined when it is not. */
export function findExcess(cost: HashCost, limits: HashLimits): string | undefined {
  const { milliseconds, memoryBytes } = cost
  if (milliseconds > limits.milliseconds)
    return `to verify it takes about ${Math.ceil(milliseconds)} ms, and ${limits.milliseconds} ms are allowed here`
  if (memoryBytes > limits.mebibytes * mebibyte)
    return `to verify it takes ${Math.ceil(memoryBytes / mebibyte)} MiB, and ${limits.mebibytes} MiB are allowed here`
  return undefined
}
