import { existsSync, readFileSync } from 'node:fs'
import { expect } from 'vitest'
import { runSql } from '../support/run-sql.ts'

/** All that a copy of the database has, in small letters. On SQLite the bytes of its files, deleted rows included. */
export async function dump(url: string): Promise<string> {
  if (url.startsWith('sqlite:')) {
    // While another connection copies or reads the log, it stays, with pages from before.
    const truncate = () => runSql(url, 'pragma wal_checkpoint(truncate)')
    await expect.poll(truncate).toMatchObject([{ busy: 0 }])
    const file = url.slice('sqlite:'.length)
    const files = [file, `${file}-wal`].filter((each) => existsSync(each))
    return files
      .map((each) => readFileSync(each).toString('latin1'))
      .join('')
      .toLowerCase()
  }
  const tables = (await runSql(
    url,
    "select tablename from pg_tables where tablename like 'clientele_%'",
  )) as { tablename: string }[] // what the statement selects
  const rows: unknown[] = []
  for (const { tablename } of tables)
    rows.push(...(await runSql(url, `select t::text as "row" from ${tablename} as t`)))
  return JSON.stringify(rows).toLowerCase()
}
