import { join } from 'node:path'
import ts from 'typescript'
import { expect, test } from 'vitest'
import { root } from './source-files.ts'

const options: ts.CompilerOptions = {
  ...{ strict: true, exactOptionalPropertyTypes: true, skipLibCheck: false, noEmit: true },
  ...{ module: ts.ModuleKind.NodeNext, target: ts.ScriptTarget.ES2024 },
  types: [],
}

/** What the compiler says of a program of one file that nobody has saved. */
function compile(source: string): string[] {
  const name = join(root, 'test/app.ts')
  const host = ts.createCompilerHost(options)
  const { getSourceFile, fileExists, readFile } = host
  host.fileExists = (path) => path === name || fileExists(path)
  host.readFile = (path) => (path === name ? source : readFile(path))
  host.getSourceFile = (path, version) =>
    path === name ? ts.createSourceFile(path, source, version) : getSourceFile(path, version)
  const program = ts.createProgram([name], options, host)
  return ts
    .getPreEmitDiagnostics(program)
    .map(({ messageText }) => ts.flattenDiagnosticMessageText(messageText, '\n'))
}

test('a program that uses the root compiles without the types of Node', { timeout: 60_000 }, () => {
  const source = `
import { createClientele, type HttpRequest, type HttpResponse } from '@clientele/core'
import { sqlite } from '@clientele/core/sqlite'
import { postgres } from '@clientele/core/postgres'

export const clientele = await createClientele({ repository: sqlite({ filename: ':memory:' }) })
export const other = postgres({ connectionString: 'postgres://127.0.0.1/users' })
export async function answer(request: Request): Promise<HttpResponse | undefined> {
  const { pathname, search } = new URL(request.url)
  const call: HttpRequest = {
    method: request.method,
    url: pathname + search,
    mountPath: '',
    headers: Object.fromEntries(request.headers),
    rawHeaders: [...request.headers].flat(),
    body: new Response(request.body).body ?? new Blob().stream(),
  }
  return clientele.handle(call)
}
`
  expect(compile(source)).toEqual([])
  expect(compile(`${source}\nexport const wrong: string = clientele`)).toHaveLength(1)
})
