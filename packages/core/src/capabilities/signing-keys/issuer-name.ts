/** The path of the public documents of accounts. */
export const accountPath = '/client/account'

/** `iss` of an account's tokens: the URL of its documents, or a URN without a `publicUrl`. */
export function issuerOf(publicUrl: string | undefined, accountId: string): string {
  return publicUrl === undefined
    ? `urn:clientele:account:${accountId}`
    : `${publicUrl}${accountPath}/${accountId}`
}
