/** The expected cost of computing a hash once, by its parameters: the same on every machine. */
export interface HashCost {
  milliseconds: number
  memoryBytes: number
}

/** The maximum cost of an imported hash. */
export interface HashLimits {
  milliseconds: number
  mebibytes: number
}

const kibibyte = 1024
const mebibyte = kibibyte ** 2

/**
 * The CPU time of each algorithm on one core of a server of 2022 (2.8 GHz), in nanoseconds. A limit of 250 ms allows:
 * PBKDF2 with 1,470,588 (SHA-1), 1,000,000 (SHA-256) or 250,000 (SHA-512) iterations; bcrypt with cost 12; scrypt with
 * 71 MiB for N · r · p · 128; Argon2 with 488 MiB for memory · passes; phpass with 2^16 rounds.
 */
const nanoseconds = {
  pbkdf2Iteration: { sha1: 170, sha256: 250, sha512: 1_000 },
  bcryptRound: 60_000,
  scryptByte: 3.34,
  argon2Kibibyte: 500,
  phpassRound: 2_500,
}
export type Pbkdf2Digest = keyof typeof nanoseconds.pbkdf2Iteration

/** The limits for the console and HTTP */
export const defaultHashLimits: HashLimits = { milliseconds: 250, mebibytes: 64 }
/** The highest limits that an import's options can set; more expensive hashes are always refused. */
export const hashLimitCeiling: HashLimits = { milliseconds: 10_000, mebibytes: 1_024 }

/** @param blocks the length of the output in digests: each costs all iterations */
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

/** Which limit a hash exceeds, and why; undefined when it exceeds none. */
export function findExcess(
  cost: HashCost,
  limits: HashLimits,
): { limit: keyof HashLimits; needed: number; message: string } | undefined {
  const milliseconds = Math.ceil(cost.milliseconds)
  const mebibytes = Math.ceil(cost.memoryBytes / mebibyte)
  if (cost.milliseconds > limits.milliseconds) {
    const message = `to verify it takes about ${milliseconds} ms, and ${limits.milliseconds} ms are allowed here`
    return { limit: 'milliseconds', needed: milliseconds, message }
  }
  if (cost.memoryBytes > limits.mebibytes * mebibyte) {
    const message = `to verify it takes ${mebibytes} MiB, and ${limits.mebibytes} MiB are allowed here`
    return { limit: 'mebibytes', needed: mebibytes, message }
  }
  return undefined
}
