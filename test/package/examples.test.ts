import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import ts from 'typescript'
import { expect, test } from 'vitest'
import { examplePages } from './document-pages.ts'
import { packagePaths, root } from './source-files.ts'

interface Example {
  /** Where it stands */
  place: string
  text: string
}

/** What an example may use without saying where it comes from: what our packages export, and a host's own. */
const context = `
import type Express from 'express'
import type { Application } from 'express'
import type { FastifyInstance } from 'fastify'
import type { ServerResponse } from 'node:http'
import type Koa from 'koa'
import type { Pool } from 'pg'
declare global {
  type CreateObserver = import('@clientele/core').CreateObserver
  const clientele: import('@clientele/core').Clientele
  const repository: import('@clientele/core').Repository
  const { createClientele, createGuard, ClienteleError, pwnedPasswords, toProblem, toRefusal }: typeof import('@clientele/core')
  const { openRepository }: typeof import('@clientele/core/database-url')
  const { consoleRoutes }: typeof import('@clientele/console')
  const { clienteleListener, sendProblem, sendResponse, takeTurns }: typeof import('@clientele/core/node')
  const { assertNodeVersion }: typeof import('@clientele/core/node-version')
  const { openTelemetry }: typeof import('@clientele/core/opentelemetry')
  const { postgres }: typeof import('@clientele/core/postgres')
  const { sqlite }: typeof import('@clientele/core/sqlite')
  const { createTestClientele, findTenantLeaks, listClienteleRoutes, routesFromOpenApi }: typeof import('@clientele/core/testing')
  const validator: import('@clientele/validator').Validator
  const pool: Pool
  const res: ServerResponse
  const connectionString: string
  const accountId: string, userId: string, keyId: string, issuerId: string, id: string, cursor: string
  const webhook: import('@clientele/core').Webhook
  const name: string, email: string, password: string, token: string
  const idToken: string, nonce: string, challenge: string
  function askForCode(qrSvg: string | undefined, secret: string): Promise<string>
  const created: import('@clientele/core').RegistrationResponse
  const used: import('@clientele/core').AuthenticationResponse
  const transport: { send(to: string, text: string): Promise<void> }
  function askClientele(path: string, body: object): Promise<Response>
  function findPerson(cookie: unknown): Promise<{ name: string; isStaff: boolean } | undefined>
  function sendWelcome(accountId: string, email: string): Promise<void>
  function welcome(accountId: string, email: string): Promise<void>
}
`
const frameworks: Record<string, string> = {
  express: 'const app: Application, express: typeof Express',
  fastify: 'const app: FastifyInstance',
  fetch:
    "const app: import('hono').Hono, routes: import('@clientele/fetch').ClienteleHandler, guard: ReturnType<typeof requireUser>",
  koa: "const app: Koa, router: { get(path: string, ...steps: Koa.Middleware<import('koa').DefaultState>[]): void }",
}

function readDocExamples(): Example[] {
  return globSync('packages/*/src/**/*.ts', { cwd: root }).flatMap((path) => {
    const comments = readFileSync(join(root, path), 'utf8').match(/\/\*\*.*?\*\//gs) ?? []
    return comments.flatMap((comment, index) =>
      comment
        .replace(/^\/\*\*|\s*\*\/$/g, '')
        .replace(/^ *\* ?/gm, '')
        .split(/^(?=@)/m)
        .filter((tag) => tag.startsWith('@example'))
        .map((tag) => ({ place: `${path} ${index}`, text: tag.slice('@example'.length) })),
    )
  })
}

function readReadmeExamples(): Example[] {
  return examplePages.flatMap((path) =>
    [...readFileSync(join(root, path), 'utf8').matchAll(/^```ts\n(.*?)^```$/gms)].map(
      ([, text = ''], index) => ({ place: `${path} ${index}`, text }),
    ),
  )
}

/** Compiles each example as a module of its own, and returns what the compiler says of it. */
function compile(examples: readonly Example[]): string[] {
  const folder = join(root, 'test/examples')
  const files = new Map<string, string>()
  const roots = examples.map(({ place, text }, index) => {
    const framework = Object.keys(frameworks).find(
      (name) => place.includes(`packages/${name}/`) || text.includes(`@clientele/${name}`),
    )
    const file = join(folder, framework ?? 'express', `example-${index}.ts`)
    files.set(file, `// ${place}\n${text}\nexport {}\n`)
    return file
  })
  return Object.entries(frameworks).flatMap(([name, own]) => {
    const contextFile = join(folder, name, 'context.ts')
    const mount = name === 'fetch' ? 'clienteleHandler' : 'clienteleRoutes'
    const answering = name === 'fetch' ? 'toErrorResponse' : 'clienteleErrors'
    const adapter = `const { ${mount}, requireUser, ${answering} }: typeof import('@clientele/${name}')`
    files.set(contextFile, context.replace(/\}\n$/, `${own}\n${adapter}\n}\n`))
    const chosen = roots.filter((file) => file.startsWith(join(folder, name)))
    // What a program registers holds for all of it: such an example is a program of its own.
    const alone = chosen.filter((file) => files.get(file)?.includes('interface Register'))
    const others = chosen.filter((file) => !alone.includes(file))
    return [others, ...alone.map((file) => [file])].flatMap((some) =>
      compileFiles([contextFile, ...some], files),
    )
  })
}

const { config } = ts.readConfigFile(join(root, 'tsconfig.base.json'), ts.sys.readFile)
const { options: baseOptions } = ts.convertCompilerOptionsFromJson(
  { ...config.compilerOptions, noUnusedLocals: false, noUnusedParameters: false },
  root,
)
const options = { ...baseOptions, paths: packagePaths }
/** What the compiler has read once, and where it has found it: the programs have nearly everything in common. */
const parsed = new Map<string, ts.SourceFile | undefined>()
const found = ts.createModuleResolutionCache(root, (name) => name, options)

function compileFiles(names: string[], files: ReadonlyMap<string, string>): string[] {
  const host = ts.createCompilerHost(options)
  const { fileExists, readFile, getSourceFile } = host
  host.fileExists = (name) => files.has(name) || fileExists(name)
  host.readFile = (name) => files.get(name) ?? readFile(name)
  host.getSourceFile = (name, target) => {
    const text = files.get(name)
    if (text !== undefined) return ts.createSourceFile(name, text, target)
    if (!parsed.has(name)) parsed.set(name, getSourceFile.call(host, name, target))
    return parsed.get(name)
  }
  host.resolveModuleNameLiterals = (literals, importer, redirected, own, file) =>
    literals.map((literal) => {
      const mode = ts.getModeForUsageLocation(file, literal, own)
      return ts.resolveModuleName(literal.text, importer, own, host, found, redirected, mode)
    })
  const program = ts.createProgram(names, options, host)
  // What an example registers holds for our sources, too, which then need not compile: only the examples are checked.
  const checked = names.flatMap((name) => program.getSourceFile(name) ?? [])
  const faults = checked.flatMap((file) => [
    ...program.getSyntacticDiagnostics(file),
    ...program.getSemanticDiagnostics(file),
  ])
  return [...program.getOptionsDiagnostics(), ...faults].map(({ file, start = 0, messageText }) => {
    const line = file?.getLineAndCharacterOfPosition(start).line ?? 0
    const [place = '', ...lines] = file?.text.split('\n') ?? []
    return `${place} ${lines[line - 1]} ${ts.flattenDiagnosticMessageText(messageText, ' ')}`
  })
}

const documented = readDocExamples()
const told = readReadmeExamples()

test('there are examples', () => {
  expect(documented.length).toBeGreaterThan(8)
  expect(told.length).toBeGreaterThan(8)
})

test('every example of the documentation comments, the READMEs and the guides compiles', () => {
  expect(compile([...documented, ...told])).toEqual([])
}, 180_000)
