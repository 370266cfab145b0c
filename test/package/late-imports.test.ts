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

/** What Node takes each file for that a package's late imports lead to, `module` or `commonjs`, by what is imported. */
function readFormats(packageName: string, specifiers: string[]): Record<string, string> {
  const script = `
import { registerHooks } from 'node:module'
const formats = {}
const urls = new Map(${JSON.stringify(specifiers)}.map((name) => [import.meta.resolve(name), name]))
registerHooks({
  load(loaded, context, nextLoad) {
    const result = nextLoad(loaded, context)
    if (urls.has(loaded)) formats[urls.get(loaded)] = result.format
    return result
  },
})
for (const url of urls.keys()) await import(url)
console.log(JSON.stringify(formats))`
  const options = { cwd: join(root, 'packages', packageName), encoding: 'utf8' } as const
  const args = ['--input-type=module', '--eval', script]
  return JSON.parse(execFileSync(process.execPath, args, options))
}

const formats = new Map(
  [...Map.groupBy(lateImports, ({ packageName }) => packageName)].map(([name, each]) => {
    const specifiers = new Set(each.map(({ specifier }) => specifier))
    return [name, readFormats(name, [...specifiers])]
  }),
)

test('the late imports are read', () => {
  const specifiers = lateImports.map(({ specifier }) => specifier)
  expect(specifiers).toEqual(expect.arrayContaining(['otpauth', 'uqr', 'cli-progress']))
})

// A bundler gives `import()` of a CommonJS package its default export alone: `new Webhook()` failed that way, in what
// was shipped and not where it was tested.
test.each(lateImports)('$packageName loads $specifier late, and finds its names', (each) => {
  const format = formats.get(each.packageName)?.[each.specifier]
  expect(each.takesDefault ? 'module' : format).toBe('module')
})
