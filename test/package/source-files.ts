import { globSync, readFileSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { runsEveryTest } from '../support/slow-tests.ts'

export const root = join(import.meta.dirname, '../..')

/** Where a compiler finds our packages: in their sources, which are always there, or as a host does, in what is built. */
export const packagePaths: Record<string, string[]> = runsEveryTest
  ? {}
  : {
      '@clientele/core': [join(root, 'packages/core/src/index.ts')],
      '@clientele/core/*': [join(root, 'packages/core/src/*.ts')],
      '@clientele/*': [join(root, 'packages/*/src/index.ts')],
    }

export interface SourceFile {
  /** `core/sql/migrate.ts`: the package, and the path below its `src` */
  name: string
  packageName: string
  /** Lines that are neither empty nor a comment */
  codeLines: number
  imports: {
    /** As it is written: `kysely`, `@clientele/core`, `./errors.ts` */
    specifier: string
    /** For a file of the same package its name, else undefined */
    file: string | undefined
    isTypeOnly: boolean
    /** Loaded when the program comes to it */
    isDynamic: boolean
  }[]
}

/** Apps that are copied to hosts: they import what a host does. */
const copied = 'packages/create-clientele/src/app/**'

/** Every source file of the packages, or of a pattern of paths, with what it imports. */
export function readSourceFiles(pattern = 'packages/*/src/**/*.ts'): SourceFile[] {
  return globSync(pattern, { cwd: root, exclude: [copied] }).map((path) => {
    const text = readFileSync(join(root, path), 'utf8')
    const [, packageName = ''] = path.split('/')
    return {
      name: nameOf(path),
      packageName,
      codeLines: text.split('\n').filter((line) => !/^\s*(\/\/|\/\*|\*|$)/.test(line)).length,
      imports: [...text.matchAll(importPattern)].map(([, isType, clause = '', bare, dynamic]) => {
        const specifier = bare ?? dynamic ?? ''
        return {
          specifier,
          file: specifier.startsWith('.')
            ? nameOf(relative(root, join(root, dirname(path), specifier)))
            : undefined,
          isTypeOnly:
            isType !== undefined ||
            /^\{(\s*type [^,}]+,?)+\s*\}$/.test(clause.replace(/from\s+$/, '').trim()),
          isDynamic: dynamic !== undefined,
        }
      }),
    }
  })
}

const importPattern =
  /^(?:import|export)\s+(type\s)?([^'";]*?from\s+)?'([^']+)'|\bimport\('([^']+)'\)/gm

function nameOf(path: string): string {
  return path.replace(/^packages\/([^/]+)\/src\//, '$1/')
}
