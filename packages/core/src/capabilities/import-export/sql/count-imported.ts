import type { Db } from '../../../sql/db.ts'
import { run, type Transaction } from '../../../sql/statement.ts'
import { idsIn } from './user-parts.ts'

/**
 * Counts new users; the counts are folded later. A user who was deleted a moment ago and is created again under the
 * same id has a count already.
 */
export function createCountImported(db: Db) {
  const takeDeltas = db.statement<{ accountId: string; users: string }>()((queries, value) =>
    queries
      .deleteFrom('clientele_user_count_deltas')
      .where('account_id', '=', value('accountId'))
      .where((of) =>
        db.features.isAmong(
          of.ref('user_id'),
          of.selectFrom(idsIn(db, value('users'))).select('r.user_id'),
        ),
      )
      .returning(['user_id', 'delta']),
  )
  const insertDeltas = db.statement<{ accountId: string; deltas: string }>()((queries, value) =>
    queries
      .insertInto('clientele_user_count_deltas')
      .columns(['account_id', 'user_id', 'delta'])
      .expression((of) =>
        of
          .selectFrom(
            db.features
              .recordsOfJsonArray<{ user_id: string; delta: number }>(value('deltas'), {
                user_id: 'id',
                delta: 'counter',
              })
              .as('r'),
          )
          .select([db.typed(value('accountId'), 'id').as('account_id'), 'r.user_id', 'r.delta']),
      ),
  )

  return function* count(accountId: string, ids: Iterable<string>): Transaction<void> {
    const sums = new Map([...ids].map((id) => [id, 1]))
    if (sums.size === 0) return
    const users = JSON.stringify([...sums.keys()].map((user_id) => ({ user_id })))
    for (const { user_id, delta } of yield* run(takeDeltas, { accountId, users }))
      sums.set(user_id, (sums.get(user_id) ?? 0) + delta)
    const deltas = [...sums].flatMap(([user_id, delta]) =>
      delta === 0 ? [] : [{ user_id, delta }],
    )
    if (deltas.length > 0) yield* run(insertDeltas, { accountId, deltas: JSON.stringify(deltas) })
  }
}
