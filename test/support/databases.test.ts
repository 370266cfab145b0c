import { existsSync } from 'node:fs'
import Sqlite from 'better-sqlite3'
import { Client } from 'pg'
import { expect, test } from 'vitest'
import { databases, type OpenDatabase } from './databases.ts'

const read: Record<string, (url: string) => Promise<unknown>> = {
  sqlite: async (url) => {
    const database = new Sqlite(url.slice('sqlite:'.length))
    try {
      return database.prepare('select 1 as one').get()
    } finally {
      database.close()
    }
  },
  postgres: async (url) => {
    const client = new Client({ connectionString: url })
    await client.connect()
    try {
      return (await client.query('select 1 as one')).rows[0]
    } finally {
      await client.end()
    }
  },
}

test.each(databases)('$name opens a new database and removes it', async ({ name, open }) => {
  const first = await open()
  const second = await open()
  try {
    expect(first.url).not.toBe(second.url)
    expect(await read[name]?.(first.url)).toEqual({ one: 1 })
  } finally {
    await Promise.all([first.close(), second.close()])
  }
  expect(await isThere(name, first)).toBe(false)
})

async function isThere(name: string, { url }: OpenDatabase): Promise<boolean> {
  if (name === 'sqlite') return existsSync(url.slice('sqlite:'.length))
  return await (read[name]?.(url) ?? Promise.resolve()).then(
    () => true,
    () => false,
  )
}
