import { createHash, createHmac, randomBytes } from 'node:crypto'

/** A secret of 256 random bits that we hand out and keep only the hash of. */
export function createOpaqueToken(): string {
  return randomBytes(32).toString('base64url')
}

export function hashOpaqueToken(token: string): string {
  return createHash('sha256').update(token).digest('base64url')
}

/**
 * The token that follows a refresh token. It takes the token, which only its holder has, and the session's seed, which
 * only the database has: the same successor can be given twice, and is stored nowhere.
 */
export function deriveSuccessor(token: string, seed: string): string {
  return createHmac('sha256', seed).update(token).digest('base64url')
}
