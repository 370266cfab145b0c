import ts from 'typescript'
import { locate } from '../pages/repository.ts'

/** What our packages export, as the compiler understands it. */
export interface Declarations {
  checker: ts.TypeChecker
  /** By the name that programs import from: `@clientele/core/sqlite` */
  modules: ReadonlyMap<string, readonly ts.Symbol[]>
  /** The exported types by their names */
  types: ReadonlyMap<string, ts.Symbol>
}

const entries: Record<string, string> = {
  '@clientele/core': 'packages/core/src/index.ts',
  '@clientele/core/sqlite': 'packages/core/src/sqlite.ts',
  '@clientele/core/postgres': 'packages/core/src/postgres.ts',
  '@clientele/core/kysely': 'packages/core/src/kysely.ts',
  '@clientele/core/database-url': 'packages/core/src/database-url.ts',
  '@clientele/core/node': 'packages/core/src/node.ts',
  '@clientele/core/node-version': 'packages/core/src/node-version.ts',
  '@clientele/core/opentelemetry': 'packages/core/src/opentelemetry.ts',
  '@clientele/core/testing': 'packages/core/src/testing.ts',
  ...Object.fromEntries(
    ['express', 'fastify', 'koa', 'fetch', 'client', 'validator', 'console', 'scim'].map((name) => [
      `@clientele/${name}`,
      `packages/${name}/src/index.ts`,
    ]),
  ),
}

/** Reads the sources: their declarations need not be built. */
export function readDeclarations(): Declarations {
  const { config } = ts.readConfigFile(locate('tsconfig.base.json'), ts.sys.readFile)
  const { options } = ts.convertCompilerOptionsFromJson(config.compilerOptions, locate('.'))
  const paths = {
    '@clientele/core': [locate('packages/core/src/index.ts')],
    '@clientele/core/*': [locate('packages/core/src/*.ts')],
    '@clientele/*': [locate('packages/*/src/index.ts')],
  }
  const files = Object.values(entries).map(locate)
  const program = ts.createProgram(files, { ...options, paths })
  const checker = program.getTypeChecker()
  const modules = new Map(
    Object.entries(entries).map(([specifier, path]) => [
      specifier,
      listExports(checker, program.getSourceFile(locate(path)), specifier),
    ]),
  )
  const types = [...modules.values()]
    .flat()
    .filter(({ flags }) => (flags & ts.SymbolFlags.Type) !== 0)
  return { checker, modules, types: new Map(types.map((symbol) => [symbol.name, symbol])) }
}

function listExports(
  checker: ts.TypeChecker,
  file: ts.SourceFile | undefined,
  specifier: string,
): ts.Symbol[] {
  const module = file && checker.getSymbolAtLocation(file)
  if (module === undefined) throw new Error(`${specifier} exports nothing.`)
  return checker
    .getExportsOfModule(module)
    .map((each) =>
      (each.flags & ts.SymbolFlags.Alias) === 0 ? each : checker.getAliasedSymbol(each),
    )
}
