/** Where what is about an account, and public, stands. */
export const accountPath = '/client/account'

/** `iss` of an account's tokens: where its documents are, or a name where nobody outside knows the service by an address. */
export function issuerOf(publicUrl: string | undefined, accountId: string): string {
  return publicUrl === undefined
    ? `urn:clientele:account:${accountId}`
    : `${publicUrl}${accountPath}/${accountId}`
}
