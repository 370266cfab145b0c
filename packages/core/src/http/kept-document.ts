import { hash } from 'node:crypto'
import { type HttpRequest, type HttpResponse, readHeader } from './message.ts'
import { respondWithoutBody } from './render.ts'

/** A document that is the same for every caller, stored in the form in which it is sent. */
export interface KeptDocument {
  text: string
  bytes: Uint8Array<ArrayBuffer>
  /** Strong (RFC 9110, section 8.8.3): a digest of the bytes */
  etag: string
}

export function keepDocument(text: string): KeptDocument {
  const bytes = Buffer.from(text)
  return { text, bytes, etag: `"${hash('sha256', bytes, 'base64url')}"` }
}

/** Returns the document, or 304 when the client already has it. */
export function respondWithKept(
  request: HttpRequest,
  { text, bytes, etag }: KeptDocument,
  contentType: string,
  caching: string,
): HttpResponse {
  const headers = { etag, 'cache-control': caching }
  if (isAmong(etag, readHeader(request, 'if-none-match') ?? ''))
    return respondWithoutBody(304, headers)
  return { status: 200, headers: { 'content-type': contentType, ...headers }, body: text, bytes }
}

/** A malformed field is ignored: the client gets the document. */
function isAmong(etag: string, listed: string): boolean {
  const tags = listed.split(',').map((tag) => tag.trim())
  return tags.includes('*') || tags.includes(etag) || tags.includes(`W/${etag}`)
}
