import type { Db } from '../../../sql/db.ts'
import { idsInJson } from '../../../sql/ids-in-json.ts'
import { selectWholeUsers } from './select-whole-users.ts'

/** Finds the users that a batch names, by e-mail and by id; lists are passed as JSON. */
export function createImportLookUps(db: Db) {
  const { features } = db
  const emailsTaken = db.statement<{ accountId: string; emails: string }>()((queries, value) =>
    queries
      .selectFrom('clientele_users')
      .select(['id', 'email'])
      .where('account_id', '=', value('accountId'))
      .where((of) =>
        features.isAmong(
          of.ref('email'),
          of.selectFrom(features.textsOfJsonArray(value('emails')).as('e')).select('e.value'),
        ),
      ),
  )
  const idsTaken = db.statement<{ accountId: string; ids: string }>()((queries, value) =>
    queries
      .selectFrom('clientele_users')
      .select(['id', 'email'])
      .where('account_id', '=', value('accountId'))
      .where((of) => features.isAmong(of.ref('id'), idsInJson(features, value('ids')))),
  )
  /**
   * With all data that an import can change. Locks the users: until the transaction ends no other one changes them or
   * signs one in.
   */
  const lockKnown = db.statement<{ accountId: string; ids: string }>()((queries, value) =>
    selectWholeUsers(queries, value('accountId'))
      .where((of) => features.isAmong(of.ref('u.id'), idsInJson(features, value('ids'))))
      .$if(db.features.hasConcurrentWriters, (locked) => locked.forUpdate()),
  )
  return { emailsTaken, idsTaken, lockKnown }
}
