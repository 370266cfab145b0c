import { globSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import ts from 'typescript'
import { root } from './source-files.ts'

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

/** What each entry point of each package exports, by its built declarations; sorted by name. */
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
              file: join(root, dirname(path), target.types),
            },
      )
    })
  const { config } = ts.readConfigFile(join(root, 'tsconfig.base.json'), ts.sys.readFile)
  const { options } = ts.convertCompilerOptionsFromJson(config.compilerOptions, root)
  const program = ts.createProgram(
    entries.map(({ file }) => file),
    options,
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
