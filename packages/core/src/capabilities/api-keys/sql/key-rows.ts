import { type Expression, expressionBuilder, sql } from 'kysely'
import type { Database } from '../../../sql/tables/tables.ts'
import { readPolicy } from '../../accounts/account-policy.ts'
import { toUserRules } from '../../accounts/find-account.ts'
import { toAllowedRoles } from '../../accounts/sql/account-rows.ts'
import type { ApiKeyMatch } from '../store.ts'
import { toScopes } from './api-key-rows.ts'

/** The columns that authenticate a key, from the table `clientele_api_keys as k` */
export const keyColumns = [
  'k.id as key_id',
  'k.account_id',
  'k.scopes',
  'k.expires_at',
  'k.replaced_at',
  'k.revoked_at',
  'k.last_used_at',
] as const

export interface KeyValues {
  hash: string
  /** Not bound if the account is not known: then it only says whose connections are used */
  accountId: string
}

/** The account in the text of a key whose hash is known */
export type ToHolder = (() => string | undefined) | undefined

/**
 * The account `a` of a key, to be joined laterally: scalar subqueries would run for each subject; a plain join may be
 * planned as a scan of all accounts.
 */
export function accountOfKey(accountId: Expression<string>) {
  return expressionBuilder<Database>()
    .selectFrom('clientele_accounts')
    .select('disabled_at')
    .where('id', '=', accountId)
    .limit(sql.lit(1))
    .as('a')
}

interface KeyRow {
  key_id: string
  account_id: string
  scopes: string
  expires_at: number | null
  replaced_at: number | null
  revoked_at: number | null
  last_used_at: number | null
  /** Undefined, as the policy: it was read without rules */
  allowed_roles?: string | null | undefined
  policy?: string | null | undefined
  account_disabled_at: number | null
}

export function toMatch(row: KeyRow): ApiKeyMatch {
  const { allowed_roles: allowedRoles, policy } = row
  return {
    accountId: row.account_id,
    rules:
      allowedRoles === undefined || policy === undefined
        ? undefined
        : toUserRules({ allowedRoles: toAllowedRoles(allowedRoles), policy: readPolicy(policy) }),
    isAccountDisabled: row.account_disabled_at !== null,
    key: {
      id: row.key_id,
      scopes: toScopes(row.scopes),
      expiresAt: row.expires_at,
      replacedAt: row.replaced_at,
      revokedAt: row.revoked_at,
      lastUsedAt: row.last_used_at,
    },
    subject: undefined,
  }
}
