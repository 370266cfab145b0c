import { z } from 'zod'
import { ClienteleError } from '../base/errors.ts'
import type { Method, Route } from '../http/route.ts'
import { defineScimRoute } from './define-scim-route.ts'
import { findScimRoot, type Resource, respondWithList, respondWithScim } from './resource.ts'
import { describeService, listResourceTypes, listSchemas } from './schemas.ts'
import type { ScimRoutesServices } from './services.ts'

const pathSchema = z.object({ id: z.string() })

/** The documents that describe the service (RFC 7644, section 4), and the parts of SCIM that are not offered. */
export function createDiscoveryRoutes(services: ScimRoutesServices): Route[] {
  return [
    defineScimRoute({
      id: 'describeScim',
      method: 'GET',
      path: '/ServiceProviderConfig',
      handle: async (context) =>
        respondWithScim(200, describeService(findScimRoot(services, context))),
    }),
    ...listed(services, 'Schemas', listSchemas),
    ...listed(services, 'ResourceTypes', listResourceTypes),
    ...(['GET', 'POST', 'PUT', 'PATCH', 'DELETE'] as const).map((method) =>
      notOffered(method, '/Me', 'The caller is an API key, not a user: /Me is not offered.'),
    ),
    notOffered('POST', '/Bulk', 'Bulk operations are not offered: send one request for each.'),
  ]
}

/** The routes of a list of documents, and of each by its id. */
function listed(
  services: ScimRoutesServices,
  name: string,
  list: (root: string) => Resource[],
): Route[] {
  return [
    defineScimRoute({
      id: `listScim${name}`,
      method: 'GET',
      path: `/${name}`,
      handle: async (context) => {
        const documents = list(findScimRoot(services, context)).map((each) => JSON.stringify(each))
        return respondWithList(documents, 1, documents.length)
      },
    }),
    defineScimRoute({
      id: `findScim${name}`,
      method: 'GET',
      path: `/${name}/{id}`,
      pathSchema,
      handle: async (context, { path }) => {
        const documents = list(findScimRoot(services, context))
        const found = documents.find(({ id }) => String(id).toLowerCase() === path.id.toLowerCase())
        if (found === undefined) throw new ClienteleError('route_not_found')
        return respondWithScim(200, found)
      },
    }),
  ]
}

function notOffered(method: Method, path: string, message: string): Route {
  return defineScimRoute({
    id: `scimNotOffered${method}${path.slice(1)}`,
    method,
    path,
    handle: async () => {
      throw new ClienteleError('scim_not_offered', message)
    },
  })
}
