import type { Db } from '../../../sql/db.ts'
import { run, type Transaction } from '../../../sql/statement.ts'
import { readPolicy } from '../../accounts/account-policy.ts'
import { isMethodAllowed } from '../../accounts/assert-sign-in.ts'
import type { TrustRefusal, TrustUse } from '../store.ts'

/**
 * Makes the part of a transaction that tells whether an account still trusts what an ID token is used for. Whoever takes the
 * trust away waits until the transaction ends.
 */
export function createLockTrust(db: Db) {
  const selectTrust = db.statement<{
    accountId: string
    issuerId: string
    issuerUpdatedAt: number
  }>()((queries, value) =>
    queries
      .selectFrom('clientele_accounts as a')
      .innerJoin('clientele_trusted_issuers as t', (join) =>
        join
          .on('t.account_id', '=', value('accountId'))
          .on('t.id', '=', value('issuerId'))
          .on('t.updated_at', '=', value('issuerUpdatedAt')),
      )
      .select(['a.policy', 't.sign_in', 't.link_by_email', 't.trust_unverified_email'])
      .where('a.id', '=', value('accountId'))
      .where('a.disabled_at', 'is', null)
      .$if(db.features.hasConcurrentWriters, (locked) => locked.forShare()),
  )

  return function* lockTrust(
    accountId: string,
    { issuerId, issuerUpdatedAt, linksByEmail, isVerified }: TrustUse,
  ): Transaction<TrustRefusal | undefined> {
    const [row] = yield* run(selectTrust, { accountId, issuerId, issuerUpdatedAt })
    const isTrusted =
      row !== undefined &&
      Boolean(row.sign_in) &&
      (!linksByEmail || Boolean(row.link_by_email)) &&
      (isVerified || Boolean(row.trust_unverified_email))
    if (!isTrusted) return 'issuer_not_trusted'
    return isMethodAllowed(readPolicy(row.policy).rules, 'id_token')
      ? undefined
      : 'sign_in_method_disabled'
  }
}
