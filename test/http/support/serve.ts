import { once } from 'node:events'
import { createServer, type RequestListener, type Server } from 'node:http'
import type { Server as SecureServer } from 'node:https'
import { onTestFinished } from 'vitest'

/** Serves on a free port until the test ends. */
export async function serve(listener: RequestListener): Promise<{ server: Server; port: number }> {
  const server = createServer(listener)
  return { server, port: await listen(server) }
}

/** Listens on a free port until the test ends, and returns the port. */
export async function listen(server: Server | SecureServer): Promise<number> {
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const address = server.address()
  return typeof address === 'object' ? (address?.port ?? 0) : 0
}
