import { existsSync } from 'node:fs'
import Sqlite from 'better-sqlite3'
import { Client } from 'pg'
import { expect, test } from 'vitest'
import { databases, type OpenDatabase } from './databases.ts'

const read: Record<string, (url: string, query: string) => Promise<unknown>> = {
  sqlite: async (url, query) => {
    const database = new Sqlite(url.slice('sqlite:'.length))
    try {
      return database.prepare(query).get()
    } finally {
      database.close()
    }
  },
  postgres: async (url, query) => {
    const client = new Client({ connectionString: url })
    await client.connect()
    try {
      return (await client.query(query)).rows[0]
    } finally {
      await client.end()
    }
  },
}

const tables = {
  sqlite: "select count(*) as count from sqlite_schema where name = 'clientele_users'",
  postgres:
    "select count(*)::int as count from information_schema.tables where table_name = 'clientele_users'",
}

test.each(databases)('$name opens an empty database, and one with our tables', async (database) => {
  const { name, open, openEmpty } = database
  const first = await openEmpty()
  const second = await open()
  try {
    expect(first.url).not.toBe(second.url)
    expect(await read[name]?.(first.url, tables[name])).toEqual({ count: 0 })
    expect(await read[name]?.(second.url, tables[name])).toEqual({ count: 1 })
  } finally {
    await Promise.all([first.close(), second.close()])
  }
  expect(await isThere(name, first)).toBe(false)
})

async function isThere(name: string, { url }: OpenDatabase): Promise<boolean> {
  if (name === 'sqlite') return existsSync(url.slice('sqlite:'.length))
  return await (read[name]?.(url, 'select 1') ?? Promise.resolve()).then(
    () => true,
    () => false,
  )
}
