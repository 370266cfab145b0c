import { hash } from 'node:crypto'
import { type HttpRequest, type HttpResponse, readHeader } from './message.ts'
import { respondWithoutBody } from './render.ts'

/** A document that is the same for all: made once, as it is sent. */
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

/** Answers with a document, or with 304 where the client says that it has this one. */
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

/** A field that cannot be read names none: who asks for a document is sent it. */
function isAmong(etag: string, listed: string): boolean {
  const tags = listed.split(',').map((tag) => tag.trim())
  return tags.includes('*') || tags.includes(etag) || tags.includes(`W/${etag}`)
}
