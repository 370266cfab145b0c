/** The subject of a token: found by the user and session that a JWT names, or by a token that belongs to the user. */
export type TokenSubject = SessionSubject | UserTokenSubject

/** The user and, for our own tokens, the session and the signing key. */
export interface SessionSubject {
  userId: string
  sessionId: string | null
  keyId?: string | undefined
}

/** A token that belongs to a user, by the hash of its text or, for a JWT that it was exchanged for, by its id. */
export interface UserTokenSubject {
  by: 'hash' | 'id'
  userToken: string
  /** The signing key of the JWT */
  keyId?: string | undefined
}

export function isOfUserToken(subject: TokenSubject): subject is UserTokenSubject {
  return 'userToken' in subject
}
