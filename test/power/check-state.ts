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

/** What a disk has of a database. Without a log it was lost, or had never a name. */
export interface DiskState {
  main: Buffer
  wal?: Buffer | undefined
}

/**
 * Opens a state as SQLite does after a power cut, without the index of the log, which is in memory. Returns what is
 * wrong: the file is not sound, an acknowledged step is missing, or a step is there in part.
 *
 * @param underWay the step that was being written; undefined: none
 */
export function checkState(
  folder: string,
  { main, wal }: DiskState,
  acknowledged: readonly Step[],
  underWay: Step | undefined,
): string[] {
  const file = join(folder, 'state.sqlite')
  for (const suffix of ['-shm', '-wal']) rmSync(file + suffix, { force: true })
  writeFileSync(file, main)
  if (wal !== undefined) writeFileSync(`${file}-wal`, wal)
  const database = new Sqlite(file)
  try {
    database.pragma('synchronous = OFF')
    const sound = database.pragma('integrity_check', { simple: true })
    const orphans = database.pragma('foreign_key_check') as unknown[]
    return [
      ...(sound === 'ok' ? [] : [`integrity_check: ${sound}`]),
      ...(orphans.length === 0 ? [] : [`${orphans.length} rows refer to none`]),
      ...findWrong(database, acknowledged, underWay),
    ]
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
