import type { HttpResponse } from '../http/message.ts'
import type { RouteContext } from '../http/route.ts'
import { scimPath, scimType } from './scim-path.ts'
import type { ScimRoutesServices } from './services.ts'

/** A resource or another message, as JSON. */
export type Resource = Record<string, unknown>

/** The URL of SCIM as the caller sees it, without a slash at its end. */
export function findScimRoot(
  { publicUrl, publicPath }: ScimRoutesServices,
  { request }: Pick<RouteContext, 'request'>,
): string {
  return `${publicUrl ?? publicPath ?? request.mountPath}${scimPath}`
}

interface Versioned {
  id: string
  version: number
  createdAt: number
  updatedAt: number
}

/** `meta` of a resource (RFC 7643, section 3.1) */
export function renderMeta(
  root: string,
  resourceType: 'User' | 'Group',
  { id, version, createdAt, updatedAt }: Versioned,
): Resource {
  return {
    resourceType,
    created: new Date(createdAt).toISOString(),
    lastModified: new Date(updatedAt).toISOString(),
    location: `${root}/${resourceType}s/${id}`,
    version: toWeakTag(version),
  }
}

/** The version of a resource as an ETag: weak, because the attributes that a caller asks for differ. */
export function toWeakTag(version: number): string {
  return `W/"${version}"`
}

export function respondWithScim(
  status: number,
  body: Resource,
  headers: Record<string, string> = {},
): HttpResponse {
  return respondWithText(status, JSON.stringify(body), headers)
}

/** A page of resources (RFC 7644, section 3.4.2), which are JSON texts already. */
export function respondWithList(
  resources: readonly string[],
  startIndex: number,
  totalResults: number,
): HttpResponse {
  const head = `"schemas":["urn:ietf:params:scim:api:messages:2.0:ListResponse"],"totalResults":${totalResults}`
  const place = `"itemsPerPage":${resources.length},"startIndex":${startIndex}`
  return respondWithText(200, `{${head},${place},"Resources":[${resources.join(',')}]}`, {})
}

function respondWithText(
  status: number,
  body: string,
  headers: Record<string, string>,
): HttpResponse {
  return {
    status,
    headers: { 'content-type': scimType, 'cache-control': 'no-store', ...headers },
    body,
  }
}
