export interface SignInStore {
  /**
   * Uses an ID token up, by its digest; answers false where it has been used. Of several at once, one succeeds.
   *
   * @param expiresAt milliseconds since the epoch: from then on the token is refused anyway
   */
  useIdToken(accountId: string, digest: string, expiresAt: number): Promise<boolean>
}
