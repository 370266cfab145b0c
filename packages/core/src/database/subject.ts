import type { ExpressionBuilder, ExpressionWrapper, SqlBool } from 'kysely'
import type { SubjectState, TokenSubject } from '../repository.ts'
import type { ParameterOf } from './database.ts'
import { toVersionedUser, type VisibleUserRow } from './rows.ts'
import type { Tables, UserRow } from './tables.ts'

export interface SubjectKey {
  userId: string
  sessionId: string | null
  now: number
}

export interface SubjectRow extends VisibleUserRow {
  tokens_not_before: number
  has_live_session: boolean | number
}

/**
 * Whether the user `u` has the session, and it has not expired. Asked as a scalar: SQLite takes several times as long
 * for the same look-up in a join.
 */
export function hasLiveSession(
  of: ExpressionBuilder<Tables & { u: UserRow }, 'u'>,
  value: ParameterOf<SubjectKey>,
): ExpressionWrapper<Tables & { u: UserRow }, 'u', SqlBool> {
  return of.exists(
    of
      .selectFrom('clientele_sessions as s')
      .select('s.id')
      .whereRef('s.account_id', '=', 'u.account_id')
      .where('s.id', '=', value('sessionId'))
      .whereRef('s.user_id', '=', 'u.id')
      .where('s.expires_at', '>', value('now')),
  )
}

export function toSubjectState(row: SubjectRow, { sessionId }: TokenSubject): SubjectState {
  return {
    ...toVersionedUser(row),
    hasLiveSession: sessionId === null || Boolean(row.has_live_session),
    tokensNotBefore: row.tokens_not_before,
  }
}
