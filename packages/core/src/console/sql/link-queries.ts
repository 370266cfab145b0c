import type { Db } from '../../sql/db.ts'
import type { ConsoleStore } from '../store.ts'

export function createLinkQueries(db: Db): Pick<ConsoleStore, 'addLink' | 'takeLink'> {
  const insertLink = db.statement<{ hash: string; expiresAt: number }>()((queries, value) =>
    queries
      .insertInto('clientele_console_links')
      .values({ hash: value('hash'), expires_at: value('expiresAt') }),
  )
  const deleteLink = db.statement<{ hash: string; now: number }>()((queries, value) =>
    queries
      .deleteFrom('clientele_console_links')
      .where('hash', '=', value('hash'))
      .where('expires_at', '>', value('now'))
      .returning('hash'),
  )
  return {
    addLink: async (hash, expiresAt) => {
      await db.query(insertLink, { hash, expiresAt })
    },
    takeLink: async (hash, now) => (await db.queryOne(deleteLink, { hash, now })) !== undefined,
  }
}
