import { z } from 'zod'
import { isPlainObject } from '../base/input/json.ts'
import { defineRoute, type Route } from '../http/route.ts'
import { scimPath } from './scim-path.ts'

/**
 * A resource or a message of a client: its members are read one by one, because identity providers send more. A record of
 * zod's would copy each of them.
 */
export const resourceBodySchema = z.custom<Record<string, unknown>>(isPlainObject, {
  params: { code: 'type' },
  message: 'must be an object',
})

type Given<Path, Query, Body> = Pick<
  Route<Path, Query, Body>,
  | 'id'
  | 'method'
  | 'path'
  | 'pathSchema'
  | 'querySchema'
  | 'bodySchema'
  | 'maxBodyBytes'
  | 'hasItems'
  | 'handle'
>

/** A route below `/scim/v2`. It describes itself by SCIM's schemas, and is in no OpenAPI document. */
export function defineScimRoute<Path, Query, Body>(given: Given<Path, Query, Body>): Route {
  return defineRoute({
    ...given,
    path: `${scimPath}${given.path}`,
    summary: given.id,
    tag: { name: 'SCIM', description: 'Provisioning by identity providers (RFC 7644).' },
    scope: 'scim',
    acceptsScim: true,
    // Some clients add parameters of their own.
    ignoresUnknownQuery: true,
    responses: {},
    errors: [],
  })
}
