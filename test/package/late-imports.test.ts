import { execFileSync } from 'node:child_process'
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { root } from './source-files.ts'

interface LateImport {
  packageName: string
  specifier: string
  /** Whether the line takes the default export alone */
  takesDefault: boolean
}

/** Each `import('…')` of an outside package in the packages' sources. */
const lateImports: LateImport[] = globSync('packages/*/src/**/*.{ts,tsx}', { cwd: root }).flatMap(
  (path) => {
    const text = readFileSync(join(root, path), 'utf8')
    return [...text.matchAll(/^.*\bimport\('((?!\.|node:)[^']+)'\).*$/gm)].map(
      ([line, specifier = '']) => ({
        packageName: path.split('/')[1] ?? '',
        specifier,
        takesDefault: /\{ default: \w+ \} = await import/.test(line),
      }),
    )
  },
)

/** What Node takes the file for that an import leads to: `module` or `commonjs`. */
function formatOf({ packageName, specifier }: LateImport): string {
  const script = `
import { registerHooks } from 'node:module'
const url = import.meta.resolve(${JSON.stringify(specifier)})
registerHooks({
  load(loaded, context, nextLoad) {
    const result = nextLoad(loaded, context)
    if (loaded === url) console.log(result.format)
    return result
  },
})
await import(url)`
  const options = { cwd: join(root, 'packages', packageName), encoding: 'utf8' } as const
  return execFileSync(process.execPath, ['--input-type=module', '--eval', script], options).trim()
}

test('the late imports are read', () => {
  const specifiers = lateImports.map(({ specifier }) => specifier)
  expect(specifiers).toEqual(expect.arrayContaining(['otpauth', 'uqr', 'cli-progress']))
})

// A bundler gives `import()` of a CommonJS package its default export alone: `new Webhook()` failed that way, in what
// was shipped and not where it was tested.
test.each(lateImports)('$packageName loads $specifier late, and finds its names', (each) => {
  expect(each.takesDefault ? 'module' : formatOf(each)).toBe('module')
})
