import type { Db } from '../../sql/db.ts'
import { readPolicy } from '../accounts/account-policy.ts'
import { type IdentityName, toCredentials } from '../users/sql/user-look-ups.ts'
import { userColumns } from '../users/sql/user-rows.ts'
import { verifiedUserId } from '../users/sql/verified-emails.ts'
import type { SignInStore } from './store.ts'

export function createSignInStore(db: Db): SignInStore {
  return {
    findByEmail: findByEmail(db),
    findByIdentity: findByIdentity(db),
    useIdToken: useIdToken(db),
  }
}

// The columns of an outer join: either all are null or none.
type Joined = Parameters<typeof toCredentials>[0]

function findByEmail(db: Db): SignInStore['findByEmail'] {
  const selectCredentials = db.statement<{ accountId: string; email: string }>()((queries, value) =>
    queries
      .selectFrom('clientele_accounts as a')
      .leftJoin('clientele_users as u', (join) =>
        join.on('u.account_id', '=', value('accountId')).on('u.email', '=', value('email')),
      )
      .select('a.policy')
      .select(userColumns)
      .select(['u.password_hash', 'u.tokens_not_before'])
      .select((of) => verifiedUserId(value('accountId'), of.ref('u.id')))
      .where('a.id', '=', value('accountId')),
  )

  return async (accountId, email) => {
    const row = await db.queryOne(selectCredentials, { accountId, email })
    if (row === undefined) return undefined
    const policy = readPolicy(row.policy)
    if (row.id === null) return { policy, found: undefined }
    const isEmailVerified = row.verified_user_id !== null
    return { policy, found: { ...toCredentials(row as Joined), isEmailVerified } }
  }
}

function findByIdentity(db: Db): SignInStore['findByIdentity'] {
  const selectCredentials = db.statement<IdentityName>()((queries, value) =>
    queries
      .selectFrom('clientele_accounts as a')
      .leftJoin('clientele_identities as i', (join) =>
        join
          .on('i.account_id', '=', value('accountId'))
          .on('i.issuer', '=', value('issuer'))
          .on('i.subject', '=', value('subject')),
      )
      .leftJoin('clientele_users as u', (join) =>
        join.on('u.account_id', '=', value('accountId')).onRef('u.id', '=', 'i.user_id'),
      )
      .select(['a.policy', 'a.disabled_at', 'i.id as identity_id'])
      .select(userColumns)
      .select(['u.password_hash', 'u.tokens_not_before'])
      .where('a.id', '=', value('accountId')),
  )

  return async (accountId, issuer, subject) => {
    const row = await db.queryOne(selectCredentials, { accountId, issuer, subject })
    if (row === undefined) return undefined
    const account = {
      policy: readPolicy(row.policy),
      isAccountDisabled: row.disabled_at !== null,
    }
    const { identity_id: identityId } = row
    if (identityId === null || row.id === null) return { ...account, found: undefined }
    return { ...account, found: { ...toCredentials(row as Joined), identityId } }
  }
}

function useIdToken(db: Db): SignInStore['useIdToken'] {
  const insertUsed = db.statement<{
    accountId: string
    digest: string
    expiresAt: number
  }>()((queries, value) =>
    queries
      .insertInto('clientele_used_id_tokens')
      .values({
        account_id: value('accountId'),
        digest: value('digest'),
        expires_at: value('expiresAt'),
      })
      .onConflict((conflict) => conflict.columns(['account_id', 'digest']).doNothing())
      .returning('digest'),
  )

  return async (accountId, digest, expiresAt) =>
    (await db.queryOne(insertUsed, { accountId, digest, expiresAt })) !== undefined
}
