import { randomBytes } from 'node:crypto'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Choices } from './choices.ts'
import { toPackageName } from './folder.ts'
import { packageOf } from './package-of.ts'
import { readmeOf } from './readme-of.ts'

const built = dirname(fileURLToPath(import.meta.url))
const siteFiles = ['account', 'messages', 'pages', 'site', 'visitor']

/** Writes an app into a new or empty folder, and returns the names of its files. */
export function writeApp(folder: string, chosen: Choices): string[] {
  const { framework, database, language, pages } = chosen
  const ending = language === 'typescript' ? 'ts' : 'js'
  const source = (name: string) => readFileSync(join(built, 'app', `${name}.${ending}`), 'utf8')
  const versions: Record<string, string> = JSON.parse(
    readFileSync(join(built, 'versions.json'), 'utf8'),
  )
  const name = toPackageName(folder)
  const files: Record<string, string> = {
    'package.json': toJson(packageOf(name, chosen, versions)),
    'README.md': readmeOf(name, chosen),
    '.gitignore': 'node_modules/\ndata/\n.env\n',
    [`src/clientele.${ending}`]: source(
      database === 'sqlite' ? 'clientele' : 'clientele-on-postgresql',
    ),
    [`src/server.${ending}`]: source(pages === 'site' ? framework : `${framework}-routes`),
  }
  if (pages === 'site') for (const each of siteFiles) files[`src/${each}.${ending}`] = source(each)
  if (database === 'postgresql') files['.env'] = environment()
  if (language === 'typescript') files['tsconfig.json'] = toJson(tsconfig)
  for (const [path, text] of Object.entries(files)) {
    const file = join(resolve(folder), path)
    mkdirSync(dirname(file), { recursive: true })
    // What holds a secret is for its owner alone.
    writeFileSync(file, text, { flag: 'wx', mode: path === '.env' ? 0o600 : 0o666 })
  }
  return Object.keys(files)
}

const toJson = (value: object) => `${JSON.stringify(value, null, 2)}\n`

const tsconfig = {
  compilerOptions: {
    target: 'es2023',
    module: 'nodenext',
    types: ['node'],
    strict: true,
    noEmit: true,
    allowImportingTsExtensions: true,
    erasableSyntaxOnly: true,
    verbatimModuleSyntax: true,
    skipLibCheck: true,
  },
  include: ['src'],
}

function environment(): string {
  return `DATABASE_URL=postgres://postgres:postgres@127.0.0.1:5432/postgres
# Keep it secret, and keep it: what is encrypted with it cannot be read without it.
CLIENTELE_SECRET=${randomBytes(32).toString('base64url')}
`
}
