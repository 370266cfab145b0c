import { once } from 'node:events'
import { type AddressInfo, createServer, type Server } from 'node:net'

/** @throws Error that names the setting to change: `PORT` and `HOST`, or those that begin with `prefix` */
export async function listen(
  server: Server,
  { port, host }: { port: number; host: string },
  prefix = '',
): Promise<AddressInfo> {
  server.listen(port, host)
  await once(server, 'listening').catch((error: unknown) => {
    const setting = `${prefix}${nameSetting(error)}`
    const reason =
      systemCode(error) === 'EADDRINUSE'
        ? `port ${port} is in use. End that program, or set ${setting} to another port.`
        : describe(error)
    throw new Error(`${setting} cannot be listened on: ${reason}`, { cause: error })
  })
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('The server has no port.')
  return address
}

/**
 * Tries the port before anything is made that would be left behind.
 *
 * @throws Error as `listen`
 */
export async function assertPortIsFree(settings: { port: number; host: string }): Promise<void> {
  const server = createServer()
  await listen(server, settings)
  await new Promise((resolve) => server.close(resolve))
}

/** A port in use or without permission is an error of the port; other errors are errors of the address. */
function nameSetting(error: unknown): 'PORT' | 'HOST' {
  const code = systemCode(error)
  return code === 'EADDRINUSE' || code === 'EACCES' ? 'PORT' : 'HOST'
}

function systemCode(error: unknown): unknown {
  return error instanceof Error && 'code' in error ? error.code : undefined
}

function describe(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}
