import type { Db } from '../../../sql/db.ts'
import { ConstraintViolation } from '../../../sql/driver.ts'
import { run, type Transaction } from '../../../sql/statement.ts'
import { writeWithEffects } from '../../../sql/write-with-effects.ts'
import { type EventValues, eventValues, recordEvent } from '../../events/sql/record-event.ts'
import type { StoredScimGroup } from '../scim-group.ts'
import type { GroupChanges, ScimStore } from '../store.ts'
import { createGroupLookUps, type GroupKey, groups } from './group-look-ups.ts'

export function createGroupWrites(
  db: Db,
): Pick<
  ScimStore,
  'countGroups' | 'createGroup' | 'updateGroup' | 'noteFormer' | 'forgetFormerRole' | 'deleteGroup'
> {
  const countGroups = createCountGroups(db)
  return {
    countGroups: async (accountId) => {
      const row = await db.queryOne(countGroups, { accountId })
      return Number(row?.total)
    },
    createGroup: createGroup(db, countGroups),
    updateGroup: updateGroup(db),
    noteFormer: noteFormer(db),
    forgetFormerRole: forgetFormerRole(db),
    deleteGroup: deleteGroup(db),
  }
}

function createCountGroups(db: Db) {
  return db.statement<{ accountId: string }>()((queries, value) =>
    queries
      .selectFrom('clientele_scim_groups')
      .select((of) => of.fn.countAll<number>().as('total'))
      .where('account_id', '=', value('accountId')),
  )
}

function createGroup(
  db: Db,
  countGroups: ReturnType<typeof createCountGroups>,
): ScimStore['createGroup'] {
  const lockAccount = db.statement<{ accountId: string }>()((queries, value) =>
    queries
      .selectFrom('clientele_accounts')
      .select('id')
      .where('id', '=', value('accountId'))
      .$if(db.features.hasConcurrentWriters, (locked) => locked.forNoKeyUpdate()),
  )
  const insertGroup = writeWithEffects<StoredScimGroup & EventValues>(db)(
    (queries, value) =>
      queries
        .insertInto('clientele_scim_groups')
        .values({ account_id: value('accountId'), ...groups.assign(value) })
        .onConflict((conflict) => conflict.columns(['account_id', 'role_key']).doNothing())
        .returning(['account_id', 'id']),
    [recordEvent(db)],
  )

  return (accountId, group, maximum, event) =>
    db.transact(function* (): Transaction<Awaited<ReturnType<ScimStore['createGroup']>>> {
      // Locks the account, so that concurrent calls count each other's groups.
      if ((yield* run(lockAccount, { accountId })).length === 0) return 'account_not_found'
      const [counted] = yield* run(countGroups, { accountId })
      if (Number(counted?.total) >= maximum) return 'scim_group_limit_reached'
      const values = { ...groups.toValues(group), ...eventValues(event), accountId }
      return (yield* insertGroup.run(values)).length === 0 ? 'scim_group_taken' : 'created'
    })
}

function updateGroup(db: Db): ScimStore['updateGroup'] {
  const write = writeWithEffects<
    GroupKey & GroupChanges & { expectedVersion: number } & EventValues
  >(db)(
    (queries, value) =>
      queries
        .updateTable('clientele_scim_groups')
        .set((of) => ({
          role: value('role'),
          role_key: value('roleKey'),
          external_id: value('externalId'),
          former_role: value('formerRole'),
          former_after: null,
          updated_at: value('updatedAt'),
          version: of('version', '+', 1),
        }))
        .where('account_id', '=', value('accountId'))
        .where('id', '=', value('id'))
        .where('version', '=', value('expectedVersion'))
        .returning(['account_id', 'id']),
    [recordEvent(db)],
  )
  const { findGroup } = createGroupLookUps(db)

  return async (accountId, id, changes, expectedVersion, event) => {
    const input = { ...eventValues(event), ...changes, accountId, id, expectedVersion }
    try {
      const changed = await write.execute(input)
      const group = await findGroup(accountId, id)
      if (group === undefined) return 'scim_group_not_found'
      return changed === undefined ? 'precondition_failed' : group
    } catch (error) {
      if (error instanceof ConstraintViolation && error.kind === 'unique') return 'scim_group_taken'
      throw error
    }
  }
}

function noteFormer(db: Db): ScimStore['noteFormer'] {
  const note = db.statement<GroupKey & { version: number; after: string }>()((queries, value) =>
    queries
      .updateTable('clientele_scim_groups')
      .set({ former_after: value('after') })
      .where('account_id', '=', value('accountId'))
      .where('id', '=', value('id'))
      .where('version', '=', value('version')),
  )

  return async (accountId, id, version, after) => {
    await db.query(note, { accountId, id, version, after })
  }
}

function forgetFormerRole(db: Db): ScimStore['forgetFormerRole'] {
  const forget = db.statement<GroupKey & { version: number }>()((queries, value) =>
    queries
      .updateTable('clientele_scim_groups')
      .set({ former_role: null, former_after: null })
      .where('account_id', '=', value('accountId'))
      .where('id', '=', value('id'))
      .where('version', '=', value('version')),
  )

  return async (accountId, id, version) => {
    await db.query(forget, { accountId, id, version })
  }
}

function deleteGroup(db: Db): ScimStore['deleteGroup'] {
  const remove = writeWithEffects<GroupKey & { expectedVersion: number } & EventValues>(db)(
    (queries, value) =>
      queries
        .deleteFrom('clientele_scim_groups')
        .where('account_id', '=', value('accountId'))
        .where('id', '=', value('id'))
        .where('version', '=', value('expectedVersion'))
        .returning(['account_id', 'id']),
    [recordEvent(db)],
  )

  return async (accountId, id, expectedVersion, event) =>
    (await remove.execute({ ...eventValues(event), accountId, id, expectedVersion })) !== undefined
}
