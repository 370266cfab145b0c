import { latestEnd } from '../../../base/runtime/latest-end.ts'
import type { Db } from '../../../sql/db.ts'
import { ConstraintViolation } from '../../../sql/driver.ts'
import { createEndSurplus } from '../../../sql/end-surplus.ts'
import { ceremonySeconds } from '../ceremony-life.ts'
import type { CeremonyPurpose, NewCeremony, PasskeyStore } from '../store.ts'

export function createCeremonyQueries(
  db: Db,
): Pick<PasskeyStore, 'createCeremony' | 'takeCeremony'> {
  const insertCeremony = db.statement<NewCeremony & { accountId: string }>()((queries, value) =>
    queries.insertInto('clientele_passkey_ceremonies').values({
      account_id: value('accountId'),
      hash: value('hash'),
      purpose: value('purpose'),
      user_id: value('userId'),
      encrypted_email: value('encryptedEmail'),
      by_user: value('isByUser'),
      session_id: value('sessionId'),
      expires_at: value('expiresAt'),
    }),
  )
  const endSurplus = createEndSurplus(db, 'clientele_passkey_ceremonies')
  const deleteCeremony = db.statement<{
    accountId: string
    hash: string
    purposes: string
    now: number
    latest: number
  }>()((queries, value) =>
    queries
      .deleteFrom('clientele_passkey_ceremonies')
      .where('account_id', '=', value('accountId'))
      .where('hash', '=', value('hash'))
      .where('expires_at', '>', value('now'))
      .where('expires_at', '<=', value('latest'))
      .where('purpose', 'in', (of) =>
        of.selectFrom(db.features.textsOfJsonArray(value('purposes')).as('p')).select('p.value'),
      )
      .returning(['purpose', 'user_id', 'encrypted_email', 'by_user', 'session_id']),
  )

  return {
    createCeremony: async (accountId, ceremony) => {
      try {
        await db.query(insertCeremony, { accountId, ...ceremony })
        const { userId, expiresAt } = ceremony
        if (userId !== null) await endSurplus(accountId, userId, expiresAt)
        return true
      } catch (error) {
        if (error instanceof ConstraintViolation && error.kind === 'foreign_key') return false
        throw error
      }
    },
    takeCeremony: async (accountId, hash, purposes, now) => {
      const latest = latestEnd(now, ceremonySeconds * 1000)
      const input = { accountId, hash, purposes: JSON.stringify(purposes), now, latest }
      const row = await db.queryOne(deleteCeremony, input)
      return (
        row && {
          purpose: row.purpose as CeremonyPurpose, // written by us
          userId: row.user_id,
          encryptedEmail: row.encrypted_email,
          isByUser: Boolean(row.by_user),
          sessionId: row.session_id,
        }
      )
    },
  }
}
