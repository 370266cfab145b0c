import { z } from 'zod'
import { defineRoute, type Route } from '../http/route.ts'
import { scimPath } from './scim-path.ts'

/** A resource or a message of a client: its members are read one by one, because identity providers send more. */
export const resourceBodySchema = z.record(z.string(), z.unknown())

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
