import { once } from 'node:events'
import { createReadStream, existsSync, statSync } from 'node:fs'
import { createServer } from 'node:http'
import { extname, join } from 'node:path'

const types: Record<string, string> = {
  '.css': 'text/css',
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript',
  '.png': 'image/png',
  '.woff2': 'font/woff2',
}

/** Serves the files of a folder below a path, as any host of static files does. */
export async function serveFolder(
  folder: string,
  base: string,
): Promise<{ url: string; close(): void }> {
  const server = createServer((request, response) => {
    const { pathname } = new URL(request.url ?? '/', 'http://localhost')
    const path = join(folder, decodeURIComponent(pathname.slice(base.length)))
    const file = existsSync(path) && statSync(path).isDirectory() ? join(path, 'index.html') : path
    if (!pathname.startsWith(base) || !existsSync(file)) response.writeHead(404).end()
    else {
      response.setHeader('content-type', types[extname(file)] ?? 'text/plain; charset=utf-8')
      createReadStream(file).pipe(response)
    }
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const address = server.address()
  const port = typeof address === 'object' ? address?.port : 0
  return {
    url: `http://127.0.0.1:${port}${base}`,
    close: () => {
      server.closeAllConnections()
      server.close()
    },
  }
}
