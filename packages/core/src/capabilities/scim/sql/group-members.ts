import type { Db } from '../../../sql/db.ts'
import { idsInJson, toIdsJson } from '../../../sql/ids-in-json.ts'
import type { ScimStore } from '../store.ts'

export function createGroupMembers(db: Db): Pick<ScimStore, 'listMembers' | 'findCandidates'> {
  const selectMembers = db.statement<{ accountId: string; role: string; limit: number }>()(
    (queries, value) =>
      queries
        .selectFrom('clientele_user_roles as r')
        .innerJoin('clientele_users as u', (join) =>
          join.on('u.account_id', '=', value('accountId')).onRef('u.id', '=', 'r.user_id'),
        )
        .select(['u.id', 'u.name'])
        .where('r.account_id', '=', value('accountId'))
        .where('r.role', '=', value('role'))
        .orderBy('r.user_id')
        .limit(value('limit')),
  )
  const selectCandidates = db.statement<{ accountId: string; role: string; ids: string }>()(
    (queries, value) =>
      queries
        .selectFrom('clientele_users as u')
        .leftJoin('clientele_user_roles as r', (join) =>
          join
            .on('r.account_id', '=', value('accountId'))
            .on('r.role', '=', value('role'))
            .onRef('r.user_id', '=', 'u.id'),
        )
        .select(['u.id', 'r.user_id as member_id'])
        .where('u.account_id', '=', value('accountId'))
        .where((of) => db.features.isAmong(of.ref('u.id'), idsInJson(db.features, value('ids')))),
  )

  return {
    listMembers: (accountId, role, limit) => db.query(selectMembers, { accountId, role, limit }),
    findCandidates: async (accountId, role, userIds) => {
      if (userIds.length === 0) return []
      const rows = await db.query(selectCandidates, { accountId, role, ids: toIdsJson(userIds) })
      return rows.map(({ id, member_id }) => ({ id, isMember: member_id !== null }))
    },
  }
}
