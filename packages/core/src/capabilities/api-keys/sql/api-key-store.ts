import { maxSetBackMs } from '../../../base/runtime/latest-end.ts'
import type { Db } from '../../../sql/db.ts'
import { ConstraintViolation } from '../../../sql/driver.ts'
import { run, type Transaction } from '../../../sql/statement.ts'
import { writeWithEffects } from '../../../sql/write-with-effects.ts'
import { type EventValues, eventValues, recordEvent } from '../../events/sql/record-event.ts'
import type { ApiKeyStore, RevokeOutcome } from '../store.ts'
import { createApiKeyLookUp } from './api-key-look-up.ts'
import { apiKeyColumns, toApiKey, toScopes } from './api-key-rows.ts'
import { createEndImpersonations } from './end-impersonations.ts'
import { createInsertApiKey } from './insert-api-key.ts'

const minuteMs = 60_000

export function createApiKeyStore(db: Db): ApiKeyStore {
  return {
    ...createApiKeyLookUp(db),
    create: createKey(db),
    list: listKeys(db),
    rotate: rotateKey(db),
    revoke: revokeKey(db),
    endImpersonations: endImpersonations(db),
    noteUse: noteUse(db),
  }
}

function createKey(db: Db): ApiKeyStore['create'] {
  const insertKey = createInsertApiKey(db)

  return async (accountId, key, event) => {
    try {
      const scopes = JSON.stringify(key.scopes)
      await insertKey.execute({ ...eventValues(event), accountId, ...key, scopes })
      return 'created'
    } catch (error) {
      if (error instanceof ConstraintViolation && error.kind === 'foreign_key')
        return 'account_not_found'
      throw error
    }
  }
}

function listKeys(db: Db): ApiKeyStore['list'] {
  const selectKeys = db.statement<{ accountId: string }>()((queries, value) =>
    queries
      .selectFrom('clientele_api_keys')
      .select(apiKeyColumns)
      .where('account_id', '=', value('accountId'))
      .orderBy('id'),
  )

  return async (accountId) => {
    const rows = await db.query(selectKeys, { accountId })
    return rows.map(toApiKey)
  }
}

function rotateKey(db: Db): ApiKeyStore['rotate'] {
  const insertKey = createInsertApiKey(db)
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

  return (accountId, keyId, newKey, oldExpiresAt, eventOf) =>
    db.transact(function* () {
      const input = { accountId, keyId, at: oldExpiresAt, now: newKey.createdAt }
      const [old] = yield* run(expireKey, input)
      if (old === undefined) return undefined
      const { name, scopes, expires_at: replacedExpiresAt, unreplaced_expires_at: until } = old
      const inherited = until === null ? null : newKey.createdAt + until - old.created_at
      const expiresAt = newKey.expiresAt === undefined ? inherited : newKey.expiresAt
      const event = eventOf({
        name,
        scopes: toScopes(scopes),
        replacedKeyExpiresAt: new Date(replacedExpiresAt ?? oldExpiresAt),
      })
      const key = { ...newKey, name, scopes, expiresAt }
      yield* insertKey.run({ ...eventValues(event), accountId, ...key })
      return event
    })
}

function revokeKey(db: Db): ApiKeyStore['revoke'] {
  const revoke = writeWithEffects<{ keyId: string; at: number } & EventValues>(db)(
    (queries, value) =>
      queries
        .updateTable('clientele_api_keys')
        .set({ revoked_at: value('at') })
        .where('account_id', '=', value('accountId'))
        .where('id', '=', value('keyId'))
        .where('revoked_at', 'is', null)
        .returning(['account_id', 'id']),
    [recordEvent(db)],
    // The impersonations, which others open meanwhile
    { seesLatest: true },
  )
  const selectKey = db.statement<{ accountId: string; keyId: string }>()((queries, value) =>
    queries
      .selectFrom('clientele_api_keys')
      .select('id')
      .where('account_id', '=', value('accountId'))
      .where('id', '=', value('keyId')),
  )
  const end = createEndImpersonations(db)

  return (accountId, keyId, revokedAt, event, endedOf) =>
    db.transact(function* (): Transaction<RevokeOutcome> {
      const input = { ...eventValues(event), accountId, keyId, at: revokedAt }
      const isRevoked = (yield* revoke.run(input)).length > 0
      if (!isRevoked && (yield* run(selectKey, { accountId, keyId })).length === 0)
        return 'api_key_not_found'
      const ended = yield* end({ accountId, keyId }, endedOf)
      return { outcome: isRevoked ? 'revoked' : 'unchanged', ended }
    })
}

function endImpersonations(db: Db): ApiKeyStore['endImpersonations'] {
  const end = createEndImpersonations(db)

  return (accountId, keyId, endedOf) => db.transact(() => end({ accountId, keyId }, endedOf))
}

function noteUse(db: Db): ApiKeyStore['noteUse'] {
  const noteKeyUse = db.statement<{
    accountId: string
    keyId: string
    at: number
    before: number
    latest: number
  }>()((queries, value) =>
    queries
      .updateTable('clientele_api_keys')
      .set({ last_used_at: value('at') })
      .where('account_id', '=', value('accountId'))
      .where('id', '=', value('keyId'))
      .where((of) =>
        of.or([
          of('last_used_at', 'is', null),
          of('last_used_at', '<=', value('before')),
          of('last_used_at', '>', value('latest')),
        ]),
      ),
  )

  return async (accountId, keyId, usedAt) => {
    const [before, latest] = [usedAt - minuteMs, usedAt + maxSetBackMs]
    await db.query(noteKeyUse, { accountId, keyId, at: usedAt, before, latest })
  }
}
