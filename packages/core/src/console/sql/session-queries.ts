import type { Db } from '../../sql/db.ts'
import type { ConsoleStore } from '../store.ts'

type Sessions = Pick<ConsoleStore, 'addSession' | 'hasSession' | 'endSession'>

export function createSessionQueries(db: Db): Sessions {
  const insertSession = db.statement<{ hash: string; expiresAt: number }>()((queries, value) =>
    queries
      .insertInto('clientele_console_sessions')
      .values({ hash: value('hash'), expires_at: value('expiresAt') }),
  )
  const deleteExpired = db.statement<{ now: number }>()((queries, value) =>
    queries.deleteFrom('clientele_console_sessions').where('expires_at', '<=', value('now')),
  )
  const selectSession = db.statement<{ hash: string; now: number }>()((queries, value) =>
    queries
      .selectFrom('clientele_console_sessions')
      .select('hash')
      .where('hash', '=', value('hash'))
      .where('expires_at', '>', value('now')),
  )
  const deleteSession = db.statement<{ hash: string }>()((queries, value) =>
    queries.deleteFrom('clientele_console_sessions').where('hash', '=', value('hash')),
  )
  return {
    addSession: async (hash, expiresAt, now) => {
      await db.query(deleteExpired, { now })
      await db.query(insertSession, { hash, expiresAt })
    },
    hasSession: async (hash, now) =>
      (await db.queryOne(selectSession, { hash, now })) !== undefined,
    endSession: async (hash) => {
      await db.query(deleteSession, { hash })
    },
  }
}
