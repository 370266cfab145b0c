import type { Db } from '../../sql/db.ts'
import { userColumns } from '../../sql/rows.ts'

/** Finds the users whom a batch names, by their e-mails and by their ids; lists come as JSON. */
export function createImportLookUps(db: Db) {
  const { features } = db
  const emailsTaken = db.statement<{ accountId: string; emails: string }>()((queries, value) =>
    queries
      .selectFrom('clientele_users')
      .select(['id', 'email'])
      .where('account_id', '=', value('accountId'))
      .where('email', 'in', (of) =>
        of.selectFrom(features.textsOfJsonArray(value('emails')).as('e')).select('e.value'),
      ),
  )
  const idsTaken = db.statement<{ accountId: string; ids: string }>()((queries, value) =>
    queries
      .selectFrom('clientele_users')
      .select(['id', 'email'])
      .where('account_id', '=', value('accountId'))
      .where('id', 'in', (of) =>
        of
          .selectFrom(
            features.recordsOfJsonArray<{ id: string }>(value('ids'), { id: 'id' }).as('r'),
          )
          .select('r.id'),
      ),
  )
  /** With all that an import can change. Nobody else changes them, or signs one of them in, until the transaction ends. */
  const lockKnown = db.statement<{ accountId: string; ids: string }>()((queries, value) =>
    queries
      .selectFrom('clientele_users as u')
      .select(userColumns)
      .select('u.password_hash')
      .select((of) =>
        of
          .selectFrom('clientele_verified_emails as v')
          .select('v.verified_at')
          .whereRef('v.account_id', '=', 'u.account_id')
          .whereRef('v.user_id', '=', 'u.id')
          .whereRef('v.email', '=', 'u.email')
          .as('verified_at'),
      )
      .where('u.account_id', '=', value('accountId'))
      .where('u.id', 'in', (of) =>
        of
          .selectFrom(
            features.recordsOfJsonArray<{ id: string }>(value('ids'), { id: 'id' }).as('r'),
          )
          .select('r.id'),
      )
      .orderBy('u.id')
      .$if(db.features.hasConcurrentWriters, (locked) => locked.forUpdate()),
  )
  return { emailsTaken, idsTaken, lockKnown }
}
