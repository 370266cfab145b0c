import { rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import Sqlite from 'better-sqlite3'

/** A change, and how the user is after it. */
export interface Step {
  /** The `request_id` of its event */
  id: string
  userId: string
  /** Undefined: deleted */
  version: number | undefined
}

/** What a disk has of a database: its files, as far as they have a name. */
export interface DiskState {
  main?: Buffer | undefined
  wal?: Buffer | undefined
  journal?: Buffer | undefined
  /** Whether the secret is there, as the process had it. @default true */
  hasSecret?: boolean
}

/**
 * Opens a state as SQLite does after a power cut, without the index of the log, which is in memory. Returns what is
 * wrong: the file is not sound, an acknowledged step is missing, or a step is there in part.
 *
 * @param underWay the step that was being written; undefined: none
 */
export function checkState(
  folder: string,
  { main, wal, journal, hasSecret = true }: DiskState,
  acknowledged: readonly Step[],
  underWay: Step | undefined,
): string[] {
  if (main === undefined) return acknowledged.length === 0 ? [] : ['the database is gone']
  const file = join(folder, 'state.sqlite')
  rmSync(`${file}-shm`, { force: true })
  for (const [suffix, content] of Object.entries({ '': main, '-wal': wal, '-journal': journal })) {
    rmSync(file + suffix, { force: true })
    if (content !== undefined) writeFileSync(file + suffix, content)
  }
  const database = new Sqlite(file)
  try {
    database.pragma('synchronous = OFF')
    const sound = database.pragma('integrity_check', { simple: true })
    if (sound !== 'ok') return [`integrity_check: ${sound}`]
    const orphans = database.pragma('foreign_key_check') as unknown[]
    if (orphans.length > 0) return [`${orphans.length} rows refer to none`]
    // The first migration is one transaction.
    const tables = database.prepare("select 1 from sqlite_master where name = 'clientele_users'")
    if (tables.get() === undefined) return acknowledged.length === 0 ? [] : ['the tables are gone']
    const keys = database.prepare('select 1 from clientele_signing_keys').all()
    if (keys.length > 0 && !hasSecret) return ['a key is there without the secret']
    return findWrong(database, acknowledged, underWay)
  } catch (error) {
    return [String(error)]
  } finally {
    database.close()
  }
}

function findWrong(
  database: Sqlite.Database,
  acknowledged: readonly Step[],
  underWay: Step | undefined,
): string[] {
  const events = new Set(
    database.prepare('select request_id from clientele_events').pluck().all() as string[], // the column above
  )
  const rows = database.prepare('select id, version from clientele_users').all()
  const versions = new Map(
    (rows as { id: string; version: number }[]).map(({ id, version }) => [id, version]), // the columns above
  )
  const isDone = underWay !== undefined && events.has(underWay.id)
  const done = isDone ? [...acknowledged, underWay] : acknowledged
  const expected = new Map(done.map(({ userId, version }) => [userId, version]))
  // Where the step under way has no event, nothing else of it may be there.
  if (underWay !== undefined && !expected.has(underWay.userId))
    expected.set(underWay.userId, undefined)
  return [
    ...done.filter(({ id }) => !events.has(id)).map(({ id }) => `${id} has no event`),
    ...[...expected]
      .filter(([userId, version]) => versions.get(userId) !== version)
      .map(([userId, version]) => `${userId} is at ${versions.get(userId)}, not at ${version}`),
  ]
}
