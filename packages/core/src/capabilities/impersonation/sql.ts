import { sql } from 'kysely'
import { createOpaqueToken, hashOpaqueToken } from '../../base/crypto/opaque-token.ts'
import { latestEnd } from '../../base/runtime/latest-end.ts'
import type { Db } from '../../sql/db.ts'
import { run, type Transaction } from '../../sql/statement.ts'
import { writeWithEffects } from '../../sql/write-with-effects.ts'
import { type EventValues, eventValues, recordEvent } from '../events/sql/record-event.ts'
import { createLockUser } from '../users/sql/lock-user.ts'
import { maxImpersonationSeconds } from './impersonation-life.ts'
import type { ImpersonationStore, NewImpersonation } from './store.ts'

type NewRow = NewImpersonation & {
  maximum: number
  /** The latest end of an impersonation */
  latest: number
  noToken: string
  noSeed: string
}

type Outcome = Awaited<ReturnType<ImpersonationStore['create']>>

export function createImpersonationStore(db: Db): ImpersonationStore {
  return { create: createImpersonation(db) }
}

function createImpersonation(db: Db): ImpersonationStore['create'] {
  const lockUser = createLockUser(db)
  // A revocation of the key waits, and then ends this session too; or it comes first, and is seen.
  const lockKey = db.statement<{ accountId: string; openedByKey: string }>()((queries, value) =>
    queries
      .selectFrom('clientele_api_keys')
      .select('revoked_at')
      .where('account_id', '=', value('accountId'))
      .where('id', '=', value('openedByKey'))
      .$if(db.features.hasConcurrentWriters, (locked) => locked.forShare()),
  )
  const insertSession = writeWithEffects<NewRow & EventValues>(db)(
    (queries, value) =>
      queries
        .insertInto('clientele_sessions')
        .columns([
          'account_id',
          'id',
          'user_id',
          'amr',
          'impersonated_by',
          'opened_by_key',
          'created_at',
          'last_used_at',
          'expires_at',
          'ends_at',
          'successor_seed',
          'refresh_token_hash',
        ])
        .expression((of) =>
          of
            .selectFrom('clientele_users as u')
            .select([
              'u.account_id',
              db.typed(value('id'), 'id').as('id'),
              'u.id as user_id',
              db.typed(sql.lit('[]'), 'json').as('amr'),
              db.typed(value('impersonatedBy'), 'text').as('impersonated_by'),
              db.typed(value('openedByKey'), 'id').as('opened_by_key'),
              db.typed(value('createdAt'), 'time').as('created_at'),
              db.typed(value('createdAt'), 'time').as('last_used_at'),
              db.typed(value('expiresAt'), 'time').as('expires_at'),
              db.typed(value('expiresAt'), 'time').as('ends_at'),
              db.typed(value('noSeed'), 'text').as('successor_seed'),
              db.typed(value('noToken'), 'text').as('refresh_token_hash'),
            ])
            .where('u.account_id', '=', value('accountId'))
            .where('u.id', '=', value('userId'))
            .where('u.is_active', '=', true)
            .where('u.version', '=', value('version'))
            .where((user) =>
              user.exists(
                user
                  .selectFrom('clientele_accounts as a')
                  .select('a.id')
                  .where('a.id', '=', value('accountId'))
                  .where('a.disabled_at', 'is', null),
              ),
            )
            .where(
              (user) =>
                user
                  .selectFrom('clientele_sessions as s')
                  .select((s) => s.fn.countAll<number>().as('live'))
                  .where('s.account_id', '=', value('accountId'))
                  .where('s.user_id', '=', value('userId'))
                  .where('s.impersonated_by', 'is not', null)
                  // SQLite would otherwise read all sessions of the account that end in this time.
                  .where(sql<boolean>`+${sql.ref('s.expires_at')} > ${value('createdAt')}`)
                  // Or it was opened while the clock was ahead.
                  .where(sql<boolean>`+${sql.ref('s.expires_at')} <= ${value('latest')}`),
              '<',
              db.typed(value('maximum'), 'counter'),
            ),
        )
        .returning(['account_id', 'id']),
    [recordEvent(db)],
  )

  return async (accountId, impersonation, maximum, event) => {
    // No text is kept that could refresh the session: both are known to no caller.
    const noToken = hashOpaqueToken(createOpaqueToken())
    const secrets = { noToken, noSeed: createOpaqueToken() }
    const latest = latestEnd(impersonation.createdAt, maxImpersonationSeconds * 1000)
    const bounds = { maximum, latest }
    const input = { ...eventValues(event), accountId, ...impersonation, ...secrets, ...bounds }
    const { openedByKey } = impersonation
    return db.transact(function* (): Transaction<Outcome> {
      const [key] = openedByKey === null ? [] : yield* run(lockKey, { accountId, openedByKey })
      if (key !== undefined && key.revoked_at !== null) return 'key_revoked'
      // A concurrent deletion, deactivation or new password comes before or after, and concurrent calls count each other's
      // sessions.
      yield* run(lockUser, { accountId, userId: impersonation.userId })
      const rows = yield* insertSession.run(input)
      return rows.length > 0 ? 'created' : 'refused'
    })
  }
}
