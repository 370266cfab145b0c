import type { HttpResponse } from '../../http/message.ts'
import type { RequestHandler } from '../../mount/handle-request.ts'
import type { Mountable } from '../../mount/mountable.ts'
import { createOpenApi } from '../../openapi/openapi-route.ts'
import type { ConsoleServices } from '../services.ts'
import { type ConsoleOptions, checkConsoleOptions } from './console-options.ts'
import { consolePath } from './console-path.ts'

/**
 * Creates the object that adapters mount for the console. The code that answers is loaded with the first request to the
 * console.
 *
 * @param handleApi answers the requests of the customers' API
 * @throws ClienteleError `configuration_invalid`
 */
export function mountConsole(
  services: ConsoleServices,
  handleApi: RequestHandler,
  options: ConsoleOptions,
): Mountable {
  checkConsoleOptions(options)
  let loading: Promise<RequestHandler> | undefined
  const load = (): Promise<RequestHandler> => {
    loading ??= import('./handle-console.ts').then(({ createConsoleHandler }) =>
      createConsoleHandler(services, handleApi, options),
    )
    return loading
  }
  return {
    // The console answers only this path and paths below it.
    operations: [{ id: 'openConsole', method: 'GET', path: consolePath }],
    // The console's operations are internal to its page.
    openApi: createOpenApi(() => [], {}),
    handle: async (request): Promise<HttpResponse | undefined> => {
      if (!isBelow(request.url)) return undefined
      const handle = await load()
      return handle(request)
    },
  }
}

function isBelow(url: string): boolean {
  return url.startsWith(consolePath) && /^($|[/?])/.test(url.slice(consolePath.length))
}
