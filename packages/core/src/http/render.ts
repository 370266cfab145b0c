import { toIsoText } from '../input/instant.ts'
import { columnOf, userFieldNames, userFields } from '../users/fields.ts'
import type { StoredUser, VersionedUser } from '../users/stored-user.ts'
import { toEntityTag } from './entity-tag.ts'
import type { HttpResponse } from './message.ts'

const jsonType = 'application/json; charset=utf-8'

/** A field as it stands on the wire, with its name; what is kept as JSON is sent as it is. */
const renderers = userFieldNames.map((name, index) => {
  const head = `${index === 0 ? '{' : ','}"${columnOf(name)}":`
  const { kind } = userFields[name]
  if (kind === 'json' || kind === 'flag') return (user: StoredUser) => `${head}${user[name]}`
  if (kind === 'time') return (user: StoredUser) => `${head}"${toIsoText(Number(user[name]))}"`
  // An id is hexadecimal digits and hyphens.
  if (kind === 'id') return (user: StoredUser) => `${head}"${user[name]}"`
  return (user: StoredUser) => head + JSON.stringify(user[name])
})

/** Serialises a user: its fields, in the order of their table, whatever else an object may carry. */
export function renderUser(user: StoredUser): string {
  let text = ''
  for (const render of renderers) text += render(user)
  return `${text}}`
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

/** Answers with a public document, which caches may keep for five minutes. */
export function respondWithDocument(body: string): HttpResponse {
  return respondWithJson(200, body, { 'cache-control': 'public, max-age=300' })
}

/** Answers with one user and its ETag. */
export function respondWithUser(
  status: number,
  { user, version }: VersionedUser,
  headers: Record<string, string> = {},
): HttpResponse {
  return respondWithJson(status, renderUser(user), { etag: toEntityTag(version), ...headers })
}

/** Says how long the body is, so that it is not sent in chunks, and which request is answered. */
export function complete(response: HttpResponse, requestId: string): HttpResponse {
  const { body, headers } = response
  headers['x-request-id'] = requestId
  if (body !== undefined) headers['content-length'] = String(Buffer.byteLength(body))
  return response
}

export function respondWithoutBody(
  status: number,
  headers: Record<string, string> = {},
): HttpResponse {
  return { status, headers: { 'cache-control': 'no-store', ...headers }, body: undefined }
}
