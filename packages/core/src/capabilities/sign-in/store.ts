export interface SignInStore {
  /**
   * Uses up an ID token, by its digest; returns false when it was used before. Of several concurrent calls one
   * succeeds.
   *
   * @param expiresAt milliseconds since the epoch: after that the token is refused anyway
   */
  useIdToken(accountId: string, digest: string, expiresAt: number): Promise<boolean>
}
