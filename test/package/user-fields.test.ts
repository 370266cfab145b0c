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
const entry = `  locale: { kind: 'text', from: 'caller', schema: z.string().max(20), empty: '' },
} as const satisfies Record<string, Field>`
/** And one migration. */
const migration = `import { sql } from 'kysely'
import type { Migration } from '../migration.ts'

export const locale: Migration = {
  name: '9999-locale',
  up: ({ schema }) => [
    schema
      .alterTable('clientele_users')
      .addColumn('locale', 'text', (column) => column.notNull().defaultTo(sql.lit(''))),
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
const { user } = await clientele.users.create(id, { ...ada, locale: 'en-GB' })
const found = await clientele.users.find(id, user.id)
const listed = await clientele.users.list(id)
const patched = await clientele.users.patch(id, user.id, { locale: 'fr' })
const reset = await clientele.users.patch(id, user.id, { locale: null })
const { password: _, ...rest } = ada
const replaced = await clientele.users.replace(id, user.id, { ...rest, locale: 'de' })
async function* records() {
  yield { line: 1, value: { name: 'Bea', email: 'bea@example.com', locale: 'it' } }
  yield { line: 2, value: { name: 'Ada', email: 'ada@example.com', locale: 'pt' } }
}
await clientele.users.import(id, records(), { onConflict: 'update' })
const exported = await Array.fromAsync(clientele.users.export(id))
const authorization = 'Bearer ' + apiKey
const answer = await clientele.handle({
  method: 'GET', url: '/client/user/' + user.id, mountPath: '', body: undefined,
  headers: { authorization }, rawHeaders: ['authorization', authorization],
})
const refused = await clientele.users.patch(id, user.id, { locale: 'x'.repeat(21) }).catch((error) => error.code)
const locales = [user, found.user, listed.data[0], patched.user, reset.user, replaced.user].map(({ locale }) => locale)
console.log(JSON.stringify({
  locales, refused,
  wire: toWire(user).locale,
  exported: exported.map(({ locale }) => locale),
  http: JSON.parse(answer.body).locale,
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
  await writeFile(join(folder, 'src/sql/migrations/9999-locale.ts'), migration)
  await edit('src/sql/migrations/migrate.ts', / = \[([^\]]+?),?\s*\]/, ' = [$1, locale]')
  await edit(
    'src/sql/migrations/migrate.ts',
    'import type { Migration }',
    "import { locale } from './9999-locale.ts'\nimport type { Migration }",
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
      locales: ['en-GB', 'en-GB', 'en-GB', 'fr', '', 'de'],
      refused: 'validation_failed',
      wire: 'en-GB',
      exported: ['pt', 'it'],
      http: 'pt',
    })
  }, 120_000)
})
