import type { HttpResponse } from '../http/message.ts'
import { createOpenApi } from '../openapi/openapi-route.ts'
import type { RequestHandler } from './handle-request.ts'
import type { Mountable } from './mountable.ts'

interface Below {
  /** It answers this path and paths below it */
  path: string
  /** The id of its only operation that adapters see */
  id: string
  /** Loads the code that answers, with the first request */
  load: () => Promise<RequestHandler>
}

/** Creates the object that adapters mount for what answers every path below one, and is in no OpenAPI document. */
export function mountBelow({ path, id, load }: Below): Mountable {
  let loading: Promise<RequestHandler> | undefined
  const isBelow = (url: string): boolean =>
    url.startsWith(path) && /^($|[/?])/.test(url.slice(path.length))
  return {
    operations: [{ id, method: 'GET', path }],
    openApi: createOpenApi(() => [], {}),
    handle: async (request): Promise<HttpResponse | undefined> => {
      if (!isBelow(request.url)) return undefined
      loading ??= load()
      const handle = await loading
      return handle(request)
    },
  }
}
