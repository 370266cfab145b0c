import { sql } from 'kysely'
import { FairLimit } from '../../base/runtime/fair-limit.ts'
import { latestEnd, maxSetBackMs } from '../../base/runtime/latest-end.ts'
import type { UserCounts } from '../../capabilities/users/counts/sql/user-counts.ts'
import type { Db } from '../../sql/db.ts'
import { createIsStored } from '../../sql/is-stored.ts'
import { run, type Transaction } from '../../sql/statement.ts'
import { linkSeconds, maxLifeMs } from '../lives.ts'
import type { ConsoleSessionName, ConsoleStore } from '../store.ts'
import { createFigureQueries } from './figure-queries.ts'

/** Separates the holder from the rest of a session's name; hashes do not contain it. */
const separator = '.'
/** The next character in the column's sort order */
const afterSeparator = '/'

const deletedAtOnce = 1_000

export function createConsoleStore(db: Db, counts: UserCounts): ConsoleStore {
  const insertLink = db.statement<{ hash: string; expiresAt: number }>()((queries, value) =>
    queries
      .insertInto('clientele_console_links')
      .values({ hash: value('hash'), expires_at: value('expiresAt') }),
  )
  const deleteLink = db.statement<{ hash: string; now: number; latest: number }>()(
    (queries, value) =>
      queries
        .deleteFrom('clientele_console_links')
        .where('hash', '=', value('hash'))
        .where('expires_at', '>', value('now'))
        .where('expires_at', '<=', value('latest'))
        .returning('hash'),
  )
  const selectLinks = db.statement<{ hashes: string }>()((queries, value) =>
    queries
      .selectFrom('clientele_console_links')
      .select('hash')
      .where((of) =>
        db.features.isAmong(
          of.ref('hash'),
          of.selectFrom(db.features.textsOfJsonArray(value('hashes')).as('h')).select('h.value'),
        ),
      ),
  )
  const isStoredLink = createIsStored(async (hashes) => {
    const rows = await db.query(selectLinks, { hashes: JSON.stringify(hashes) })
    return rows.map(({ hash }) => hash)
  })
  /** By account: sign-ins that end the same old sessions wait for each other, and would all keep a connection meanwhile. */
  const signIns = new FairLimit({
    atOnce: Number.POSITIVE_INFINITY,
    atOncePerKey: 1,
    maxWaiting: 100,
    retryAfterSeconds: 1,
  })
  const insertSession = db.statement<{ hash: string; expiresAt: number }>()((queries, value) =>
    queries
      .insertInto('clientele_console_sessions')
      .values({ hash: value('hash'), expires_at: value('expiresAt') }),
  )
  const deleteOldest = db.statement<{ from: string; to: string; most: number; latest: number }>()(
    (queries, value) =>
      queries.deleteFrom('clientele_console_sessions').where('hash', 'in', (of) =>
        of
          .selectFrom('clientele_console_sessions')
          .select('hash')
          .where('hash', '>', value('from'))
          .where('hash', '<', value('to'))
          // Those of a time when the clock was ahead end last, and are over.
          .orderBy((of) => of.case().when('expires_at', '>', value('latest')).then(1).else(0).end())
          .orderBy('expires_at', 'desc')
          .orderBy('hash')
          // SQLite has no offset without a limit.
          .limit(sql.lit(deletedAtOnce))
          .offset(value('most')),
      ),
  )
  const selectSession = db.statement<{ hash: string; now: number; latest: number }>()(
    (queries, value) =>
      queries
        .selectFrom('clientele_console_sessions')
        .select('hash')
        .where('hash', '=', value('hash'))
        .where('expires_at', '>', value('now'))
        .where('expires_at', '<=', value('latest')),
  )
  const deleteSession = db.statement<{ hash: string }>()((queries, value) =>
    queries.deleteFrom('clientele_console_sessions').where('hash', '=', value('hash')),
  )
  return {
    ...createFigureQueries(db.reads, counts),
    addLink: async (hash, expiresAt) => {
      await db.query(insertLink, { hash, expiresAt })
    },
    takeLink: async (hash, now) =>
      // In the process of SQLite a deletion that finds nothing costs no more than the search.
      (db.features.isInProcess || (await isStoredLink(hash))) &&
      (await db.queryOne(deleteLink, { hash, now, latest: latestEnd(now, linkSeconds * 1000) })) !==
        undefined,
    addSession: (session, expiresAt, limit) => {
      const add = () =>
        db.transact(function* (): Transaction<void> {
          yield* run(insertSession, { hash: nameOf(session), expiresAt })
          if (limit === undefined) return
          const [from, to] = [session.holder + separator, session.holder + afterSeparator]
          const latest = expiresAt + maxSetBackMs
          yield* run(deleteOldest, { from, to, most: limit.most, latest })
        })
      return limit === undefined ? add() : signIns.run(limit.accountId, add)
    },
    hasSession: async (session, now) =>
      (await db.queryOne(selectSession, {
        hash: nameOf(session),
        now,
        latest: latestEnd(now, maxLifeMs),
      })) !== undefined,
    endSession: async (session) => {
      await db.query(deleteSession, { hash: nameOf(session) })
    },
  }
}

/** A session's name begins with its holder: a holder's sessions are one range of the primary key. */
function nameOf({ holder, hash }: ConsoleSessionName): string {
  return holder + separator + hash
}
