import { cpSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { defineConfig } from 'tsup'

export default defineConfig({
  entry: {
    clientele: 'src/clientele.ts',
    main: 'src/main.ts',
    // What a thread of core runs: its place beside core's code is known to what starts it.
    'sql/sqlite/reader-thread': '../core/dist/sql/sqlite/reader-thread.js',
  },
  format: 'esm',
  target: 'node22',
  sourcemap: true,
  clean: true,
  removeNodeProtocol: false,
  // One command loads a few files instead of three hundred: it starts in half of the time.
  noExternal: [/^(?!better-sqlite3|pg|@node-rs\/|node:)/],
  // Some of what is carried asks for Node's modules by require().
  banner: {
    js: "import { createRequire as createRequireOfBundle } from 'node:module'; const require = createRequireOfBundle(import.meta.url);",
  },
  metafile: true,
  onSuccess: async () => {
    // Beside the code that reads them, as in the console's own package.
    rmSync('dist/page', { recursive: true, force: true })
    cpSync('../console/dist/page', 'dist/page', { recursive: true })
    writeNotices()
  },
})

/** The licences of what `dist` carries. */
function writeNotices(): void {
  const metafile = JSON.parse(readFileSync('dist/metafile-esm.json', 'utf8')) as {
    inputs: Record<string, unknown> // as esbuild describes it
  }
  const folders = Object.keys(metafile.inputs).flatMap(
    (file) => /^.*\/node_modules\/(?:@[^/]+\/)?[^/]+(?=\/)/.exec(file)?.[0] ?? [],
  )
  const notices = [...new Set(folders)].sort().map((folder) => {
    const name = folder.split('/node_modules/').at(-1)
    const licence = readdirSync(folder).find((file) => /^licen[cs]e/i.test(file))
    return `## ${name}\n\n${licence === undefined ? declaredLicence(folder) : readText(folder, licence)}\n`
  })
  rmSync('dist/metafile-esm.json')
  writeFileSync('dist/THIRD-PARTY-NOTICES.md', `# Third-party notices\n\n${notices.join('\n')}`)
}

/** Of a package that has no file of it, what it says of itself. */
function declaredLicence(folder: string): string {
  const { license, author, homepage } = JSON.parse(readText(folder, 'package.json'))
  if (typeof license !== 'string') throw new Error(`${folder} has no licence.`)
  return `${license}, as its package.json says. Author: ${author}. ${homepage}`
}

function readText(folder: string, file: string): string {
  return readFileSync(join(folder, file), 'utf8').trim()
}
