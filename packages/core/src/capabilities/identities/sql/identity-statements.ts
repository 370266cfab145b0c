import type { Db } from '../../../sql/db.ts'
import type { Database } from '../../../sql/tables/tables.ts'
import type { UserKey } from '../../users/store.ts'
import type { IdentityRecord, NewIdentityRecord } from '../store.ts'

export const identityColumns = ['id', 'issuer', 'subject', 'created_at', 'last_used_at'] as const

export function createSelectIdentities(db: Db) {
  return db.statement<UserKey>()((queries, value) =>
    queries
      .selectFrom('clientele_identities')
      .select(identityColumns)
      .where('account_id', '=', value('accountId'))
      .where('user_id', '=', value('userId'))
      .orderBy('id'),
  )
}

/** The statement returns no row when a user already has the identity. */
export function createInsertIdentity(db: Db) {
  return db.statement<NewIdentityRecord & { accountId: string }>()((queries, value) =>
    queries
      .insertInto('clientele_identities')
      .values({
        account_id: value('accountId'),
        id: value('id'),
        user_id: value('userId'),
        issuer: value('issuer'),
        subject: value('subject'),
        created_at: value('createdAt'),
      })
      .onConflict((conflict) => conflict.columns(['account_id', 'issuer', 'subject']).doNothing())
      .returning('id'),
  )
}

export function toIdentityRecord(
  row: Pick<Database['clientele_identities'], (typeof identityColumns)[number]>,
): IdentityRecord {
  const { created_at: createdAt, last_used_at: lastUsedAt, ...rest } = row
  return { ...rest, createdAt, lastUsedAt }
}
