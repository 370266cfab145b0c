/** Whom a token speaks of: the user and, for our own tokens, the session and the key that signed. */
export interface TokenSubject {
  userId: string
  sessionId: string | null
  keyId?: string | undefined
}
