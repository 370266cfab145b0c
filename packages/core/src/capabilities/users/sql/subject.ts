import { type Expression, expressionBuilder, type RawBuilder, sql } from 'kysely'
import type { SessionSubject } from '../../../base/call/token-subject.ts'
import type { DialectFeatures } from '../../../sql/dialect-features.ts'
import type { Database, UserRow } from '../../../sql/tables/tables.ts'
import type { SubjectState } from '../../../user-model/subject-state.ts'
import { toVersionedUser, userColumns, type VisibleUserRow } from './user-rows.ts'

export interface SubjectKey {
  userId: string
  sessionId: string | null
  keyId: string | null
  now: number
}

/** A look-up of one of the subjects that share a statement */
export interface SubjectCall {
  now: number
  subject: SessionSubject
}

interface AskedSubject {
  /** Its index among the requested subjects */
  place: number
  asked_user_id: string | null
  asked_session_id: string | null
  asked_key_id: string | null
}

export interface SubjectRow extends VisibleUserRow {
  tokens_not_before: number
  live_session_id: string | null
  signing_key_id: string | null
  account_disabled_at: number | null
}

/**
 * The id of the session, if it belongs to the user `u` and has not expired. A scalar subquery, because SQLite takes
 * several times as long for a join. With a limit, because PostgreSQL may read the whole table for an EXISTS.
 */
export function liveSession(
  accountId: Expression<string>,
  sessionId: Expression<string | null>,
  now: Expression<number>,
) {
  return selectLiveSession(accountId, sessionId, now).select('s.id').as('live_session_id')
}

/** When that session expires. */
export function liveSessionEnd(
  accountId: Expression<string>,
  sessionId: Expression<string | null>,
  now: Expression<number>,
) {
  return selectLiveSession(accountId, sessionId, now)
    .select('s.expires_at')
    .as('live_session_ends_at')
}

function selectLiveSession(
  accountId: Expression<string>,
  sessionId: Expression<string | null>,
  now: Expression<number>,
) {
  return expressionBuilder<Database & { u: Pick<UserRow, 'id'> }, 'u'>()
    .selectFrom('clientele_sessions as s')
    .where('s.account_id', '=', accountId)
    .where('s.id', '=', sessionId)
    .whereRef('s.user_id', '=', 'u.id')
    .where('s.expires_at', '>', now)
    .limit(sql.lit(1))
}

/** The id of a signing key, if the account still has it. */
export function signingKey(accountId: Expression<string>, keyId: Expression<string | null>) {
  return expressionBuilder<Database>()
    .selectFrom('clientele_signing_keys as sk')
    .select('sk.id')
    .where('sk.account_id', '=', accountId)
    .where('sk.id', '=', keyId)
    .as('signing_key_id')
}

/** Since when the account is disabled. */
export function accountDisabledAt(accountId: Expression<string>) {
  return expressionBuilder<Database>()
    .selectFrom('clientele_accounts as a')
    .select('a.disabled_at')
    .where('a.id', '=', accountId)
    .as('account_disabled_at')
}

/** A table of the requested subjects, from the parameter of `toSubjectsInput`. */
export function askedSubjects(
  features: DialectFeatures,
  subjects: Expression<string>,
): RawBuilder<AskedSubject> {
  return features.recordsOfJsonArray<AskedSubject>(subjects, {
    place: 'counter',
    asked_user_id: 'id',
    asked_session_id: 'id',
    asked_key_id: 'text',
  })
}

/** The user `u` of an id, found by key: a join may be planned as a scan of the account. */
export function userOf(accountId: Expression<string>, userId: Expression<string | null>) {
  return expressionBuilder<Database>()
    .selectFrom('clientele_users as u')
    .select(userColumns)
    .select(['u.account_id', 'u.tokens_not_before'])
    .where('u.account_id', '=', accountId)
    .where('u.id', '=', userId)
    .limit(sql.lit(1))
    .as('u')
}

export function toSubjectsInput(calls: readonly SubjectCall[]): { subjects: string; now: number } {
  const subjects = calls.map(({ subject }, place) => ({
    place,
    asked_user_id: subject.userId,
    asked_session_id: subject.sessionId,
    asked_key_id: subject.keyId ?? null,
  }))
  return {
    subjects: JSON.stringify(subjects),
    now: calls.reduce((latest, { now }) => Math.max(latest, now), 0),
  }
}

/** Sorts rows by the calls that they belong to; a call without a row gets undefined. */
export function orderRows<Row extends { place: number | null }>(
  rows: readonly Row[],
): (Row | undefined)[] {
  const ordered: (Row | undefined)[] = []
  for (const row of rows) if (row.place !== null) ordered[row.place] = row
  return ordered
}

export function toSubjectState(
  row: SubjectRow,
  { sessionId, keyId }: SessionSubject,
): SubjectState {
  return {
    ...toVersionedUser(row),
    hasLiveSession: sessionId === null || row.live_session_id !== null,
    hasSigningKey: keyId === undefined || row.signing_key_id !== null,
    tokensNotBefore: row.tokens_not_before,
    isAccountDisabled: row.account_disabled_at !== null,
  }
}
