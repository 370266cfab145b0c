import type { Db } from '../../../sql/db.ts'
import { mapRecords } from '../../../sql/record-mapper.ts'
import type { StoredScimGroup } from '../scim-group.ts'
import type { ScimStore } from '../store.ts'

export const groups = mapRecords<StoredScimGroup>()('clientele_scim_groups', 'account_id')

export interface GroupKey {
  accountId: string
  id: string
}

export function createGroupLookUps(
  db: Db,
): Pick<ScimStore, 'findGroup' | 'findGroupsOf' | 'findRenamedFrom' | 'listGroups'> {
  const selectRenamed = db.statement<{ accountId: string; role: string }>()((queries, value) =>
    queries
      .selectFrom('clientele_scim_groups')
      .select(groups.columns)
      .where('account_id', '=', value('accountId'))
      .where('former_role', '=', value('role')),
  )
  const selectGroup = db.statement<GroupKey>()((queries, value) =>
    queries
      .selectFrom('clientele_scim_groups')
      .select(groups.columns)
      .where('account_id', '=', value('accountId'))
      .where('id', '=', value('id')),
  )
  const selectGroups = db.statement<{ accountId: string }>()((queries, value) =>
    queries
      .selectFrom('clientele_scim_groups')
      .select(groups.columns)
      .where('account_id', '=', value('accountId'))
      .orderBy('id'),
  )
  const selectGroupsOf = db.statement<{ accountId: string; roleKeys: string }>()((queries, value) =>
    queries
      .selectFrom('clientele_scim_groups')
      .select(groups.columns)
      .where('account_id', '=', value('accountId'))
      .where((of) =>
        db.features.isAmong(
          of.ref('role_key'),
          of.selectFrom(db.features.textsOfJsonArray(value('roleKeys')).as('r')).select('r.value'),
        ),
      )
      .orderBy('id'),
  )

  return {
    findGroup: async (accountId, id) => {
      const row = await db.queryOne(selectGroup, { accountId, id })
      return row && groups.toRecord(row)
    },
    findRenamedFrom: async (accountId, role) => {
      const row = await db.queryOne(selectRenamed, { accountId, role })
      return row && groups.toRecord(row)
    },
    listGroups: async (accountId) =>
      (await db.reads.query(selectGroups, { accountId })).map(groups.toRecord),
    findGroupsOf: async (accountId, roleKeys) => {
      if (roleKeys.length === 0) return []
      const input = { accountId, roleKeys: JSON.stringify(roleKeys) }
      return (await db.query(selectGroupsOf, input)).map(groups.toRecord)
    },
  }
}
