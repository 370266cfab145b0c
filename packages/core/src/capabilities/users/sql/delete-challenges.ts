import type { Db } from '../../../sql/db.ts'
import type { Effect } from '../../../sql/effects.ts'
import type { UserKey } from '../store.ts'
import { deleteOfChanged } from './delete-of-changed.ts'

/** A sign-in that waits has shown what there was before its user's factors changed: it starts over. */
export function deleteChallenges(db: Db): Effect<UserKey, { account_id: string; user_id: string }> {
  return (queries, value) =>
    deleteOfChanged(db, 'clientele_challenges', queries, value('accountId'), 'user_id')
}
