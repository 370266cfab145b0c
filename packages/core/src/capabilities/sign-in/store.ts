export interface SignInStore {
  /**
   * Uses an ID token up, by its digest; answers false where it has been used. Of several at once, one succeeds.
   *
   * @param times milliseconds since the epoch; from `expiresAt` on nobody takes the token anyway
   */
  useIdToken(
    accountId: string,
    digest: string,
    times: { now: number; expiresAt: number },
  ): Promise<boolean>
}
