import { sql } from 'kysely'
import type { Db } from '../../../sql/db.ts'
import { repeatInParts } from '../../../sql/repeat-in-parts.ts'
import type { UserKey } from '../../users/store.ts'

/** How many sessions one statement changes. */
const sessionsAtOnce = 100

/**
 * Puts a user's id in the place of the user's addresses where they name who acts as another user. In parts, because one
 * person may have opened any number of sessions.
 */
export function createRenameActor(db: Db): (user: UserKey) => Promise<void> {
  const { isAmong, textsOfJsonArray } = db.features
  const selectActed = db.statement<UserKey>()((queries, value) => {
    const emails = queries
      .selectFrom('clientele_users')
      .select('email')
      .where('account_id', '=', value('accountId'))
      .where('id', '=', value('userId'))
      .unionAll(
        queries
          .selectFrom('clientele_former_emails')
          .select('email')
          .where('account_id', '=', value('accountId'))
          .where('user_id', '=', value('userId')),
      )
    return queries
      .selectFrom('clientele_sessions')
      .select('id')
      .where('account_id', '=', value('accountId'))
      .where('impersonated_by', 'is not', null)
      .where((of) => isAmong(of.ref('actor_email').$notNull(), emails))
      .limit(sql.lit(sessionsAtOnce))
  })
  const rename = db.statement<UserKey & { ids: string }>()((queries, value) =>
    queries
      .updateTable('clientele_sessions')
      .set({ impersonated_by: db.typed(value('userId'), 'text'), actor_email: null })
      .where('account_id', '=', value('accountId'))
      .where((of) =>
        isAmong(
          of.ref('id'),
          of
            .selectFrom(textsOfJsonArray(value('ids')).as('i'))
            .select(db.typed(sql.ref<string>('i.value'), 'id').as('id')),
        ),
      ),
  )

  return async (user) => {
    await repeatInParts(sessionsAtOnce, async () => {
      const found = await db.scan(selectActed, user)
      if (found.length > 0)
        await db.query(rename, { ...user, ids: JSON.stringify(found.map(({ id }) => id)) })
      return found.length
    })
  }
}
