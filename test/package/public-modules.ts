import { globSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import ts from 'typescript'
import { runsEveryTest } from '../support/slow-tests.ts'
import { packagePaths, root } from './source-files.ts'

export interface PublicModule {
  /** `@clientele/core/sqlite` */
  specifier: string
  symbols: { name: string; isValue: boolean; symbol: ts.Symbol }[]
  checker: ts.TypeChecker
}

interface Manifest {
  name: string
  exports?: Record<string, string | { types: string }>
}

/** `./dist/sqlite.d.ts` is built from `src/sqlite.ts`. */
const sourceOf = (types: string): string =>
  types.replace('/dist/', '/src/').replace(/\.d\.ts$/, '.ts')

/** What each entry point of each package exports, sorted by name: by its sources, with EVERY_TEST by its declarations. */
export function readExports(): PublicModule[] {
  const entries = globSync('packages/*/package.json', { cwd: root })
    .toSorted()
    .flatMap((path) => {
      const manifest = JSON.parse(readFileSync(join(root, path), 'utf8')) as Manifest // every manifest is one
      return Object.entries(manifest.exports ?? {}).flatMap(([below, target]) =>
        typeof target === 'string'
          ? []
          : {
              specifier: manifest.name + below.slice(1),
              file: join(
                root,
                dirname(path),
                runsEveryTest ? target.types : sourceOf(target.types),
              ),
            },
      )
    })
  const { config } = ts.readConfigFile(join(root, 'tsconfig.base.json'), ts.sys.readFile)
  const { options } = ts.convertCompilerOptionsFromJson(config.compilerOptions, root)
  const program = ts.createProgram(
    entries.map(({ file }) => file),
    { ...options, paths: packagePaths },
  )
  const checker = program.getTypeChecker()
  return entries.map(({ specifier, file }) => {
    const source = program.getSourceFile(file)
    const module = source && checker.getSymbolAtLocation(source)
    if (module === undefined) throw new Error(`${specifier} has no declarations: ${file}`)
    const symbols = checker.getExportsOfModule(module).map((exported) => {
      const isAlias = (exported.flags & ts.SymbolFlags.Alias) !== 0
      const symbol = isAlias ? checker.getAliasedSymbol(exported) : exported
      const isValue = (symbol.flags & ts.SymbolFlags.Value) !== 0
      return { name: exported.name, isValue, symbol }
    })
    return {
      specifier,
      symbols: symbols.toSorted((left, right) => (left.name < right.name ? -1 : 1)),
      checker,
    }
  })
}
