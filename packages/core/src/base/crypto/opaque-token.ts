import { createHash, randomBytes } from 'node:crypto'

/** A secret of 256 random bits that we hand out and keep only the hash of. */
export function createOpaqueToken(): string {
  return randomBytes(32).toString('base64url')
}

export function hashOpaqueToken(token: string): string {
  return createHash('sha256').update(token).digest('base64url')
}
