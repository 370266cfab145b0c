import { createOpaqueToken, hashOpaqueToken } from '../base/crypto/opaque-token.ts'
import { linkSeconds } from './lives.ts'
import type { ConsoleServices } from './services.ts'

/** Opens an operator's session in the console, once. */
export interface ConsoleLink {
  /** A secret of 256 random bits */
  token: string
  /** Its path below the mount: `/client/console/#link=…`. Browsers do not send the part after `#`. */
  path: string
  /** Ten minutes from now */
  expiresAt: Date
}

export async function createLink({ repository, clock }: ConsoleServices): Promise<ConsoleLink> {
  const token = createOpaqueToken()
  const now = clock()
  const expiresAt = now + linkSeconds * 1000
  await repository.console.addLink(hashOpaqueToken(token), expiresAt)
  return { token, path: `/client/console/#link=${token}`, expiresAt: new Date(expiresAt) }
}

/** Uses up a link; returns whether it was valid. */
export function takeLink({ repository, clock }: ConsoleServices, token: string): Promise<boolean> {
  return repository.console.takeLink(hashOpaqueToken(token), clock())
}
