import type { AccountRepository } from '../../repository.ts'
import { ConstraintViolation, type Db, run, type Transaction } from '../../sql/db.ts'
import { apiKeyColumns, toAccount, toApiKey, toScopes } from '../../sql/rows.ts'
import type { createAccountChanges } from './account-changes.ts'

const minuteMs = 60_000

export function createAccountQueries(
  db: Db,
): Omit<AccountRepository, 'findApiKey' | keyof ReturnType<typeof createAccountChanges>> {
  const insertAccount = db.statement<{
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
  const selectAccount = db.statement<{ accountId: string }>()((queries, value) =>
    queries.selectFrom('clientele_accounts').selectAll().where('id', '=', value('accountId')),
  )
  const selectAccounts = db.statement<object>()((queries) =>
    queries.selectFrom('clientele_accounts').selectAll().orderBy('id'),
  )
  const selectAnyAccount = db.statement<object>()((queries) =>
    queries.selectFrom('clientele_accounts').select('id').limit(1),
  )
  const insertKey = db.statement<{
    accountId: string
    id: string
    name: string
    scopes: string
    prefix: string
    hash: string
    createdAt: number
    expiresAt: number | null
  }>()((queries, value) =>
    queries.insertInto('clientele_api_keys').values({
      account_id: value('accountId'),
      id: value('id'),
      name: value('name'),
      scopes: value('scopes'),
      prefix: value('prefix'),
      hash: value('hash'),
      created_at: value('createdAt'),
      expires_at: value('expiresAt'),
    }),
  )
  const selectKeys = db.statement<{ accountId: string }>()((queries, value) =>
    queries
      .selectFrom('clientele_api_keys')
      .select(apiKeyColumns)
      .where('account_id', '=', value('accountId'))
      .orderBy('id'),
  )
  const revokeKey = db.statement<{ accountId: string; keyId: string; at: number }>()(
    (queries, value) =>
      queries
        .updateTable('clientele_api_keys')
        .set((of) => ({ revoked_at: of.fn.coalesce('revoked_at', value('at')) }))
        .where('account_id', '=', value('accountId'))
        .where('id', '=', value('keyId'))
        .returning('id'),
  )
  const expireKey = db.statement<{
    accountId: string
    keyId: string
    at: number
    now: number
  }>()((queries, value) =>
    queries
      .updateTable('clientele_api_keys')
      .set((of) => ({
        expires_at: of
          .case()
          .when('expires_at', '<', value('at'))
          .then(of.ref('expires_at'))
          .else(db.typed(value('at'), 'time'))
          .end(),
        replaced_at: of.fn.coalesce('replaced_at', db.typed(value('now'), 'time')),
        unreplaced_expires_at: of
          .case()
          .when('replaced_at', 'is', null)
          .then(of.ref('expires_at'))
          .else(of.ref('unreplaced_expires_at'))
          .end(),
      }))
      .where('account_id', '=', value('accountId'))
      .where('id', '=', value('keyId'))
      .where('revoked_at', 'is', null)
      .where((of) => of.or([of('expires_at', 'is', null), of('expires_at', '>', value('now'))]))
      .returning(['name', 'scopes', 'created_at', 'expires_at', 'unreplaced_expires_at']),
  )
  const noteKeyUse = db.statement<{
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
  return {
    createAccount: async (accountId, { name, allowedRoles }, createdAt) => {
      await db.query(insertAccount, {
        id: accountId,
        name,
        allowedRoles: toRolesText(allowedRoles),
        createdAt,
      })
    },
    bootstrap: (accountId, { name, allowedRoles }, createdAt, key) =>
      db.transact(function* (): Transaction<boolean> {
        // Whoever waited for the lock sees the account of whoever had it.
        for (const step of db.driver.migrationLock()) yield step
        if ((yield* run(selectAnyAccount, {})).length > 0) return false
        const roles = toRolesText(allowedRoles)
        yield* run(insertAccount, { id: accountId, name, allowedRoles: roles, createdAt })
        yield* run(insertKey, { accountId, ...key, scopes: JSON.stringify(key.scopes) })
        return true
      }),
    findAccount: async (accountId) => {
      const row = await db.queryOne(selectAccount, { accountId })
      return row && toAccount(row)
    },
    listAccounts: async () => {
      const rows = await db.query(selectAccounts, {})
      return rows.map(toAccount)
    },
    createApiKey: async (accountId, key) => {
      try {
        await db.query(insertKey, { accountId, ...key, scopes: JSON.stringify(key.scopes) })
        return 'created'
      } catch (error) {
        if (error instanceof ConstraintViolation && error.kind === 'foreign_key')
          return 'account_not_found'
        throw error
      }
    },
    listApiKeys: async (accountId) => {
      const rows = await db.query(selectKeys, { accountId })
      return rows.map(toApiKey)
    },
    rotateApiKey: (accountId, keyId, newKey, oldExpiresAt) =>
      db.transact(function* () {
        const input = { accountId, keyId, at: oldExpiresAt, now: newKey.createdAt }
        const [old] = yield* run(expireKey, input)
        if (old === undefined) return undefined
        const { name, scopes, expires_at: replacedExpiresAt, unreplaced_expires_at: until } = old
        const inherited = until === null ? null : newKey.createdAt + until - old.created_at
        const expiresAt = newKey.expiresAt === undefined ? inherited : newKey.expiresAt
        yield* run(insertKey, { accountId, ...newKey, name, scopes, expiresAt })
        return {
          name,
          scopes: toScopes(scopes),
          replacedExpiresAt: replacedExpiresAt ?? oldExpiresAt,
        }
      }),
    revokeApiKey: async (accountId, keyId, revokedAt) =>
      (await db.queryOne(revokeKey, { accountId, keyId, at: revokedAt })) !== undefined,
    noteApiKeyUse: async (accountId, keyId, usedAt) => {
      await db.query(noteKeyUse, { accountId, keyId, at: usedAt, before: usedAt - minuteMs })
    },
  }
}

function toRolesText(roles: string[] | null): string | null {
  return roles === null ? null : JSON.stringify(roles)
}
