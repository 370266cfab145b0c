import type { Db } from '../../../sql/db.ts'
import { ConstraintViolation } from '../../../sql/driver.ts'
import type { GroupLease, ScimStore } from '../store.ts'

interface Held extends GroupLease {
  accountId: string
}

export function createGroupLeases(
  db: Db,
): Pick<
  ScimStore,
  'leaseGroups' | 'findGroupLease' | 'takeOverGroups' | 'renewGroups' | 'releaseGroups'
> {
  const take = db.statement<Omit<Held, 'renewals'>>()((queries, value) =>
    queries
      .insertInto('clientele_scim_leases')
      .values({ account_id: value('accountId'), holder: value('holder'), renewals: 0 })
      .onConflict((conflict) => conflict.column('account_id').doNothing())
      .returning('holder'),
  )
  const select = db.statement<{ accountId: string }>()((queries, value) =>
    queries
      .selectFrom('clientele_scim_leases')
      .select(['holder', 'renewals'])
      .where('account_id', '=', value('accountId')),
  )
  const takeOver = db.statement<Held & { next: string }>()((queries, value) =>
    queries
      .updateTable('clientele_scim_leases')
      .set({ holder: value('next'), renewals: 0 })
      .where('account_id', '=', value('accountId'))
      .where('holder', '=', value('holder'))
      .where('renewals', '=', value('renewals'))
      .returning('holder'),
  )
  const renew = db.statement<Omit<Held, 'renewals'>>()((queries, value) =>
    queries
      .updateTable('clientele_scim_leases')
      .set((of) => ({ renewals: of('renewals', '+', 1) }))
      .where('account_id', '=', value('accountId'))
      .where('holder', '=', value('holder'))
      .returning('holder'),
  )
  const release = db.statement<Omit<Held, 'renewals'>>()((queries, value) =>
    queries
      .deleteFrom('clientele_scim_leases')
      .where('account_id', '=', value('accountId'))
      .where('holder', '=', value('holder')),
  )

  return {
    leaseGroups: async (accountId, holder) => {
      try {
        const taken = await db.queryOne(take, { accountId, holder })
        return taken === undefined ? 'held' : 'leased'
      } catch (error) {
        const isGone = error instanceof ConstraintViolation && error.kind === 'foreign_key'
        if (isGone) return 'account_not_found'
        throw error
      }
    },
    findGroupLease: async (accountId) => {
      const row = await db.queryOne(select, { accountId })
      return row && { holder: row.holder, renewals: Number(row.renewals) }
    },
    takeOverGroups: async (accountId, from, next) =>
      (await db.queryOne(takeOver, { accountId, ...from, next })) !== undefined,
    renewGroups: async (accountId, holder) =>
      (await db.queryOne(renew, { accountId, holder })) !== undefined,
    releaseGroups: async (accountId, holder) => {
      await db.query(release, { accountId, holder })
    },
  }
}
