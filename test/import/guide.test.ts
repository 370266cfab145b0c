import { execFile } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { type Clientele, type ImportResult, toWire, type Wire } from '@clientele/core'
import { Client } from 'pg'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { codeOf, openClientele } from '../keys/open-clientele.ts'
import { databases, type OpenDatabase, type TestDatabase } from '../support/databases.ts'
import { logIn } from '../support/log-in.ts'
import { runCommand } from '../support/run-command.ts'
import { type Recipe, readRecipes } from './read-guide.ts'
import { sourceTables } from './source-tables.ts'

const run = promisify(execFile)
const recipes = await readRecipes()
const readLines = (text: string): unknown[] =>
  text
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line))

test('the guide has a recipe for each of the systems that it names', () => {
  expect(recipes.map(({ title }) => title)).toEqual([
    'The file',
    'From Auth0',
    'From Firebase',
    'From Supabase',
    'From better-auth',
    'From Keycloak',
    'From Django',
    'From WordPress',
    'From Devise',
    'From Meteor',
    'From ASP.NET Identity',
    'From Spring Security',
  ])
})

test.each(recipes.filter((recipe) => recipe.convert !== undefined))(
  'the guide, $title: the recipe makes the lines that are shown',
  async (recipe) => {
    const lines = await withFiles(recipe, (folder) => convert(recipe, folder))
    expect(readLines(lines)).toEqual(readLines(recipe.users))
  },
)

describe.each(recipes)('the guide, $title', (recipe) => {
  let database: OpenDatabase
  let clientele: Clientele

  beforeAll(async () => {
    database = await findDatabase('sqlite').open()
    clientele = await openClientele(database.url)
  })
  afterAll(async () => {
    await clientele.close()
    await database.close()
  })

  test('imports its lines, and the password signs in', async () => {
    const account = (await clientele.accounts.create({ name: 'Acme' })).id
    const args = recipe.importArguments.map((word) => (word === 'ID' ? account : word))
    const { output } = await withFiles(recipe, async (cwd) => {
      await writeFile(join(cwd, 'users.ndjson'), recipe.users)
      return runCommand(['--json', ...args], { DATABASE_URL: database.url }, cwd)
    })
    const lines = readLines(recipe.users)
    const result = JSON.parse(output) as Wire<ImportResult> // what the command prints
    const withoutHash = lines.filter((line) => !JSON.stringify(line).includes('"password_hash"'))
    expect(result).toMatchObject({
      imported: lines.length,
      without_password: withoutHash.length,
      skipped: 0,
      errors: [],
    })

    const { data } = await clientele.users.list(account)
    expect(data).toHaveLength(lines.length)
    for (const [index, user] of data.entries()) {
      const line = lines[index] as Record<string, unknown> // a JSON object, as it has been imported
      const { email_verified: isVerified = false, password_hash: hash } = line
      const stored = toWire(user)
      for (const name of ['email', 'name', 'roles', 'metadata', 'is_active'] as const) {
        if (line[name] !== undefined) expect(stored[name]).toEqual(line[name])
      }
      for (const name of ['created_at', 'updated_at'] as const) {
        if (typeof line[name] !== 'string') continue
        expect(Date.parse(stored[name])).toBe(Math.trunc(Date.parse(line[name])))
      }
      const verifiedAt = await clientele.users.getEmailVerifiedAt(account, user.id)
      expect(verifiedAt !== null).toBe(isVerified)
      const { email } = user
      const wrong = clientele.auth.logIn(account, { email, password: `${recipe.password}!` })
      expect(await codeOf(wrong)).toBe('credentials_invalid')
      const { password } = recipe
      if (hash !== undefined) await logIn(clientele, account, { email, password })
    }
  })
})

test('the guide, The file: CSV with columns of other names is imported', async () => {
  const recipe = recipes.find(({ mappedArguments }) => mappedArguments !== undefined)
  if (recipe?.mappedArguments === undefined) throw new Error('The guide has no such command.')
  const database = await findDatabase('sqlite').open()
  const clientele = await openClientele(database.url)
  try {
    const account = (await clientele.accounts.create({ name: 'Acme' })).id
    const args = recipe.mappedArguments.map((word) => (word === 'ID' ? account : word))
    const ended = await withFiles(recipe, (cwd) =>
      runCommand(args, { DATABASE_URL: database.url }, cwd),
    )
    expect(ended).toMatchObject({ code: 0, errors: '' })
    const { data } = await clientele.users.list(account)
    expect(data.map(({ email, name, roles }) => ({ email, name, roles }))).toEqual([
      { email: 'ada@example.com', name: 'Ada Lovelace', roles: ['admin', 'editor'] },
      { email: 'grace@example.com', name: 'Grace Hopper', roles: [] },
    ])
  } finally {
    await clientele.close()
    await database.close()
  }
})

/** Does something in a folder that has the recipe's files. */
async function withFiles<T>({ files }: Recipe, use: (folder: string) => Promise<T>): Promise<T> {
  const folder = await mkdtemp(join(tmpdir(), 'clientele-guide-'))
  try {
    for (const { file, text } of files) await writeFile(join(folder, file), text)
    return await use(folder)
  } finally {
    await rm(folder, { recursive: true })
  }
}

async function convert({ convert: words = [], files }: Recipe, folder: string): Promise<string> {
  const query = files.find(({ file }) => file.endsWith('.sql'))
  if (query === undefined) {
    const { stdout } = await run(process.execPath, words.slice(1), { cwd: folder })
    return stdout
  }
  expect(words).toEqual(expect.arrayContaining(['psql', '-XAt', '-f', query.file]))
  const source = await findDatabase('postgres').openEmpty()
  const client = new Client({ connectionString: source.url })
  try {
    await client.connect()
    await client.query("set timezone to 'UTC'")
    await client.query(sourceTables[query.file] ?? '')
    const { rows } = await client.query<unknown[]>({ text: query.text, rowMode: 'array' })
    return rows.map(([line]) => JSON.stringify(line)).join('\n')
  } finally {
    await client.end()
    await source.close()
  }
}

function findDatabase(name: TestDatabase['name']): TestDatabase {
  const database = databases.find((each) => each.name === name)
  if (database === undefined) throw new Error(`No database ${name}`)
  return database
}
