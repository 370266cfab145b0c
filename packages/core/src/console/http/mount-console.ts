import type { RequestHandler } from '../../mount/handle-request.ts'
import { mountBelow } from '../../mount/mount-below.ts'
import type { Mountable } from '../../mount/mountable.ts'
import type { ConsoleServices } from '../services.ts'
import { type ConsoleOptions, checkConsoleOptions } from './console-options.ts'
import { consolePath } from './console-path.ts'

/**
 * Creates the object that adapters mount for the console, whose operations are internal to its page.
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
  return mountBelow({
    path: consolePath,
    id: 'openConsole',
    load: async () => {
      const { createConsoleHandler } = await import('./handle-console.ts')
      return createConsoleHandler(services, handleApi, options)
    },
  })
}
