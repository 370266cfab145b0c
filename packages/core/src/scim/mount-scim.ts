import type { HttpResponse } from '../http/message.ts'
import type { RequestHandler } from '../mount/handle-request.ts'
import type { Mountable } from '../mount/mountable.ts'
import { createOpenApi } from '../openapi/openapi-route.ts'
import { scimPath } from './scim-path.ts'
import type { ScimRoutesServices } from './services.ts'

/**
 * Creates the object that adapters mount for SCIM. The code that answers is loaded with the first request.
 */
export function mountScim(services: ScimRoutesServices): Mountable {
  let loading: Promise<RequestHandler> | undefined
  const load = (): Promise<RequestHandler> => {
    loading ??= import('./handle-scim.ts').then(({ createScimHandler }) =>
      createScimHandler(services),
    )
    return loading
  }
  return {
    // SCIM answers only this path and paths below it.
    operations: [{ id: 'openScim', method: 'GET', path: scimPath }],
    // SCIM describes itself by its own schemas.
    openApi: createOpenApi(() => [], {}),
    handle: async (request): Promise<HttpResponse | undefined> => {
      if (!isBelow(request.url)) return undefined
      const handle = await load()
      return handle(request)
    },
  }
}

function isBelow(url: string): boolean {
  return url.startsWith(scimPath) && /^($|[/?])/.test(url.slice(scimPath.length))
}
