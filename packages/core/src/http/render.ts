import type { HeldParts } from '../base/runtime/large-responses.ts'
import { renderUser } from '../user-model/render-user.ts'
import type { VersionedUser } from '../user-model/stored-user.ts'
import { toEntityTag } from './entity-tag.ts'
import type { HttpResponse } from './message.ts'

export const jsonType = 'application/json; charset=utf-8'

/** One JSON value per line. */
export const ndjsonType = 'application/x-ndjson'

/** Responds with lines of JSON, which are sent as they are made. */
export function respondWithLines(stream: AsyncIterable<Uint8Array<ArrayBuffer>>): HttpResponse {
  return {
    status: 200,
    headers: { 'content-type': ndjsonType, 'cache-control': 'no-store' },
    body: undefined,
    stream,
  }
}

export function respondWithJson(
  status: number,
  body: string,
  headers: Record<string, string> = {},
): HttpResponse {
  return {
    status,
    headers: { 'content-type': jsonType, 'cache-control': 'no-store', ...headers },
    body,
  }
}

/** The same with a body that is sent as it is made. */
export function respondWithJsonParts(
  status: number,
  { stream, heldBytes }: HeldParts,
  headers: Record<string, string> = {},
): HttpResponse {
  return { ...respondWithJson(status, '', headers), body: undefined, stream, heldBytes }
}

/** Caches may keep a public document for five minutes. */
export const publicCaching = 'public, max-age=300'

/** Responds with a generated public document. */
export function respondWithDocument(body: string): HttpResponse {
  return respondWithJson(200, body, { 'cache-control': publicCaching })
}

/** Responds with one user and its ETag. */
export function respondWithUser(
  status: number,
  { user, version }: VersionedUser,
  headers: Record<string, string> = {},
): HttpResponse {
  return respondWithJson(status, renderUser(user), { etag: toEntityTag(version), ...headers })
}

/** Adds the length, so that the body is not sent in chunks, and the request's id. */
export function complete(response: HttpResponse, requestId: string): HttpResponse {
  const { body, bytes, headers } = response
  headers['x-request-id'] = requestId
  if (body !== undefined)
    headers['content-length'] = String(bytes?.byteLength ?? Buffer.byteLength(body))
  return response
}

export function respondWithoutBody(
  status: number,
  headers: Record<string, string> = {},
): HttpResponse {
  return { status, headers: { 'cache-control': 'no-store', ...headers }, body: undefined }
}
