import { once } from 'node:events'
import type { Server } from 'node:http'
import type { AddressInfo } from 'node:net'

/** @throws Error that names the setting to change: `PORT` and `HOST`, or those that begin with `prefix` */
export async function listen(
  server: Server,
  { port, host }: { port: number; host: string },
  prefix = '',
): Promise<AddressInfo> {
  server.listen(port, host)
  await once(server, 'listening').catch((error: unknown) => {
    throw new Error(`${prefix}${nameSetting(error)} cannot be listened on: ${describe(error)}`, {
      cause: error,
    })
  })
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('The server has no port.')
  return address
}

/** A port in use or without permission is an error of the port; other errors are errors of the address. */
function nameSetting(error: unknown): 'PORT' | 'HOST' {
  const code = error instanceof Error && 'code' in error ? error.code : undefined
  return code === 'EADDRINUSE' || code === 'EACCES' ? 'PORT' : 'HOST'
}

function describe(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}
