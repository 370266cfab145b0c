import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import ts from 'typescript'
import { expect, test } from 'vitest'
import { root } from './source-files.ts'

const options: ts.CompilerOptions = {
  ...{ strict: true, exactOptionalPropertyTypes: true, skipLibCheck: false, noEmit: true },
  ...{ module: ts.ModuleKind.NodeNext, target: ts.ScriptTarget.ES2024 },
  types: [],
}

/** What the compiler has read once: the programs have nearly everything in common. */
const parsed = new Map<string, ts.SourceFile | undefined>()

/** What the compiler says of a program of one file, whether it was saved or not. */
function compile(
  source: string,
  name: string = join(root, 'test/app.ts'),
  others: ts.CompilerOptions = {},
): string[] {
  const given = { ...options, ...others }
  const host = ts.createCompilerHost(given)
  const { getSourceFile, fileExists, readFile } = host
  host.fileExists = (path) => path === name || fileExists(path)
  host.readFile = (path) => (path === name ? source : readFile(path))
  host.getSourceFile = (path, version) => {
    if (path === name) return ts.createSourceFile(path, source, version)
    if (!parsed.has(path)) parsed.set(path, getSourceFile.call(host, path, version))
    return parsed.get(path)
  }
  const program = ts.createProgram([name], given, host)
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
// @ts-expect-error a Clientele is no text
export const wrong: string = clientele
`
  expect(compile(source)).toEqual([])
})

test('the adapter for fetch compiles without the types of Node', { timeout: 60_000 }, () => {
  const file = join(root, 'packages/fetch/src/index.ts')
  const wrong = '// @ts-expect-error there is no Node\nexport const wrong = process.pid\n'
  expect(compile(readFileSync(file, 'utf8') + wrong, file)).toEqual([])
})

const cookies = readFileSync(join(root, 'packages/core/guides/cookies.md'), 'utf8')
test.each(['Express', 'Fastify', 'Koa'])(
  'the program with cookies for %s compiles',
  { timeout: 60_000 },
  (framework) => {
    const section = cookies.split(/^## /m).find((part) => part.startsWith(framework)) ?? ''
    const [, program = ''] = /^```ts\n(.*?)^```$/ms.exec(section) ?? []
    expect(program).toContain('clientele.auth.logIn(')
    const checked = { types: ['node'], exactOptionalPropertyTypes: false, skipLibCheck: true }
    expect(compile(program, join(root, 'test/cookies.ts'), checked)).toEqual([])
  },
)
