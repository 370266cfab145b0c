/** The subject of a token: the user and, for our own tokens, the session and the signing key. */
export interface TokenSubject {
  userId: string
  sessionId: string | null
  keyId?: string | undefined
}
