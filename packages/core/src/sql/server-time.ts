import type { Db } from './db.ts'

/** Makes the function that reads the time of the database's server; undefined where it has no clock of its own. */
export function createReadTime(db: Db): (() => Promise<number>) | undefined {
  const { serverTime } = db.features
  if (serverTime === undefined) return undefined
  const selectTime = db.statement<object>()((queries) =>
    queries.selectNoFrom(serverTime.as('time')),
  )
  return async () => Number((await db.queryOne(selectTime, {}))?.time)
}
