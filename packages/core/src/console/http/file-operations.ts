import { z } from 'zod'
import { ClienteleError } from '../../base/errors.ts'
import { type KeptDocument, keepDocument, respondWithKept } from '../../http/kept-document.ts'
import type { HttpRequest, HttpResponse } from '../../http/message.ts'
import { respondWithoutBody } from '../../http/render.ts'
import { type ConsoleOperation, defineOperation, page } from './console-operation.ts'
import type { ConsoleOptions } from './console-options.ts'

const types: Readonly<Record<string, string>> = {
  html: 'text/html',
  js: 'text/javascript',
  css: 'text/css',
  svg: 'image/svg+xml',
}
/** A file name with a known ending: no folder, and no path out of this one */
const namePattern = /^[\w-]+(?:\.[\w-]+)*\.(js|css|svg)$/

/** The page itself. It refers to its files by relative addresses, so that it works under any prefix. */
export function createFileOperations({ readFile }: ConsoleOptions): ConsoleOperation[] {
  const kept = new Map<string, KeptDocument>()

  async function respondWithFile(
    request: HttpRequest,
    name: string,
    caching: string,
  ): Promise<HttpResponse> {
    const text = await readFile(name)
    if (text === undefined) throw new ClienteleError('route_not_found')
    let file = kept.get(name)
    if (file?.text !== text) {
      file = keepDocument(text)
      kept.set(name, file)
    }
    const type = types[name.slice(name.lastIndexOf('.') + 1)] ?? 'text/plain'
    return respondWithKept(request, file, `${type}; charset=utf-8`, caching)
  }
  return [
    defineOperation(page, {
      id: 'openConsole',
      method: 'GET',
      path: '',
      summary: 'Redirect to the page',
      handle: async () => respondWithoutBody(308, { location: 'console/' }),
    }),
    defineOperation(page, {
      id: 'readConsolePage',
      method: 'GET',
      path: '/',
      summary: 'The page',
      handle: async ({ request }) => respondWithFile(request, 'index.html', 'no-store'),
    }),
    defineOperation(page, {
      id: 'readConsoleFile',
      method: 'GET',
      path: '/assets/{name}',
      summary: 'A file of the page, whose name changes with its content',
      pathSchema: z.object({ name: z.string() }),
      handle: async ({ request }, { path: { name } }) => {
        if (!namePattern.test(name)) throw new ClienteleError('route_not_found')
        return respondWithFile(request, `assets/${name}`, 'public, max-age=31536000, immutable')
      },
    }),
  ]
}
