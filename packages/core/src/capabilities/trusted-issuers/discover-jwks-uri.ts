import { UnreadableDocument } from '../../base/outbound/exchange/unreadable-document.ts'

/**
 * Finds the URL of an issuer's keys in its own documents: by OpenID Connect Discovery 1.0 (section 4) or, without such
 * a document, by RFC 8414 (sections 3.1 and 5).
 *
 * @param issuer a URL without query and fragment
 * @throws UnreadableDocument; any error of `read`
 */
export async function discoverJwksUri(
  issuer: string,
  read: (address: string) => Promise<unknown>,
): Promise<string> {
  const document = await readFirst(listDocuments(issuer), read)
  if (typeof document !== 'object' || document === null)
    throw new UnreadableDocument('the answer is not the metadata of an issuer')
  const named: Record<string, unknown> = { ...document }
  // A server that could answer for another issuer could sign for it.
  if (named.issuer !== issuer)
    throw new UnreadableDocument('the document is of an issuer with another name')
  if (typeof named.jwks_uri !== 'string')
    throw new UnreadableDocument('the document names no jwks_uri')
  return named.jwks_uri
}

function listDocuments(issuer: string): string[] {
  const { origin, pathname } = new URL(issuer)
  const path = pathname.replace(/\/$/, '')
  const names = ['openid-configuration', 'oauth-authorization-server']
  return [
    ...new Set([
      `${origin}${path}/.well-known/openid-configuration`,
      ...names.reverse().map((name) => `${origin}/.well-known/${name}${path}`),
    ]),
  ]
}

/** The first document that exists; a fault other than 404 does not try the next one. */
async function readFirst(
  [address = '', ...others]: string[],
  read: (address: string) => Promise<unknown>,
): Promise<unknown> {
  try {
    return await read(address)
  } catch (error) {
    const isMissing = error instanceof UnreadableDocument && error.status === 404
    if (!isMissing || others.length === 0) throw error
    return readFirst(others, read)
  }
}
