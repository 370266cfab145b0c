import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { checkSync } from 'recheck'
import { expect, test } from 'vitest'
import { collectPatterns, type Pattern } from './collect-patterns.ts'
import { root } from './source-files.ts'

// Not in a process of its own, in Java or in machine code.
process.env.RECHECK_SYNC_BACKEND = 'pure'

const packages = join(root, 'packages')

const slashes = '/\\/+$/'
const addresses = String.raw`/[^\s@"<>(),;:=/\\]{1,64}@(?:[\p{L}\p{M}\p{N}-]+\.)+\p{N}*[\p{L}\p{M}-][\p{L}\p{M}\p{N}-]*/gu`
const hostFiles = [
  'cli/src/server/console-address.ts',
  'cli/src/server/request-listener.ts',
  'client/src/client-options.ts',
  'core/src/mount/node/clientele-listener.ts',
  'core/src/base/input/public-url.ts',
  'fastify/src/index.ts',
  'fetch/src/index.ts',
  'koa/src/index.ts',
  'validator/src/validator-options.ts',
]

/** What recheck cannot decide, or what reads only what the host has set: by file, the pattern's text, and the reason. */
const exceptions: Record<string, Record<string, string>> = {
  ...Object.fromEntries(
    hostFiles.map((file) => [file, { [slashes]: 'a URL or a path of the host' }]),
  ),
  'core/src/user-model/email-address.ts': {
    RegExp: 'an address has 320 characters at most; faults/event-loop measures it',
  },
  'cli/src/server/logging/redact.ts': {
    [addresses]:
      'from each place it looks at 64 characters, of a text that is cut; server/redaction measures it',
  },
  'core/src/testing/tenant-leaks/answer-parts.ts': {
    RegExp: "the host's own tests: literal texts between fixed ends",
  },
}

/** What is wrong with a pattern; undefined when its work grows no faster than the text. */
function findDanger({ parts }: Pattern): string | undefined {
  if (parts === undefined) return 'is made while the program runs: write it as a literal'
  const { source, flags } = parts
  // Exact, and without a limit of time: it says the same on every machine.
  const result = checkSync(source, flags, { checker: 'automaton', timeout: null })
  if (result.status === 'safe') return undefined
  return result.status === 'vulnerable' ? result.complexity.summary : result.error.kind
}

const known = new Map<string, string | undefined>()

/** The dangers in a file, and the exceptions that it needs no more. */
function lookThrough(path: string, code: string): string[] {
  const allowed = exceptions[path] ?? {}
  const patterns = collectPatterns(path, code)
  const dangers = patterns.flatMap((pattern) => {
    if (Object.hasOwn(allowed, pattern.text)) return []
    if (!known.has(pattern.text)) known.set(pattern.text, findDanger(pattern))
    const danger = known.get(pattern.text)
    return danger === undefined ? [] : [`${pattern.place} ${pattern.text}: ${danger}`]
  })
  const texts = new Set(patterns.map(({ text }) => text))
  const unused = Object.keys(allowed).filter((text) => !texts.has(text))
  return [...dangers, ...unused.map((text) => `${path} has no ${text} any more`)]
}

test('the work of every pattern in a package grows with the text, and no faster', () => {
  // The site is built from our own pages: no stranger's text comes near its patterns.
  const files = globSync('*/src/**/*.{ts,tsx}', { cwd: packages, exclude: ['website/**'] })
  expect(files.length).toBeGreaterThan(500)
  const read = (path: string): string => readFileSync(join(packages, path), 'utf8')
  expect(files.toSorted().flatMap((path) => lookThrough(path, read(path)))).toEqual([])
}, 300_000)

test.each([
  ['two runs of blanks side by side', 'const a = /^basic(?: +([A-Za-z0-9+/]*={0,2}))? *$/i'],
  ['a run that begins anywhere', "text.replace(/=+$/, '')"],
  ['a run of runs', "new RegExp('^(a+)+$', 'u')"],
  ['a text that a method makes a pattern of', "text.match('(a|a)*b')"],
  ['one that is made while the program runs', 'new RegExp(text)'],
  ['one in a template', `write(\`\${text.search(/(a*)*b/)}\`)`],
])('%s is found, by its file and its line', (_what, line) => {
  const found = lookThrough('core/src/some.ts', `const before = 1\n\n${line}\n`)
  expect(found).toEqual([expect.stringMatching(/^core\/src\/some\.ts:3 /)])
})
