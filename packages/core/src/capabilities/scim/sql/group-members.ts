import { type NotNull, sql } from 'kysely'
import { lowestId } from '../../../base/input/id.ts'
import type { Db } from '../../../sql/db.ts'
import { idsInJson, toIdsJson } from '../../../sql/ids-in-json.ts'
import type { ScimStore } from '../store.ts'

/** More members are read as a scan is: each is looked up */
const queriedAtOnce = 100

export function createGroupMembers(
  db: Db,
): Pick<ScimStore, 'listMembers' | 'hasMoreMembers' | 'findCandidates'> {
  const selectMembers = db.statement<{
    accountId: string
    role: string
    limit: number
    afterId: string
  }>()((queries, value) =>
    queries
      // As many as are wanted, before their names are read: PostgreSQL may expect a hundred members of a million, and sort all.
      .selectFrom((of) =>
        of
          .selectFrom('clientele_user_roles')
          .select('user_id')
          .where('account_id', '=', value('accountId'))
          .where('role', '=', value('role'))
          .where('user_id', '>', value('afterId'))
          .orderBy('user_id')
          .limit(value('limit'))
          .as('r'),
      )
      .select('r.user_id as id')
      .select((of) =>
        of
          .selectFrom('clientele_users as u')
          .select('u.name')
          .where('u.account_id', '=', value('accountId'))
          .whereRef('u.id', '=', 'r.user_id')
          .as('name'),
      )
      // A role has its user.
      .$narrowType<{ name: NotNull }>()
      .orderBy('r.user_id'),
  )
  const selectMember = db.statement<{ accountId: string; role: string; offset: number }>()(
    (queries, value) =>
      queries
        .selectFrom('clientele_user_roles as r')
        .select('r.user_id')
        .where('r.account_id', '=', value('accountId'))
        .where('r.role', '=', value('role'))
        .orderBy('r.user_id')
        .limit(sql.lit(1))
        .offset(value('offset')),
  )
  const selectCandidates = db.statement<{ accountId: string; role: string; ids: string }>()(
    (queries, value) =>
      queries
        .selectFrom('clientele_users as u')
        .select((of) => [
          'u.id',
          // Found by key: a join may be planned as a scan of all members for each user.
          of
            .selectFrom('clientele_user_roles as r')
            .select('r.user_id')
            .where('r.account_id', '=', value('accountId'))
            .where('r.role', '=', value('role'))
            .whereRef('r.user_id', '=', 'u.id')
            .limit(sql.lit(1))
            .as('member_id'),
          of
            .selectFrom('clientele_scim_users as s')
            .select('s.user_id')
            .where('s.account_id', '=', value('accountId'))
            .whereRef('s.user_id', '=', 'u.id')
            .as('managed_id'),
        ])
        .where('u.account_id', '=', value('accountId'))
        .where((of) => db.features.isAmong(of.ref('u.id'), idsInJson(db.features, value('ids')))),
  )

  return {
    listMembers: (accountId, role, limit, afterId = lowestId) => {
      const input = { accountId, role, limit, afterId }
      return limit > queriedAtOnce ? db.scan(selectMembers, input) : db.query(selectMembers, input)
    },
    hasMoreMembers: async (accountId, role, most) =>
      (await db.queryOne(selectMember, { accountId, role, offset: most })) !== undefined,
    findCandidates: async (accountId, role, userIds) => {
      if (userIds.length === 0) return []
      const rows = await db.query(selectCandidates, { accountId, role, ids: toIdsJson(userIds) })
      return rows.map(({ id, member_id, managed_id }) => ({
        id,
        isMember: member_id !== null,
        isManaged: managed_id !== null,
      }))
    },
  }
}
