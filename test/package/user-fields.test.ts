import { execFile } from 'node:child_process'
import { cp, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { root } from './source-files.ts'

const core = join(root, 'packages/core')
const run = promisify(execFile)

/** One entry in the table of fields. */
const entry = `  language: { kind: 'text', from: 'caller', schema: z.string().max(20), empty: '' },
} as const satisfies Record<string, Field>`
/** And one migration. */
const migration = `import { sql } from 'kysely'
import type { Migration } from '../migration.ts'

export const language: Migration = {
  name: '9999-language',
  up: ({ schema }) => [
    schema
      .alterTable('clientele_users')
      .addColumn('language', 'text', (column) => column.notNull().defaultTo(sql.lit(''))),
  ],
}
`
/** What then works everywhere, without another line. */
const program = `
import { createClientele, toWire } from './src/index.ts'
import { sqlite } from './src/sqlite.ts'

const clientele = await createClientele({ repository: sqlite({ filename: ':memory:' }) })
const { id } = await clientele.accounts.create({ name: 'Acme' })
const { apiKey } = await clientele.apiKeys.create(id)
const ada = { name: 'Ada', email: 'ada@example.com', password: 'analytical' }
const { user } = await clientele.users.create(id, { ...ada, language: 'en-GB' })
const found = await clientele.users.find(id, user.id)
const listed = await clientele.users.list(id)
const patched = await clientele.users.patch(id, user.id, { language: 'fr' })
const reset = await clientele.users.patch(id, user.id, { language: null })
const { password: _, ...rest } = ada
const replaced = await clientele.users.replace(id, user.id, { ...rest, language: 'de' })
async function* records() {
  yield { line: 1, value: { name: 'Bea', email: 'bea@example.com', language: 'it' } }
  yield { line: 2, value: { name: 'Ada', email: 'ada@example.com', language: 'pt' } }
}
await clientele.users.import(id, records(), { onConflict: 'update' })
const exported = await Array.fromAsync(clientele.users.export(id))
const authorization = 'Bearer ' + apiKey
const answer = await clientele.handle({
  method: 'GET', url: '/client/user/' + user.id, mountPath: '', body: undefined,
  headers: { authorization }, rawHeaders: ['authorization', authorization],
})
const refused = await clientele.users.patch(id, user.id, { language: 'x'.repeat(21) }).catch((error) => error.code)
const languages = [user, found.user, listed.data[0], patched.user, reset.user, replaced.user].map(({ language }) => language)
console.log(JSON.stringify({
  languages, refused,
  wire: toWire(user).language,
  exported: exported.map(({ language }) => language),
  http: JSON.parse(answer.body).language,
}))
await clientele.close()
`

let folder: string
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'clientele-field-'))
  await cp(join(core, 'src'), join(folder, 'src'), { recursive: true })
  await cp(join(core, 'package.json'), join(folder, 'package.json'))
  await symlink(join(core, 'node_modules'), join(folder, 'node_modules'))
  await edit('src/user-model/fields.ts', '} as const satisfies Record<string, Field>', entry)
  await writeFile(join(folder, 'src/sql/migrations/9999-language.ts'), migration)
  await edit('src/sql/migrations/migrate.ts', / = \[([^\]]+?),?\s*\]/, ' = [$1, language]')
  await edit(
    'src/sql/migrations/migrate.ts',
    'import type { Migration }',
    "import { language } from './9999-language.ts'\nimport type { Migration }",
  )
})
afterAll(() => rm(folder, { recursive: true }))

async function edit(path: string, from: string | RegExp, to: string): Promise<void> {
  const file = join(folder, path)
  const text = await readFile(file, 'utf8')
  const edited = text.replace(from, to)
  expect(edited).not.toBe(text)
  await writeFile(file, edited)
}

describe("a user's new field is one entry and one migration", () => {
  test('no other code fails to compile', async () => {
    const typeRoots = [join(root, 'node_modules/@types')]
    const extended = join(core, 'tsconfig.json')
    const config = { extends: extended, include: ['src'], compilerOptions: { typeRoots } }
    await writeFile(join(folder, 'tsconfig.json'), JSON.stringify(config))
    const compiler = join(root, 'node_modules/typescript/bin/tsc')
    const { stdout } = await run(process.execPath, [compiler, '--noEmit', '-p', folder]).catch(
      (error: { stdout: string }) => error,
    )
    expect(stdout).toBe('')
  }, 300_000)

  test('the field is stored, read, listed, patched, imported, exported, and on the wire', async () => {
    await writeFile(join(folder, 'program.ts'), program)
    const { stdout } = await run(process.execPath, [join(folder, 'program.ts')])
    expect(JSON.parse(stdout)).toEqual({
      languages: ['en-GB', 'en-GB', 'en-GB', 'fr', '', 'de'],
      refused: 'validation_failed',
      wire: 'en-GB',
      exported: ['pt', 'it'],
      http: 'pt',
    })
  }, 120_000)
})
