import { createHash, randomBytes } from 'node:crypto'

/** Makes a secret of 256 random bits. Only its hash is stored. */
export function createOpaqueToken(): string {
  return randomBytes(32).toString('base64url')
}

export function hashOpaqueToken(token: string): string {
  return createHash('sha256').update(token).digest('base64url')
}
