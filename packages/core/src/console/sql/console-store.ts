import type { UserCounts } from '../../capabilities/users/counts/sql/user-counts.ts'
import type { Db } from '../../sql/db.ts'
import type { ConsoleStore } from '../store.ts'
import { createFigureQueries } from './figure-queries.ts'
import { createLinkQueries } from './link-queries.ts'
import { createSessionQueries } from './session-queries.ts'

export function createConsoleStore(db: Db, counts: UserCounts): ConsoleStore {
  return {
    ...createLinkQueries(db),
    ...createSessionQueries(db),
    ...createFigureQueries(db, counts),
  }
}
