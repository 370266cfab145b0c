import type { AccountRepository } from '../repository.ts'
import { ConstraintViolation, type Database } from './database.ts'
import { toAccount, toApiKey, toVersionedUser } from './rows.ts'

const minuteMs = 60_000
const keyColumns = [
  'id',
  'name',
  'scopes',
  'hint',
  'created_at',
  'expires_at',
  'revoked_at',
  'last_used_at',
] as const

export function createAccountQueries(database: Database): AccountRepository {
  const insertAccount = database.statement<{
    id: string
    name: string
    allowedRoles: string | null
    createdAt: number
  }>()((queries, value) =>
    queries.insertInto('clientele_accounts').values({
      id: value('id'),
      name: value('name'),
      allowed_roles: value('allowedRoles'),
      created_at: value('createdAt'),
    }),
  )
  const selectAccount = database.statement<{ accountId: string }>()((queries, value) =>
    queries.selectFrom('clientele_accounts').selectAll().where('id', '=', value('accountId')),
  )
  const selectAccounts = database.statement<object>()((queries) =>
    queries.selectFrom('clientele_accounts').selectAll().orderBy('id'),
  )
  const insertKey = database.statement<{
    accountId: string
    id: string
    name: string
    scopes: string
    hint: string
    hash: string
    createdAt: number
    expiresAt: number | null
  }>()((queries, value) =>
    queries.insertInto('clientele_api_keys').values({
      account_id: value('accountId'),
      id: value('id'),
      name: value('name'),
      scopes: value('scopes'),
      hint: value('hint'),
      hash: value('hash'),
      created_at: value('createdAt'),
      expires_at: value('expiresAt'),
    }),
  )
  const selectKeys = database.statement<{ accountId: string }>()((queries, value) =>
    queries
      .selectFrom('clientele_api_keys')
      .select(keyColumns)
      .where('account_id', '=', value('accountId'))
      .orderBy('id'),
  )
  const revokeKey = database.statement<{ accountId: string; keyId: string; at: number }>()(
    (queries, value) =>
      queries
        .updateTable('clientele_api_keys')
        .set((of) => ({ revoked_at: of.fn.coalesce('revoked_at', value('at')) }))
        .where('account_id', '=', value('accountId'))
        .where('id', '=', value('keyId'))
        .returning('id'),
  )
  const noteKeyUse = database.statement<{
    accountId: string
    keyId: string
    at: number
    before: number
  }>()((queries, value) =>
    queries
      .updateTable('clientele_api_keys')
      .set({ last_used_at: value('at') })
      .where('account_id', '=', value('accountId'))
      .where('id', '=', value('keyId'))
      .where((of) =>
        of.or([of('last_used_at', 'is', null), of('last_used_at', '<=', value('before'))]),
      ),
  )
  const keyByHash = database.statement<{ hash: string }>()((queries, value) =>
    queries
      .selectFrom('clientele_api_keys as k')
      .innerJoin('clientele_accounts as a', 'a.id', 'k.account_id')
      .select(keyColumns.map((column) => `k.${column}` as const))
      .select([
        'a.id as account_id',
        'a.name as account_name',
        'a.allowed_roles',
        'a.created_at as account_created_at',
      ])
      .where('k.hash', '=', value('hash')),
  )
  const keyAndSubjectByHash = database.statement<{
    hash: string
    userId: string
    sessionId: string | null
    now: number
  }>()((queries, value) =>
    queries
      .selectFrom('clientele_api_keys as k')
      .innerJoin('clientele_accounts as a', 'a.id', 'k.account_id')
      .leftJoin('clientele_users as u', (join) =>
        join.onRef('u.account_id', '=', 'k.account_id').on('u.id', '=', value('userId')),
      )
      .leftJoin('clientele_sessions as s', (join) =>
        join
          .onRef('s.account_id', '=', 'k.account_id')
          .on('s.id', '=', value('sessionId'))
          .onRef('s.user_id', '=', 'u.id')
          .on('s.expires_at', '>', value('now')),
      )
      .select(keyColumns.map((column) => `k.${column}` as const))
      .select([
        'a.id as account_id',
        'a.name as account_name',
        'a.allowed_roles',
        'a.created_at as account_created_at',
      ])
      .select([
        'u.id as u_id',
        'u.email',
        'u.name as u_name',
        'u.roles',
        'u.metadata',
        'u.is_active',
        'u.created_at as u_created_at',
        'u.updated_at',
        'u.version',
        'u.tokens_not_before',
        's.id as session_id',
      ])
      .where('k.hash', '=', value('hash')),
  )

  return {
    createAccount: async (accountId, { name, allowedRoles }, createdAt) => {
      const roles = allowedRoles === null ? null : JSON.stringify(allowedRoles)
      await database.query(insertAccount, { id: accountId, name, allowedRoles: roles, createdAt })
    },
    findAccount: async (accountId) => {
      const row = await database.queryOne(selectAccount, { accountId })
      return row && toAccount(row)
    },
    listAccounts: async () => {
      const rows = await database.query(selectAccounts, {})
      return rows.map(toAccount)
    },
    createApiKey: async (accountId, key) => {
      try {
        await database.query(insertKey, { accountId, ...key, scopes: JSON.stringify(key.scopes) })
        return 'created'
      } catch (error) {
        if (error instanceof ConstraintViolation && error.kind === 'foreign_key')
          return 'account_not_found'
        throw error
      }
    },
    listApiKeys: async (accountId) => {
      const rows = await database.query(selectKeys, { accountId })
      return rows.map(toApiKey)
    },
    revokeApiKey: async (accountId, keyId, revokedAt) =>
      (await database.queryOne(revokeKey, { accountId, keyId, at: revokedAt })) !== undefined,
    noteApiKeyUse: async (accountId, keyId, usedAt) => {
      await database.query(noteKeyUse, { accountId, keyId, at: usedAt, before: usedAt - minuteMs })
    },
    findApiKey: async (hash, now, subject) => {
      if (subject === undefined) {
        const row = await database.queryOne(keyByHash, { hash })
        return row && { account: accountOf(row), key: toApiKey(row), subject: undefined }
      }
      const row = await database.queryOne(keyAndSubjectByHash, { hash, now, ...subject })
      if (row === undefined) return undefined
      const { u_id, u_name, u_created_at, email, roles, metadata, is_active, updated_at, version } =
        row
      const hasUser =
        u_id !== null &&
        u_name !== null &&
        u_created_at !== null &&
        email !== null &&
        roles !== null &&
        metadata !== null &&
        is_active !== null &&
        updated_at !== null &&
        version !== null
      const found = hasUser
        ? {
            ...toVersionedUser({
              id: u_id,
              name: u_name,
              created_at: u_created_at,
              email,
              roles,
              metadata,
              is_active,
              updated_at,
              version,
            }),
            hasLiveSession: subject.sessionId === null || row.session_id !== null,
            tokensNotBefore: row.tokens_not_before ?? 0,
          }
        : undefined
      return { account: accountOf(row), key: toApiKey(row), subject: found }
    },
  }
}

function accountOf(row: {
  account_id: string
  account_name: string
  allowed_roles: string | null
  account_created_at: number
}) {
  return toAccount({
    id: row.account_id,
    name: row.account_name,
    allowed_roles: row.allowed_roles,
    created_at: row.account_created_at,
  })
}
