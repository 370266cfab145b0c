import { once } from 'node:events'
import { createServer, type RequestListener, type Server } from 'node:http'
import { onTestFinished } from 'vitest'

/** Serves on a free port until the test ends. */
export async function serve(listener: RequestListener): Promise<{ server: Server; port: number }> {
  const server = createServer(listener).listen(0, '127.0.0.1')
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  await once(server, 'listening')
  const address = server.address()
  return { server, port: typeof address === 'object' ? (address?.port ?? 0) : 0 }
}
