import { expressionBuilder, sql } from 'kysely'
import type { Db } from '../../../sql/db.ts'
import type { ReadBeside } from '../../../sql/effects.ts'
import type { Database } from '../../../sql/tables/tables.ts'
import { writeWithEffects } from '../../../sql/write-with-effects.ts'
import { type EventValues, eventValues, recordEvent } from '../../events/sql/record-event.ts'
import { hasVersion } from '../../users/sql/user-values.ts'
import { maxSessions } from '../max-sessions.ts'
import type { SessionStore } from '../store.ts'
import { expectedNotBefore } from './expected-not-before.ts'
import { createLockIfShown, createUseUpShown } from './lock-if-shown.ts'

/** How many sessions the user had before, counted up to one more than the limit */
const countHeld: ReadBeside<{ accountId: string; userId: string }> = (value) =>
  expressionBuilder<Database>()
    .selectFrom((held) =>
      held
        .selectFrom('clientele_sessions as h')
        .select('h.id')
        .where('h.account_id', '=', value('accountId'))
        .where('h.user_id', '=', value('userId'))
        .where('h.impersonated_by', 'is', null)
        .limit(sql.lit(maxSessions + 1))
        .as('held'),
    )
    .select((held) => held.fn.countAll<number>().as('rows'))
    .as('held')

export function createSession(db: Db): SessionStore['create'] {
  const insertSession = writeWithEffects<
    {
      accountId: string
      id: string
      userId: string
      amr: string
      now: number
      expiresAt: number
      endsAt: number
      successorSeed: string
      passwordHash: string | null
      tokensNotBefore: number | null
      policy: string | null
      version: number | null
      refreshTokenHash: string
    } & EventValues
  >(db)(
    (queries, value) =>
      queries
        .insertInto('clientele_sessions')
        .columns([
          'account_id',
          'id',
          'user_id',
          'amr',
          'created_at',
          'last_used_at',
          'expires_at',
          'ends_at',
          'successor_seed',
          'refresh_token_hash',
          'refreshes',
          'window_refreshes',
          'window_ends_at',
        ])
        .expression((of) =>
          of
            .selectFrom('clientele_users as u')
            .innerJoin('clientele_accounts as a', (join) =>
              join.on('a.id', '=', value('accountId')),
            )
            .select([
              'u.account_id',
              db.typed(value('id'), 'id').as('id'),
              'u.id as user_id',
              db.typed(value('amr'), 'json').as('amr'),
              db.typed(value('now'), 'time').as('created_at'),
              db.typed(value('now'), 'time').as('last_used_at'),
              db.typed(value('expiresAt'), 'time').as('expires_at'),
              db.typed(value('endsAt'), 'time').as('ends_at'),
              db.typed(value('successorSeed'), 'text').as('successor_seed'),
              db.typed(value('refreshTokenHash'), 'text').as('refresh_token_hash'),
              sql.lit(0).as('refreshes'),
              sql.lit(0).as('window_refreshes'),
              sql.lit(0).as('window_ends_at'),
            ])
            .where('u.account_id', '=', value('accountId'))
            .where('u.id', '=', value('userId'))
            .where('u.is_active', '=', true)
            // The hash may be null: a user without a password signs in by other means.
            .where('u.password_hash', 'is not distinct from', value('passwordHash'))
            .where('u.tokens_not_before', '=', expectedNotBefore(db, value('tokensNotBefore')))
            .where(hasVersion(value('version')))
            .where('a.disabled_at', 'is', null)
            .where('a.policy', 'is not distinct from', value('policy'))
            // A concurrent deletion, deactivation, new password or new policy either waits, and the first three then end the
            // new session, or commits first; then PostgreSQL reads the user and the account again, in the new state.
            .$if(db.features.hasConcurrentWriters, (locked) => locked.forShare()),
        )
        .returning(['account_id', 'id'])
        .$castTo<{ account_id: string; id: string; held: number }>(), // `held` is read beside the write
    [recordEvent(db)],
    { readsBeside: countHeld },
  )
  const lockIfShown = createLockIfShown(db)
  const useUpShown = createUseUpShown(db)

  return async (accountId, session, passwordHash, event, conditions = {}) => {
    const { createdAt: now, ...values } = session
    const amr = JSON.stringify(session.amr)
    const { tokensNotBefore = null, policy = null, version = null, shown } = conditions
    const compared = { passwordHash, tokensNotBefore, policy, version }
    const input = { ...eventValues(event), accountId, ...values, now, amr, ...compared }
    const inserted =
      shown === undefined
        ? await insertSession.execute(input)
        : await db.transact(function* () {
            if (!(yield* lockIfShown(accountId, session.userId, shown))) return undefined
            const [row] = yield* insertSession.run(input)
            if (row !== undefined) yield* useUpShown(accountId, session.userId, shown)
            return row
          })
    if (inserted === undefined) return false
    return inserted.held < maxSessions || 'over_limit'
  }
}
