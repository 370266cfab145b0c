/** The migration. */
export const migration = `import { sql } from 'kysely'
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

/** One entry in the table of fields, and the migration in its list: before each place, what is put there. */
export const edits: Record<string, readonly [place: string, put: string][]> = {
  'user-model/fields.ts': [
    [
      '} as const satisfies Record<string, Field>',
      "  language: { kind: 'text', from: 'caller', schema: z.string().max(20), empty: '' },\n",
    ],
  ],
  'sql/migrations/migrate.ts': [
    ['import type { Migration }', "import { language } from './9999-language.ts'\n"],
    [']\n\ninterface MigrationStatements', '  language,\n'],
  ],
}

/** What then works everywhere, without another line. */
export const program = `
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
