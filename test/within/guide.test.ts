import { mkdir, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import Sqlite from 'better-sqlite3'
import { Pool } from 'pg'
import ts from 'typescript'
import { expect, test } from 'vitest'
import { openClientele } from '../keys/open-clientele.ts'
import { databases } from '../support/databases.ts'

const guide = join(import.meta.dirname, '../../packages/core/guides/transactions.md')
/** Where the packages of the tests are found, and git does not look */
const folder = join(import.meta.dirname, '../node_modules/.guide')

test('every block of the guide runs, with the real libraries', async () => {
  const text = await readFile(guide, 'utf8')
  const blocks = [...text.matchAll(/^```ts\n(.*?)^```$/gms)].map(([, block = '']) => block)
  const libraries = blocks.map((block) => /from '(.+?)'/.exec(block)?.[1])
  expect(libraries).toEqual([
    undefined,
    'better-sqlite3',
    'kysely',
    'drizzle-orm/node-postgres',
    'better-sqlite3',
  ])
  await mkdir(folder, { recursive: true })
  for (const { name, open } of databases) {
    const chosen = blocks.filter((block) => block.includes('sqlite') === (name === 'sqlite'))
    const database = await open()
    const clientele = await openClientele(database.url)
    const { id: accountId } = await clientele.accounts.create({ name: 'Acme' })
    const host = name === 'sqlite' ? openFile(database.url) : openPool(database.url)
    await host.run('create table profiles (user_id text primary key, plan text)')
    // What the blocks have from their surroundings
    Object.assign(globalThis, { clientele, accountId, pool: host.pool })
    for (const [index, block] of chosen.entries()) {
      const file = join(folder, `${name}-${index}.mjs`)
      await writeFile(file, toModule(block.replace("'users.sqlite'", JSON.stringify(host.file))))
      await import(pathToFileURL(file).href)
      expect((await clientele.users.list(accountId)).total).toBe(index + 1)
    }
    const { data } = await clientele.users.list(accountId)
    const profiles = await host.run('select user_id as id from profiles')
    expect(profiles.toSorted()).toHaveLength(chosen.length)
    expect(profiles).toEqual(expect.arrayContaining(data.map(({ id }) => ({ id }))))
    await clientele.close()
    await host.close()
    await database.close()
  }
  await rm(folder, { recursive: true })
})

function toModule(block: string): string {
  const { outputText } = ts.transpileModule(block, {
    compilerOptions: { module: ts.ModuleKind.ESNext, target: ts.ScriptTarget.ES2023 },
  })
  return outputText
}

interface BlockHost {
  file: string
  pool: Pool | undefined
  run(sql: string): Promise<{ id: string }[]>
  close(): Promise<void>
}

function openFile(url: string): BlockHost {
  const file = url.slice('sqlite:'.length)
  const connection = new Sqlite(file)
  const run = async (sql: string) => {
    const statement = connection.prepare<unknown[], { id: string }>(sql)
    if (statement.reader) return statement.all()
    statement.run()
    return []
  }
  return { file, pool: undefined, run, close: async () => void connection.close() }
}

function openPool(url: string): BlockHost {
  const pool = new Pool({ connectionString: url })
  const run = async (sql: string) => (await pool.query<{ id: string }>(sql)).rows
  return { file: '', pool, run, close: () => pool.end() }
}
